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
