"""From Markdown to pieces: nothing is lost, nothing is too long, and an edit stays where it was made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_search_pg.documents.document import kind, taken_apart
from kg_search_pg.documents.pieces import MOST, TARGET, Piece, pieces
from kg_search_pg.embedding.local import LocalEmbedder
from kg_search_pg.embedding.tokens import Tokenizer, estimate, tokenizer_of

if TYPE_CHECKING:
    from pathlib import Path

SENTENCE = "The payment worker stops trying again after five attempts. "


def cut(text: str) -> list[Piece]:
    return list(pieces(text, estimate))


def marks(text: str) -> str:
    """All that is not blank."""
    return "".join(text.split())


part = st.one_of(
    st.sampled_from(
        [
            "# One",
            "## Two ##",
            "####### seven",
            "Title\n=====",
            "Other\n---",
            "```",
            "~~~~",
            "    # code",
            "- item",
            "---",
        ]
    ),
    st.text(st.characters(exclude_characters="\r"), max_size=80),
    st.integers(1, 40).map(lambda times: SENTENCE * times),
    st.integers(1, 3_000).map(lambda times: "x" * times),
    st.integers(1, 300).map(lambda times: "|a|b|\n" * times),
)
markdown = st.lists(part, max_size=12).flatmap(
    lambda parts: st.sampled_from(["\n", "\n\n"]).map(lambda joint: joint.join(parts))
)


@given(markdown)
@settings(deadline=None)
def test_the_pieces_of_any_text_are_the_text_and_none_is_too_long(text: str) -> None:
    found = cut(text)

    assert marks("".join(piece.text for piece in found)) == marks(text)
    assert all(estimate(piece.text) <= MOST for piece in found)


@given(markdown)
@settings(deadline=None)
def test_a_piece_begins_where_it_says(text: str) -> None:
    lines = text.split("\n")

    for piece in cut(text):
        assert piece.text.split("\n")[0] in lines[piece.line - 1]


def test_a_section_is_a_piece_under_its_headings() -> None:
    text = "Before.\n\n# Guide\n\nHello.\n\n## Roll back\n\nTurn it off.\n\n# Other\n\nBye.\n"

    assert [(piece.line, piece.heading, piece.text) for piece in cut(text)] == [
        (1, "", "Before."),
        (3, "Guide", "# Guide\n\nHello."),
        (7, "Guide > Roll back", "## Roll back\n\nTurn it off."),
        (11, "Other", "# Other\n\nBye."),
    ]


def test_a_heading_with_nothing_below_it_stands_with_what_is_deeper() -> None:
    text = "# Guide\n\n## Install\n\nRun it.\n\n## Later\n\n# End\n"

    assert [(piece.heading, piece.text) for piece in cut(text)] == [
        ("Guide > Install", "# Guide\n\n## Install\n\nRun it."),
        ("Guide > Later", "## Later"),
        ("End", "# End"),
    ]


@pytest.mark.parametrize("fence", ["```", "~~~~", "```sh"])
def test_what_looks_like_a_heading_in_code_is_none(fence: str) -> None:
    mark = fence.rstrip("sh")
    text = f"# Guide\n\n{fence}\n# a comment\nrun\n=====\n{mark}\n\n    # indented\n\nAfter.\n"

    assert [piece.heading for piece in cut(text)] == ["Guide"]


def test_a_fence_is_closed_by_its_own_kind_alone_and_one_that_is_not_closed_goes_to_the_end() -> None:
    text = "````\n```\n# no\n~~~~\n````\n# Yes\n\n~~~\n# no\n"

    assert [piece.heading for piece in cut(text)] == ["", "Yes"]


def test_underlined_headings_count_and_data_at_the_top_is_none() -> None:
    text = "---\ntitle: x\n---\n\nGuide\n=====\n\nHello.\n\nMore\n----\n\nBye.\n\nText\nof two lines\n---\n"

    assert [piece.heading for piece in cut(text)] == ["", "Guide", "Guide > More"]


def test_a_section_that_is_too_long_is_cut_between_paragraphs_and_code_stays_whole() -> None:
    paragraph = SENTENCE * 8
    code = "```python\n" + "call(argument, other)\n" * 55 + "```"
    assert TARGET < estimate(code) <= MOST
    text = f"# Long\n\n{paragraph}\n\n{paragraph}\n\n{paragraph}\n\n{code}\n\n{paragraph}\n"

    found = cut(text)

    assert [piece.text for piece in found if "call(" in piece.text] == [code]
    assert {piece.heading for piece in found} == {"Long"}
    assert all(estimate(piece.text) <= TARGET for piece in found if piece.text != code)
    assert all(piece.text.endswith(("attempts. ", "```")) for piece in found)


def test_two_fences_side_by_side_are_cut_between_them() -> None:
    code = "```\n" + "call(argument, other)\n" * 40 + "```"

    assert [piece.text for piece in cut(f"{code}\n{code}")] == [code, code]


def test_code_and_lines_that_are_too_long_are_cut_between_lines_and_then_words() -> None:
    code = "```\n" + "".join(f"call({number}, other)\n" for number in range(200)) + "```"
    line = SENTENCE * 100

    calls, words = cut(code), cut(line)

    assert len(calls) > 1
    assert len(words) > 1
    assert all(piece.text.split("\n")[0].startswith(("```", "call(")) for piece in calls)
    assert all(piece.text.strip().split(" ")[0] in SENTENCE.split(" ") for piece in words)


def test_an_edit_changes_no_piece_of_another_section() -> None:
    text = "".join(f"## Section {number}\n\n{SENTENCE * 3}\n\n" for number in range(9))

    before, after = ({piece.text for piece in cut(each)} for each in (text, text.replace("Section 4\n", "Chapter 4\n")))

    assert len(before - after) == len(after - before) == 1


def test_the_local_model_counts_tokens_itself_and_the_estimate_is_no_less() -> None:
    tokenizer = tokenizer_of(LocalEmbedder())
    text = SENTENCE * 200 + "\n\n" + "部署方案" * 300 + "\n\n" + "```\n" + "9f86d081884c7d659a2feaa0\n" * 60 + "```"

    assert tokenizer.name == "multilingual-e5-small-q4"
    assert tokenizer.count("memory") == 5, "the prefix and both ends count too"
    assert all(tokenizer.count(piece.text) <= MOST for piece in pieces(text, tokenizer.count))
    assert all(tokenizer.count(piece.text) <= MOST for piece in cut(text))
    assert tokenizer_of(object()).name == tokenizer_of(None).name == "estimate"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("README.md", "readme"),
        ("CHANGELOG.md", "changelog"),
        ("docs/adr/0007-queue.md", "decision"),
        ("docs/decisions/readme.md", "readme"),
        ("docs/deploy.md", "runbook"),
        ("docs/design/queue.md", "specification"),
        ("docs/api.md", "interface"),
        ("docs/hello.md", "note"),
    ],
)
def test_a_name_says_what_sort_of_document_it_is(name: str, expected: str) -> None:
    assert kind(name) == expected


def test_secrets_are_gone_before_a_text_is_taken_apart(tmp_path: Path) -> None:
    data = "\ufeff# Key\r\n\r\nBEGIN\r\nhidden\r\nEND\r\nafter \udcff\n".encode("utf-8", "surrogateescape")

    found = taken_apart(
        tmp_path / "key.md",
        "key.md",
        data,
        Tokenizer("estimate", estimate),
        lambda text: text.replace("BEGIN\r\nhidden\r\nEND", "[secret:key]"),
    )

    assert (found.title, found.has_secrets) == ("Key", True)
    assert [piece.text for piece in found.pieces] == ["# Key\n\n[secret:key]\nafter \ufffd"]
