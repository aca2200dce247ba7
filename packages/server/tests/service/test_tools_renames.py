"""A rename never makes an edge lead to another node than before, whoever else has the new name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.model import USER, USER_PREFIX, EndKind, end_kind

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

SHOP, OTHER = "project:shop", "project:other"


def led_to(world: Any, key: str) -> set[tuple[str, str]]:
    """The edges of a graph by the gists of what they lead from and to."""
    memory = world.service._memory
    graph, user = memory.durable(key), memory.durable(USER)

    def gist(end: str) -> str:
        of_user = end_kind(end) is EndKind.USER
        return str((user if of_user else graph).nodes[end.removeprefix(USER_PREFIX)].gist)

    return {(gist(edge.source), gist(edge.target)) for edge in graph.edges.values()}


async def linked(agent: Any, source: str, target: str) -> None:
    await agent.call("kg_put_edge", from_=source, rel="needs", to=target)


def test_a_users_node_may_get_a_name_that_a_project_has(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, elsewhere = world.agent("s-1"), world.agent("s-2", cwd="other")
        await writer.put("rule", "The user's rule.", level="user")
        for agent, name in ((writer, "shop"), (elsewhere, "other")):
            await agent.put("case", f"A case of {name}.")
            await agent.put("taken", f"The name is taken in {name}.")
            await linked(agent, "case", "user:rule")
            await linked(agent, "case", "taken")
        before = [led_to(world, key) for key in (SHOP, OTHER)]
        told = await writer.call("kg_rename_node", old_id="rule", new_id="taken", level="user")
        assert told == "Renamed 'rule' to 'taken' (user); 2 edges went with it."
        assert [led_to(world, key) for key in (SHOP, OTHER)] == before
        assert dict(world.service._memory.durable(USER).use_of("taken").inbound) == {"other": 1, "shop": 1}

    live(scenario)


def test_so_it_may_when_the_projects_are_only_on_the_disk(live: Live) -> None:
    async def scenario(world: Any) -> None:
        elsewhere = world.agent("s-2", cwd="other")
        await elsewhere.put("rule", "The user's rule.", level="user")
        await elsewhere.put("case", "A case.")
        await elsewhere.put("taken", "The name is taken.")
        await linked(elsewhere, "case", "user:rule")
        before = led_to(world, OTHER)
        await world.restart()
        writer = world.agent("s-1")
        await writer.call("kg_rename_node", old_id="rule", new_id="taken", level="user")
        await world.service._memory.load(OTHER)
        assert led_to(world, OTHER) == before

    live(scenario)


def test_a_projects_node_may_get_a_name_that_the_user_has_and_touches_no_other_graph(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, elsewhere = world.agent("s-1"), world.agent("s-2", cwd="other")
        await writer.put("rule", "The user's rule.", level="user")
        for agent in (writer, elsewhere):
            await agent.put("case", f"A case in {agent.session}.")
            await linked(agent, "case", "user:rule")
            await agent.put("hub", f"A hub in {agent.session}.")
            await linked(agent, "hub", "case")
        memory = world.service._memory
        before, others = led_to(world, SHOP), (memory.durable(OTHER), memory.durable(USER).nodes)
        await writer.call("kg_rename_node", old_id="case", new_id="rule", level="project")
        assert led_to(world, SHOP) == before
        assert (memory.durable(OTHER), memory.durable(USER).nodes) == others
        assert set(memory.durable(SHOP).nodes) == {"rule", "hub"}
        await writer.call("kg_rename_node", old_id="rule", new_id="case", level="project")
        assert led_to(world, SHOP) == before

    live(scenario)


def test_who_takes_the_former_id_of_a_renamed_lesson_is_not_told_that_it_was_deleted(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        await agent.put("cache-key", "Cache keys include the tenant.")
        await agent.call("kg_rename_node", old_id="cache-key", new_id="cache-key-tenant")
        told = await agent.put("cache-key", "Something else.")
        assert "A node of this id had been deleted or renamed before." in told

    live(scenario)
