"""What a model was shown may be sent back as it was shown: that changes nothing and removes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from kg_core.render import one_line
from kg_plugin_api import Unit
from kg_server.tools.content import as_stored

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

CACHE = "Cache keys include the tenant."
STEPS = "Steps:\n- stop it\n\tthen start"
NOTES = st.lists(st.text(alphabet="ab \n\t-\u200b", max_size=6), max_size=4, unique=True)


def graph(world: Any) -> Any:
    return world.service._memory.durable("project:shop")


@given(NOTES, NOTES)
def test_what_is_sent_as_it_was_shown_is_what_is_stored(stored: list[str], added: list[str]) -> None:
    shown = [one_line(text) for text in stored]

    kept = as_stored([*shown, *added], stored)

    assert {one_line(text) for text in kept} == {one_line(text) for text in [*stored, *added]}
    assert as_stored(stored, stored) == tuple(stored)
    if len(set(shown)) == len(shown):
        assert kept[: len(stored)] == tuple(stored)


def test_a_case_is_added_to_notes_that_were_shown_without_their_line_breaks(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE, notes=[STEPS, "one"])
        other = world.agent("s-2")
        shown = await other.call("kg_read", ids=["cache-key"])
        assert f"- {one_line(STEPS)}" in shown

        await other.put("cache-key", CACHE, notes=[one_line(STEPS), "one", "another"])

        assert graph(world).nodes["cache-key"].notes == (STEPS, "one", "another")
        again = await other.put("cache-key", CACHE, notes=[one_line(STEPS), "one", "another"])
        assert "nothing was written" in again
        assert "would be removed: one" in await other.refused(
            "kg_put_node", level="project", id="cache-key", gist=CACHE, notes=[one_line(STEPS)]
        )

    live(scenario)


def test_notes_may_be_broken_into_lines_otherwise(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE, notes=[STEPS])
        await writer.put("cache-key", CACHE, notes=[STEPS.replace("\n", "\n\n")])
        assert graph(world).nodes["cache-key"].notes == (STEPS.replace("\n", "\n\n"),)

    live(scenario)


def test_the_reasons_of_a_relation_keep_their_line_breaks_too(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE)
        relation = {"from_": "cache-key", "rel": "guards", "to": "src/a.py"}
        await writer.call("kg_put_edge", **relation, notes=[STEPS])
        text = await writer.call("kg_put_edge", **relation, notes=[one_line(STEPS)])
        assert "nothing was written" in text

    live(scenario)


def test_a_refusal_says_what_to_do_before_it_lists_what_would_go(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1", harness="narrow")
        await writer.start()
        await writer.put("cache-key", CACHE, notes=[f"{number} {'x' * 300}" for number in range(50)])

        text = await writer.refused("kg_put_node", level="project", id="cache-key", gist=CACHE, notes=["0"])

        assert "or the same write again if removal is meant." in text
        assert text.index("if removal is meant") < text.index("would be removed: 0 x")
        assert Unit.BYTES.measure(text) <= 2_000

    live(scenario)


def test_what_a_list_without_a_guard_loses_is_told(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE, tags=["cache", "tenant"])
        relation = {"from_": "cache-key", "rel": "guards", "to": "src/a.py"}
        assert "removed" not in await writer.call("kg_put_edge", **relation, notes=[STEPS, "one"])
        assert "removed" not in await writer.call("kg_put_edge", **relation, notes=[STEPS, "one", "two"])
        told = await writer.call("kg_put_edge", **relation, notes=["one"])
        assert told.endswith(f"  removed from its notes: {one_line(STEPS)}\n  removed from its notes: two")
        assert "no more" not in await writer.put("cache-key", f"{CACHE} Always.")
        told = await writer.put("cache-key", CACHE, tags=["tenant", "keys"])
        assert told.endswith("Tags that it has no more: cache.")

    live(scenario)


def test_who_deletes_a_lesson_by_another_spelling_is_told_what_it_said(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        for named, told in (
            ("project:cache-key", "Deleted 'cache-key' (project)."),
            ("cache/key", f"Deleted 'cache-key' (project).\nIt said: {CACHE}"),
        ):
            await writer.put("cache-key", CACHE)
            assert await writer.call("kg_delete_node", id=named) == told

    live(scenario)
