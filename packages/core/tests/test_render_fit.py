"""Blocks cut to a limit, and divided into pages."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from kg_core.render import Block, Mark, MarkKind, Rank, cut, fit, paged, prefix
from kg_plugin_api import Limit, Unit

UNITS = st.sampled_from(list(Unit))
BEST = "best".ljust(40, ".")
PIECES = st.text(alphabet="ab é\u0301部署👩‍👩‍👧🇯🇵\u0300", max_size=40)


def gist(name: str, value: float, size: int = 20, rank: Rank = Rank.GIST, parent: str = "") -> Block:
    return Block(
        text=name.ljust(size, "."),
        rank=rank,
        value=value,
        marks=(Mark(MarkKind.SEEN, "user", name, "v"),),
        name=name,
        parent=parent,
    )


@st.composite
def block_lists(draw: st.DrawFn) -> list[Block]:
    count = draw(st.integers(1, 12))
    return [
        Block(
            text=draw(PIECES),
            rank=draw(st.sampled_from(list(Rank))),
            value=draw(st.integers(0, 3)),
            marks=(Mark(MarkKind.SEEN, "user", str(number)),),
            name=str(number),
        )
        for number in range(count)
    ]


def test_what_fits_passes_whole() -> None:
    blocks = [Block(text="head"), gist("a", 1.0)]
    assert fit(blocks, Limit(25, Unit.CHARACTERS)).text == "head\na..................."
    assert fit(blocks, None).hidden == 0
    assert fit([], Limit(0, Unit.BYTES)).text == ""


def test_the_least_valuable_go_first_and_the_text_says_so() -> None:
    blocks = [
        Block(text="head"),
        gist("low", 0.1),
        gist("high", 0.9),
        gist("edge", 2.0, rank=Rank.EDGE, parent="high"),
        gist("old", 9.0, rank=Rank.ARCHIVED),
    ]
    blocks.append(gist("older", 0.0, size=150, rank=Rank.ARCHIVED))
    fitted = fit(blocks, Limit(185, Unit.CHARACTERS))
    assert fitted.text.splitlines()[:3] == ["head", "low.................", "high................"]
    assert fitted.text.splitlines()[-1] == (
        "(No room here for: 1 edge, 2 archived ids. kg_search finds them, kg_read with ids shows them.)"
    )
    assert fitted.hidden == 3
    assert [mark.id for mark in fitted.marks] == ["low", "high"]


def test_an_edge_goes_with_its_node() -> None:
    blocks = [gist("node", 0.0, size=200, rank=Rank.ARCHIVED), gist("edge", 1.0, rank=Rank.EDGE, parent="node")]
    blocks.append(gist("kept", 1.0, size=40))
    fitted = fit(blocks, Limit(200, Unit.CHARACTERS))
    assert [mark.id for mark in fitted.marks] == ["kept"]
    assert fitted.hidden == 2


@pytest.mark.parametrize("unit", list(Unit))
def test_one_over_long_gist_is_cut_rather_than_nothing_and_is_not_marked(unit: Unit) -> None:
    fitted = fit([Block(text="head"), gist("👩‍👩‍👧 long", 1.0, size=5_000)], Limit(300, unit))
    assert fitted.text.startswith("head\n👩‍👩‍👧 long...")
    assert "…" in fitted.text
    assert "the end of a long gist" in fitted.text
    assert fitted.marks == ()
    assert unit.measure(fitted.text) <= 300


@pytest.mark.parametrize(
    ("maximum", "expected"),
    [
        (185, f"head|{BEST}|(No room here for: 1 edge. kg_search"),
        (80, f"head|{BEST}|(More had no room: kg_search.)"),
        (76, f"head|{BEST}|(More had no room: kg_search.)"),
        (75, f"head|{BEST[:38]}…|(More had no room: kg_search.)"),
        (46, f"head|{BEST[:38]}…"),
        (20, f"head|{BEST[:14]}…"),
        (6, "head|…"),
        (5, "head"),
    ],
)
def test_that_something_was_left_out_is_said_however_little_room_there_is(maximum: int, expected: str) -> None:
    blocks = [Block(text="head"), gist("best", 1.0, size=40), gist("edge", 0.0, size=200, rank=Rank.EDGE)]
    text = fit(blocks, Limit(maximum, Unit.CHARACTERS)).text
    assert text.replace("\n", "|").startswith(expected)


@given(block_lists(), st.integers(0, 400), UNITS)
def test_a_text_that_is_not_all_says_so_unless_the_essentials_fill_the_limit(
    blocks: list[Block], maximum: int, unit: Unit
) -> None:
    limit = Limit(maximum, unit)
    fitted = fit(blocks, limit)
    essentials = "\n".join(block.text for block in blocks if block.rank is Rank.ESSENTIAL)
    if fitted.hidden and limit.measure(essentials) + 5 <= maximum:
        last = fitted.text.rsplit("\n", 1)[-1]
        assert last.startswith(("(No room here for: ", "(More had no room")) or "…" in fitted.text


def test_when_not_even_the_essentials_fit_the_first_is_cut() -> None:
    assert fit([Block(text="essential " * 20), gist("a", 1.0)], Limit(12, Unit.CHARACTERS)).text == "essential e…"


@given(block_lists(), UNITS)
def test_a_text_fits_the_limit_that_it_measures_in_every_unit(blocks: list[Block], unit: Unit) -> None:
    text = fit(blocks, None).text
    assert text == "\n".join(block.text for block in blocks)
    assert fit(blocks, Limit(unit.measure(text), unit)).text == text
    assert unit.measure(text) == sum(unit.measure(block.text + "\n") for block in blocks) - 1


@given(block_lists(), st.integers(0, 400), UNITS)
def test_a_text_is_never_over_its_limit(blocks: list[Block], maximum: int, unit: Unit) -> None:
    fitted = fit(blocks, Limit(maximum, unit))
    assert unit.measure(fitted.text) <= maximum


@given(block_lists(), st.integers(0, 300), st.integers(0, 100), UNITS)
def test_a_larger_limit_keeps_what_a_smaller_one_kept(blocks: list[Block], maximum: int, more: int, unit: Unit) -> None:
    small, large = fit(blocks, Limit(maximum, unit)), fit(blocks, Limit(maximum + more, unit))
    assert set(small.marks) <= set(large.marks)


@given(block_lists(), st.integers(0, 300), UNITS)
def test_marks_are_those_of_the_blocks_that_are_in_the_text_whole(
    blocks: list[Block], maximum: int, unit: Unit
) -> None:
    fitted = fit(blocks, Limit(maximum, unit))
    kept = [block.text for block in blocks if set(block.marks) <= set(fitted.marks)]
    assert fitted.text.startswith("\n".join(kept)) or "…" in fitted.text
    assert len(kept) + fitted.hidden >= len(blocks) - 1


@given(PIECES, st.integers(0, 60), UNITS)
def test_text_is_cut_between_graphemes(text: str, maximum: int, unit: Unit) -> None:
    clusters = regex.findall(r"\X", text)
    borders = {"".join(clusters[:count]) for count in range(len(clusters) + 1)}
    head = prefix(text, maximum, unit)
    assert head in borders
    longer = next((border for border in sorted(borders, key=len) if len(border) > len(head)), None)
    assert longer is None or unit.measure(longer) > maximum
    assert cut(text, maximum, unit).removesuffix("…") in borders
    assert unit.measure(cut(text, maximum, unit)) <= maximum


@given(block_lists(), st.integers(4, 60), UNITS)
def test_pages_hold_everything_within_the_limit(blocks: list[Block], maximum: int, unit: Unit) -> None:
    pages = paged(blocks, Limit(maximum, unit))
    assert all(unit.measure(page.text) <= maximum for page in pages)
    joined = "".join(page.text for page in pages).replace("\n", "")
    assert joined == "".join(block.text for block in blocks).replace("\n", "")
    assert [mark for page in pages for mark in page.marks] == [mark for block in blocks for mark in block.marks]


def test_a_block_longer_than_a_page_is_split_at_line_ends_and_marked_where_it_ends() -> None:
    block = Block(text="one one\ntwo two\nthree", marks=(Mark(MarkKind.READ, "user", "a"),))
    pages = paged([Block(text="head"), block, Block(text="x")], Limit(10, Unit.CHARACTERS))
    assert [page.text for page in pages] == ["head", "one one", "two two", "three\nx"]
    assert [len(page.marks) for page in pages] == [0, 0, 0, 1]


def test_without_a_limit_there_is_one_page_and_without_blocks_none() -> None:
    assert [page.text for page in paged([Block(text="a"), Block(text="b")], None)] == ["a\nb"]
    assert paged([], Limit(100, Unit.BYTES)) == []
    with pytest.raises(ValueError, match="cannot hold every character"):
        paged([Block(text="a")], Limit(3, Unit.BYTES))
