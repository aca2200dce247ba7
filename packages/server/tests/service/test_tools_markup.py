"""Gists that swallowed the markup of their tool call are mended; those that talk of markup are left alone."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_server.tools.content import single_line
from kg_server.tools.markup import heal

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

CLAIM = "Retries need full jitter."

SWALLOWED = {
    f"{CLAIM}</gist>": ((), ()),
    f'{CLAIM}</gist>\n<notes>["one", "two"]</notes>\n</invoke>': (("one", "two"), ()),
    f'{CLAIM}"><parameter name="notes">["one, [really]"]': (("one, [really]",), ()),
    f'{CLAIM}</parameter>\n<parameter name="touches">["src/a.py"]</parameter>\n</invoke>': ((), ("src/a.py",)),
    f'{CLAIM}</parameter>\n<parameter name="notes" string="false">["one"]</parameter>'
    '<parameter name="touches">["a.py"]': (("one",), ("a.py",)),
    f"{CLAIM}\n</invoke>": ((), ()),
    f'{CLAIM}<parameter name="notes">["cut off': ((), ()),
    f'{CLAIM} <invoke name="kg_put_node">': ((), ()),
    f'{CLAIM}<notes>[1, "one"]': (("one",), ()),
}

MENTIONED = [
    "The parser must accept <notes> and <gist> as plain tags.",
    "End the text with `</gist>` before the next element.",
    "Wrap the claim in <gist>…</gist> tags, one for each lesson.",
    "A <parameter> without a name is an error in the schema.",
    "Generic types such as Map<Notes> confuse the </parser> of the docs.",
    "</gist>",
    "x < y and y > z",
    "",
]


@pytest.mark.parametrize("gist", list(SWALLOWED))
def test_markup_is_cut_off_and_its_lists_are_recovered(gist: str) -> None:
    healed = heal(gist)
    assert healed.is_changed
    assert healed.gist == CLAIM
    assert (healed.notes, healed.touches) == SWALLOWED[gist]


@pytest.mark.parametrize("gist", MENTIONED)
def test_a_mention_of_markup_is_left_alone(gist: str) -> None:
    assert heal(gist) == (gist, (), (), False)


@given(st.text(max_size=40), st.sampled_from([*SWALLOWED, *MENTIONED]), st.text(max_size=40))
def test_healing_twice_equals_healing_once(before: str, gist: str, after: str) -> None:
    once = heal(before + gist + after).gist
    assert heal(once).gist == once


def test_a_long_gist_is_healed_and_put_on_one_line_in_no_time() -> None:
    began = perf_counter()
    for text in (" " * 1_000_000 + "x", '"' * 1_000_000, "<notes>" * 200_000, '" ' * 500_000):
        assert not heal(f"x{text}").is_changed
        single_line(f"x{text}")
    assert perf_counter() - began < 20


def test_a_mended_lesson_is_saved_with_its_lists_unless_others_were_sent(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        text = await writer.put("retry-jitter", f'{CLAIM}</gist>\n<notes>["one", "two"]</notes>')
        assert "markup had run into the gist" in text
        assert text.endswith(f"the gist is now: {CLAIM}")
        node = world.service._memory.durable("project:shop").nodes["retry-jitter"]
        assert (node.gist, node.notes) == (CLAIM, ("one", "two"))
        await writer.put("retry-jitter", f'{CLAIM} Always.</gist>\n<notes>["three"]</notes>', notes=["one", "two", "4"])
        node = world.service._memory.durable("project:shop").nodes["retry-jitter"]
        assert (node.gist, node.notes) == (f"{CLAIM} Always.", ("one", "two", "4"))

    live(scenario)
