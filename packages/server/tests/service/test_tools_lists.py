"""Lists that come as one text are read; what a list holds, and what may be one thing, stays as it was sent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_core.model.visible import shows
from kg_server.tools.arguments import parse
from kg_server.tools.content import checked_gist, checked_notes, checked_tags, checked_touches
from kg_server.tools.lists import names, paths, texts
from kg_server.tools.markup import heal
from kg_server.tools.progress import ProgressArguments
from kg_server.tools.put_node import PutNode
from kg_server.tools.search import Search

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

PIECES = [
    "a",
    "ab c",
    "- ",
    "* b",
    ",",
    ", ",
    "[",
    "]",
    "{a,b}",
    "'",
    '"',
    "\\",
    ".py",
    "src/",
    ":3",
    "`",
    "é",
    " ",
    "1.",
]
LINES = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=6).map("".join)
ONE_LINE = LINES.filter(lambda text: len(text.splitlines()) < 2)


@given(st.lists(LINES, max_size=4))
def test_texts_and_names_in_a_list_stay_as_they_are(sent: list[str]) -> None:
    assert texts(sent) == sent
    assert names(sent) == sent
    assert texts(json.dumps(sent)) == sent


@given(st.lists(ONE_LINE, max_size=4))
def test_files_in_a_list_stay_as_they_are(sent: list[str]) -> None:
    assert paths(sent) == sent
    assert paths(json.dumps(sent)) == sent


@given(st.lists(st.text(alphabet="ab,'\"\\[]\n\t -é", max_size=6), max_size=4))
def test_a_list_as_python_writes_it_is_that_list(sent: list[str]) -> None:
    assert texts(repr(sent)) == sent


@given(LINES.filter(lambda text: not text.strip().startswith(("[", "-", "*", "•"))))
def test_any_other_text_is_one(sent: str) -> None:
    assert texts(sent) == [sent]


@given(st.text(alphabet="ab/. ,-_()[]{}é'", min_size=1).filter(lambda text: "," not in text and text[0] not in "[-"))
def test_a_file_without_a_comma_is_one(sent: str) -> None:
    assert paths(sent) == [sent]


@given(LINES)
def test_reading_a_list_loses_no_word(sent: str) -> None:
    def letters(found: Any) -> list[str]:
        return [each for each in "".join(found) if each.isalnum()]

    assert letters(names(sent)) == letters(paths(sent)) == [each for each in sent if each.isalnum()]


@pytest.mark.parametrize(
    "name",
    [
        "docs/Smith, John.pdf",
        "Smith, John/report.pdf",
        "my docs, all.md",
        "src/{a, b}.py",
        "src/{a,b}.py",
        "data/a,b.csv",
        "src/a,v",
        "src/a.py:1,3",
        "src/a.py (login, logout)",
        "app/[id]/page.tsx",
        "[id].tsx",
        "Makefile, the root's",
    ],
)
def test_one_file_whose_name_has_commas_spaces_or_brackets_is_one(name: str) -> None:
    assert paths(name) == [name]
    assert paths([name]) == [name]


@pytest.mark.parametrize(
    ("sent", "found"),
    [
        ("src/a.py:10, b.py\nsrc/*.c", ["src/a.py:10", "b.py", "src/*.c"]),
        ("src/a.py,src/b.py:3", ["src/a.py", "src/b.py:3"]),
        ("src/api, src/web", ["src/api", "src/web"]),
        ("`src/a.py`, `b.py`,", ["src/a.py", "b.py"]),
        ("Makefile\ndocs/my file.md", ["Makefile", "docs/my file.md"]),
        (["Makefile", "a.py\nb.py"], ["Makefile", "a.py", "b.py"]),
    ],
)
def test_several_files_are_each_one(sent: object, found: list[str]) -> None:
    assert paths(sent) == found


@pytest.mark.parametrize(
    ("sent", "found"),
    [
        ("a\nb", ["a", "b"]),
        ("a,", ["a"]),
        ("[http, pool]", ["http", "pool"]),
        ("'a', \"b\"", ["a", "b"]),
        ("['a', 'b']", ["a", "b"]),
        (" Cache Key ", [" Cache Key "]),
        (",", [","]),
    ],
)
def test_names_are_separated_by_commas_and_lines(sent: str, found: list[str]) -> None:
    assert names(sent) == found


def test_an_item_of_markdown_keeps_what_is_indented_below_it() -> None:
    assert texts("- one:\n  - first\n  second\n\n- two\n") == ["one:\n  - first\n  second", "two"]
    assert texts("  * one\n  * two") == ["one", "two"]
    for one in ("steps:\n- a\n- b", "- old\n+ new", "1. one\n2. two", "-x", "- ", "['don't', 'x']"):
        assert texts(one) == [one]


def test_a_note_that_is_a_list_of_markdown_stays_one_note() -> None:
    note = "- a\n- b"
    assert parse("kg_put_node", PutNode, {"level": "user", "id": "x", "gist": "y", "notes": [note]}).notes == (note,)


def test_statuses_come_as_one_text_too() -> None:
    assert parse("kg_search", Search, {"query": "a", "statuses": "current, retracted"}).statuses == (
        "current",
        "retracted",
    )


@pytest.mark.parametrize("nothing", ["", "null", "None"])
def test_a_text_that_says_nothing_is_no_list_and_the_same_in_a_list_is_one(nothing: str) -> None:
    node = {"level": "user", "id": "x", "gist": "null"}
    lists = dict.fromkeys(("notes", "touches", "tags", "status", "kind"), nothing)
    parsed = parse("kg_put_node", PutNode, {**node, **lists})
    assert not lists.keys() & parsed.model_fields_set
    assert parsed.gist == "null"
    assert parse("kg_put_node", PutNode, {**node, "tags": [nothing]}).tags == (nothing,)
    assert parse("kg_progress", ProgressArguments, {"task_id": "null", "state": nothing}).sent("state") is not bool(
        nothing
    )


def is_legal(text: str) -> bool:
    return shows(text) and text.strip() == text


@given(
    st.lists(LINES.filter(is_legal), max_size=4, unique=True),
    st.lists(ONE_LINE.filter(is_legal), max_size=4, unique=True),
    ONE_LINE.filter(is_legal),
)
def test_what_is_legal_is_stored_as_it_was_sent(notes: list[str], words: list[str], gist: str) -> None:
    node = {"level": "user", "id": "x", "gist": gist, "notes": notes, "touches": words, "tags": words}
    parsed = parse("kg_put_node", PutNode, node)

    assert checked_notes(parsed.notes) == tuple(notes)
    assert checked_touches(parsed.touches) == tuple(words)
    assert checked_tags(parsed.tags) == tuple(words)
    assert checked_gist(heal(parsed.gist).gist) == gist


def test_files_that_are_one_item_of_a_list_stay_one_and_are_told_of(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        touches = ["src/a.py, src/b.py", "docs/Smith, John.pdf", "src/{a,b}.py"]
        text = await agent.put("cache-key", "Cache keys include the tenant.", touches=touches)
        assert text.splitlines()[1:] == ["Note: 'src/a.py, src/b.py' is kept as one file; several are an item each."]
        assert world.service._memory.durable("project:shop").nodes["cache-key"].touches == tuple(touches)
        again = await agent.put("cache-key", "Cache keys include the region.", touches=touches)
        assert "Note" not in again

    live(scenario)
