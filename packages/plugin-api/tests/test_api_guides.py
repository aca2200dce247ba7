"""A guide, and the skill file that agents share."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_plugin_api import Guide

LINES = st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), min_size=1).filter(str.strip)


def guide(**more: object) -> Guide:
    given = {"name": "be-brief", "title": "Be brief", "description": "How.", "body": "Once.\n", "version": 3}
    return Guide(**{**given, **more})


def test_a_skill_file_has_a_head_of_name_description_and_mark_and_then_the_text() -> None:
    assert guide().skill() == (
        '---\nname: be-brief\ndescription: "How."\nmetadata:\n  kg-guide: be-brief\n  version: "3"\n---\n\n'
        "# Be brief\n\nOnce.\n"
    )


@given(LINES)
def test_any_description_stays_on_its_line_and_is_read_back(description: str) -> None:
    line = guide(description=description).skill().splitlines()[2]

    assert json.loads(line.removeprefix("description: ")) == description


@pytest.mark.parametrize("name", ["", "Upper", "a_b", "a--b", "-a", "a/b", "../a", "x" * 65])
def test_a_name_that_is_no_slug_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not a guide's name"):
        guide(name=name)


@pytest.mark.parametrize("description", ["", "  ", "one\ntwo", "one\u2028two"])
def test_a_description_that_is_not_one_line_is_refused(description: str) -> None:
    with pytest.raises(ValueError, match="not one line"):
        guide(description=description)


def test_a_name_of_64_characters_is_legal() -> None:
    assert guide(name="x" * 64).name == "x" * 64
