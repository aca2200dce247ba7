"""What was made for programs, as a person reads it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kg_core.render import one_line
from kg_server.cli.readable import readable

SIMPLE = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=90)
VALUES = st.recursive(
    SIMPLE,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def texts(value: Any) -> list[str]:
    """Every text in a value that has something to say."""
    if isinstance(value, str):
        return [line for line in map(one_line, value.strip().splitlines()) if line.strip()]
    if isinstance(value, dict):
        return [text for inner in value.values() for text in texts(inner)]
    return [text for inner in value for text in texts(inner)] if isinstance(value, list) else []


def test_each_simple_field_is_a_line() -> None:
    answer = {"ok": True, "rows": 12, "gate": 0.5, "model": "bge", "problem": "", "since": None, "graphs": ["a", "b"]}

    assert readable(answer).splitlines() == [
        "ok: yes",
        "rows: 12",
        "gate: 0.5",
        "model: bge",
        "problem: none",
        "since: none",
        "graphs: a, b",
    ]


def test_a_sentence_comes_first_and_stands_for_itself() -> None:
    assert readable({"removed": 2, "sentence": "It is gone."}) == "It is gone.\nremoved: 2"


def test_what_says_nothing_is_done() -> None:
    assert readable({}) == "Done."


def test_things_of_the_same_few_fields_are_a_table() -> None:
    findings = [{"area": "postgres", "level": "ok"}, {"area": "rows", "level": "problem"}]

    assert readable({"findings": findings}).splitlines() == [
        "findings (2):",
        "  area      level",
        "  postgres  ok",
        "  rows      problem",
    ]


def test_what_is_nested_stands_below_its_name_and_is_counted() -> None:
    folder = {"folder": "/src/shop", "left_out": {"docs/a_plan.md": ".kgignore", "b.md": "a link"}}

    assert readable({"folders": [folder], "notes": "one\ntwo", "none": []}).splitlines() == [
        "folders (1):",
        "  - folder: /src/shop",
        "    left_out:",
        "      docs/a_plan.md: .kgignore",
        "      b.md: a link",
        "notes:",
        "  one",
        "  two",
        "none: none",
    ]


def test_a_list_that_would_be_too_long_or_unclear_in_one_line_has_a_line_for_each() -> None:
    assert readable({"names": ["a, b", "c"]}).splitlines() == ["names (2):", "  - a, b", "  - c"]
    assert readable({"names": ["x" * 50, "y" * 50]}).splitlines() == [
        "names (2):",
        f"  - {'x' * 50}",
        f"  - {'y' * 50}",
    ]


def test_nothing_in_it_can_command_a_terminal() -> None:
    said = readable({"a\x1b[2J": "b\x1b[31m", "list": [["\x07"], "x\ny"]})

    assert "\x1b" not in said
    assert "\x07" not in said


@given(st.dictionaries(st.text(max_size=8), VALUES, max_size=5))
def test_no_text_is_lost_whatever_the_answer_is(answer: dict[str, Any]) -> None:
    said = readable(answer)

    assert said.strip()
    assert [text for text in texts(answer) if text.strip() not in said] == []
