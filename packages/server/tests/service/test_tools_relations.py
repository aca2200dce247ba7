"""A relation is one in whatever spelling it is sent, and keeps the one in which it was saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_core.model.ids import is_legal
from kg_server.tools.relations import relation, spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

MEANT = ("supersedes", "derived-from", "instance-of")
CACHE = "Cache keys include the tenant."


def graph(world: Any, key: str = "project:shop") -> Any:
    return world.service._memory.durable(key)


@given(st.text(alphabet="abAB-_.é保1", min_size=1, max_size=12).filter(lambda text: is_legal(text, 64)))
def test_a_relation_that_the_memory_does_not_act_upon_keeps_its_spelling(rel: str) -> None:
    assert spelled(rel) not in {spelled(meant) for meant in MEANT}
    assert relation(rel) == rel


@pytest.mark.parametrize("rel", ["instanceOf", "InstanceOf", "instance.of", "INSTANCE_OF", "instanceof"])
def test_words_may_be_joined_in_any_way(rel: str) -> None:
    assert relation(rel) == "instance-of"


def test_an_edge_in_camel_case_counts_and_is_found(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        await agent.put("old-key", CACHE)
        await agent.put("new-key", "Cache keys include tenant and region.")

        told = await agent.call("kg_put_edge", from_="new-key", rel="derivedFrom", to="old-key")

        assert "Saved new-key --derived-from--> old-key (project)." in told
        assert world.service._memory.durable("project:shop").nodes["new-key"].kind == "derived"
        assert "retires nothing" in await agent.call("kg_put_edge", from_="old-key", rel="replacedBy", to="new-key")
        await agent.call("kg_put_edge", from_="new-key", rel="über-prüft", to="src/a, b.py")
        again = await agent.call("kg_put_edge", from_="new-key", rel="ÜberPrüft", to="src/a, b.py")
        assert again == "new-key --über-prüft--> src/a, b.py is there already; nothing was written."
        assert "Deleted" in await agent.call("kg_delete_edge", from_="new-key", rel="über prüft", to="src/a, b.py")

    live(scenario)


@pytest.mark.parametrize("rel", ["Supersedes", "SUPERSEDES", " supersedes "])
def test_a_relation_that_the_memory_acts_upon_is_one_however_it_is_spelled(live: Live, rel: str) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        await agent.put("old-key", CACHE)
        await agent.put("new-key", "Cache keys include tenant and region.")
        told = await agent.call("kg_put_edge", from_="new-key", rel=rel, to="old-key")
        assert told == "Saved new-key --supersedes--> old-key (project)."
        assert "old-key (superseded)" in await agent.call("kg_search", query="tenant of cache keys")
        assert "retires nothing" not in told
        await agent.call("kg_put_edge", from_="new-key", rel="Derived_From", to="old-key")
        assert graph(world).nodes["new-key"].kind == "derived"

    live(scenario)


@pytest.mark.parametrize("rel", ["superseded-by", "is_superseded_by", "Replaces"])
def test_an_edge_that_says_supersedes_in_other_words_is_told_to_retire_nothing(live: Live, rel: str) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        await agent.put("old-key", CACHE)
        await agent.put("new-key", "Cache keys include tenant and region.")
        told = await agent.call("kg_put_edge", from_="old-key", rel=rel, to="new-key")
        assert told.endswith(
            "Note: this retires nothing. supersedes does, from the new lesson to the one that holds no more."
        )
        assert "retires" not in await agent.call("kg_put_edge", from_="old-key", rel=rel, to="src/a.py")

    live(scenario)


def test_an_edge_is_found_by_another_spelling_of_its_relation(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        await agent.put("cache-key", CACHE)
        await agent.call("kg_put_edge", from_="cache-key", rel="depends-on", to="src/a.py")
        again = await agent.call("kg_put_edge", from_="cache-key", rel="Depends_On", to="src/a.py")
        assert again == "cache-key --depends-on--> src/a.py is there already; nothing was written."
        refusal = await agent.refused("kg_delete_edge", from_="cache-key", rel="needs", to="src/a.py")
        assert refusal.endswith("Between them there is: cache-key --depends-on--> src/a.py.")
        turned = await agent.refused("kg_delete_edge", from_="src/a.py", rel="depends-on", to="cache-key")
        assert turned.endswith("Between them there is: cache-key --depends-on--> src/a.py.")
        gone = await agent.call("kg_delete_edge", from_="cache-key", rel="depends on", to="src/a.py")
        assert gone == "Deleted cache-key --depends-on--> src/a.py (project)."

    live(scenario)


def test_a_file_at_an_end_is_one_and_loses_the_backticks_around_it(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        await agent.put("cache-key", CACHE)

        told = await agent.call("kg_put_edge", from_="cache-key", rel="guards", to="`src/a.py`")
        assert told == "Saved cache-key --guards--> src/a.py (project)."
        told = await agent.call("kg_put_edge", from_="cache-key", rel="guards", to="src/a.py, src/b.py")
        assert "Note: 'src/a.py, src/b.py' is kept as the name of one file." in told
        for end in ("src/a,b.py", "src/{a,b}.py", "app/[id]/page.tsx", "docs/my file.md", "~/x", "src/a.py:3", "x`/`y"):
            assert await agent.call("kg_put_edge", from_="cache-key", rel="guards", to=end) == (
                f"Saved cache-key --guards--> {end} (project)."
            )

        assert "Deleted" in await agent.call("kg_delete_edge", from_="cache-key", rel="guards", to="`src/a.py`")

    live(scenario)


def test_an_edge_between_lessons_of_the_user_is_found_with_their_level_before_them(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        await agent.put("cache-key", CACHE, level="user")
        await agent.put("new-key", "Cache keys include tenant and region.", level="user")
        await agent.call("kg_put_edge", from_="user:cache-key", rel="guards", to="user:new-key")

        told = await agent.call("kg_delete_edge", from_="user:cache-key", rel="guards", to="user:New Key")

        assert told == "Deleted cache-key --guards--> new-key (user)."

    live(scenario)
