"""The texts on how to work with the memory, and how they are cut to what a client shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_harness_claude import CLAUDE
from kg_harness_codex import CODEX
from kg_plugin_api import Guide, Limit, Unit
from kg_server.guides import fitted, guides
from kg_server.guides.texts import NAMES
from kg_server.tools.catalogue import TOOLS

if TYPE_CHECKING:
    from kg_plugin_api import Harness

LARGE = Limit(1_000_000, Unit.BYTES)
BODY = "One line.\nAnother line.\n\nA last line.\n"


def guide(description: str = "What it is. When to use it.", body: str = BODY) -> Guide:
    return Guide(name="x", title="X", description=description, body=body, version=1)


@pytest.mark.parametrize("harness", [CLAUDE, CODEX], ids=lambda harness: harness.name)
def test_every_text_reaches_every_client_whole(harness: Harness) -> None:
    channel, told = harness.instructions, guides(harness.tool_prefix)

    assert channel is not None
    assert [fitted(text, channel.description, channel.body) for text in told] == list(told)


@pytest.mark.parametrize("name", NAMES)
def test_a_text_is_short_says_when_to_use_it_and_names_only_tools_that_there_are(name: str) -> None:
    (text,) = [text for text in guides("") if text.name == name]

    assert len(text.description) <= 400
    assert "Use it " in text.description
    assert len(text.body) <= 4_500
    assert set(re.findall(r"kg_[a-z_]+", text.body)) <= TOOLS.keys()


def test_all_descriptions_together_cost_little_context() -> None:
    assert sum(len(text.description) for text in guides("")) <= 1_500


def test_the_prefix_of_a_clients_tools_is_told_once_and_only_where_there_is_one() -> None:
    for plain, prefixed in zip(guides(""), guides("mcp__kg__"), strict=True):
        assert "mcp__" not in plain.body
        assert prefixed.body.count("mcp__kg__") == 1


def test_what_fits_is_not_touched_and_what_does_not_loses_whole_sentences_and_lines() -> None:
    text = guide()
    whole = len(text.description)

    assert fitted(text, Limit(whole, Unit.BYTES), Limit(len(BODY), Unit.BYTES)) == text
    assert fitted(text, Limit(whole - 1, Unit.BYTES), LARGE).description == "What it is."
    assert fitted(text, Limit(10, Unit.BYTES), LARGE).description == "What …"
    assert fitted(text, LARGE, Limit(len(BODY) - 1, Unit.BYTES)).body.startswith("(Shortened")
    longer = guide(body=BODY * 4)
    assert fitted(longer, LARGE, Limit(95, Unit.BYTES)).body == (
        "One line.\nAnother line.\n\nA last line.\nOne line.\n(Shortened: your client shows no more.)\n"
    )


@given(
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1).filter(str.strip),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=300),
    st.integers(10, 200),
    st.sampled_from(Unit),
)
def test_any_text_is_within_the_limits(description: str, body: str, most: int, unit: Unit) -> None:
    cut = fitted(guide(description, f"{body}\n"), Limit(most, unit), Limit(most + 50, unit))

    assert Limit(most, unit).holds(cut.description)
    assert Limit(most + 50, unit).holds(cut.body)
    assert cut.body.endswith("\n")
