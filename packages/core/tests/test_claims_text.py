"""Marked blocks in text files."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from kg_core.claims.sheet import Reworked, rework
from kg_core.claims.textblock import TextSheet
from kg_plugin_api.claims import TextBlock

if TYPE_CHECKING:
    from kg_plugin_api.claims import Claim

PATH = Path("/home/ana/AGENTS.md")
MARKDOWN = partial(TextSheet, markup=True)
BLOCK = "<!-- kg begin -->\nUse it.\n<!-- kg end -->\n"


def block(text: str = "Use it.", name: str = "kg") -> TextBlock:
    return TextBlock(path=PATH, name=name, text=text)


def put(text: str, *claims: TextBlock, before: Reworked | None = None) -> Reworked:
    return rework(MARKDOWN, text, before.holds if before else (), claims)


def take(done: Reworked, text: str) -> str:
    return rework(MARKDOWN, text, done.holds, ()).text


def test_a_block_goes_to_the_end_behind_a_blank_line() -> None:
    assert put("# A", block()).text == f"# A\n\n{BLOCK}"
    assert put("", block()).text == BLOCK
    assert put("# A\r\n", block()).text == ("# A\n\n" + BLOCK).replace("\n", "\r\n")


def test_markers_fit_the_kind_of_file() -> None:
    done = rework(partial(TextSheet, markup=False), "x", (), [block()])
    assert done.text == "x\n\n# kg begin\nUse it.\n# kg end\n"


def test_a_new_text_takes_the_place_of_the_old_one_where_the_block_now_stands() -> None:
    first = put("# A\n", block())
    moved = f"{BLOCK}\n# A\n"
    second = put(moved, block("Use it well."), before=first)
    assert second.text == "<!-- kg begin -->\nUse it well.\n<!-- kg end -->\n\n# A\n"
    assert take(second, second.text) == "\n# A\n"


def test_lines_that_somebody_wrote_between_our_markers_stay() -> None:
    done = put("# A\n", block())
    assert take(done, done.text.replace("Use it.\n", "Use it.\nAnd mine.\n")) == "# A\n\nAnd mine.\n"


def test_what_somebody_appended_stays() -> None:
    done = put("# A", block())
    assert take(done, done.text + "\nmore\n") == "# A\n\nmore\n"
    assert take(done, "gone") == "gone"


def test_a_block_that_somebody_changed_is_left_and_refuses_a_new_text() -> None:
    first = put("# A\n", block())
    changed = first.text.replace("Use it.", "Do not.")
    assert put(changed, block(), before=first).text == changed
    assert put(changed, block("New."), before=first).refused


def test_marker_lines_that_are_no_pair_are_refused() -> None:
    for text in ("<!-- kg begin -->\n", "<!-- kg end -->\n<!-- kg begin -->\n", BLOCK + BLOCK):
        assert put(text, block()).refused


TEXTS = st.lists(st.sampled_from(["a", "", " ", "# b", "<!-- c -->", "```"]), max_size=6)


@settings(max_examples=150, deadline=None)
@given(
    lines=TEXTS,
    end=st.sampled_from(["\n", "\r\n"]),
    ended=st.booleans(),
    names=st.permutations(["one", "two", "three"]),
    markup=st.booleans(),
)
def test_text_comes_back_byte_for_byte_in_whatever_order_the_blocks_go(
    lines: list[str], end: str, ended: bool, names: list[str], markup: bool
) -> None:
    text = end.join(lines) + (end if ended else "")

    def sheet(text: str) -> TextSheet:
        return TextSheet(text, markup=markup)

    claims: list[Claim] = [TextBlock(path=PATH, name=name, text=f"{name}\n\nlines") for name in ("one", "two", "three")]
    done = rework(sheet, text, (), claims)
    for name in names:
        claims = [claim for claim in claims if isinstance(claim, TextBlock) and claim.name != name]
        done = rework(sheet, done.text, done.holds, claims)
    assert done.text == text
