"""In folders that a person names, agents have no memory; everywhere else nothing is different."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

CACHE = "Cache keys include the tenant; without it rows leak across tenants."


async def told_everywhere(agent: Any) -> str:
    """All that a session is told by itself: as it starts, with a prompt, and after a tool."""
    return "".join(
        [await agent.start(), await agent.prompt("Do cache keys include the tenant?"), await agent.after_tool()]
    )


def test_a_session_in_such_a_folder_is_told_nothing_and_its_tools_say_why_and_do_nothing(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE)
        await world.restart(off=(world.folder("shop"),))
        agent = world.agent("s-2")

        assert await told_everywhere(agent) == ""
        for tool, arguments in (
            ("kg_read", {}),
            ("kg_search", {"query": "cache"}),
            ("kg_put_node", {"level": "user", "id": "new", "gist": "A new one."}),
        ):
            said = await agent.refused(tool, **arguments)
            assert (
                said == "The user has turned memory off in this folder, so nothing was read or saved. Go on without it."
            )
        assert "new" not in world.service._memory.durable("user").nodes

    live(scenario)


@pytest.mark.parametrize("spelt", ["as it is", "through a link", "with all below it"])
def test_it_is_that_folder_by_whatever_name(live: Live, spelt: str) -> None:
    async def scenario(world: Any) -> None:
        folder = Path(world.folder("shop"))
        link = world.root / "link"
        link.symlink_to(folder)
        await world.restart(off=(str(link if spelt == "through a link" else folder),))
        agent = world.agent("s-1")
        if spelt == "with all below it":
            agent.cwd = str(folder / "src" / "deep")

        assert await told_everywhere(agent) == ""

    live(scenario)


def test_a_link_in_there_that_leads_out_lies_there_too(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1", cwd="shop-2").put("cache-key", CACHE)
        link = Path(world.folder("shop")) / "link"
        link.symlink_to(world.folder("shop-2"))
        await world.restart(off=(world.folder("shop"),))
        agent = world.agent("s-2")
        agent.cwd = str(link)

        assert await told_everywhere(agent) == ""
        assert "turned memory off" in await agent.refused("kg_read")
        assert CACHE in await world.agent("s-3", cwd="shop-2").start()

    live(scenario)


@pytest.mark.parametrize("goes_to", ["shop-2", ""])
def test_a_session_that_began_there_has_no_memory_wherever_it_goes(live: Live, goes_to: str) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1", cwd="shop-2").put("cache-key", CACHE, level="user")
        await world.restart(off=(world.folder("shop"),))
        agent = world.agent("s-2")
        helper = world.agent("s-2", agent="helper")
        assert await agent.start() == ""

        agent.cwd = helper.cwd = world.folder(goes_to) if goes_to else ""

        assert await told_everywhere(agent) + await helper.event("AgentStart") == ""
        assert "turned memory off" in await agent.refused("kg_put_node", level="user", id="new", gist="A new one.")

    live(scenario)


def test_one_that_began_there_outside_of_all_projects_gets_none_that_it_goes_to(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE)
        notes = world.root / "notes"
        notes.mkdir()
        monkeypatch.setenv("TMPDIR", str(notes))  # a folder for temporary files is no project
        await world.restart(off=(str(notes),))
        agent = world.agent("s-2")
        agent.cwd = str(notes)
        assert await agent.start() == ""

        agent.cwd = world.folder("shop")

        assert await agent.after_tool() + await told_everywhere(agent) == ""
        for named in ({}, {"cwd": agent.cwd}):
            assert "turned memory off" in await agent.refused("kg_read", **named)

    live(scenario)


@pytest.mark.parametrize("odd", ["/a\0b", "loop"])
def test_an_entry_that_makes_no_sense_takes_none_of_the_others_away(live: Live, odd: str) -> None:
    async def scenario(world: Any) -> None:
        (world.root / "loop").symlink_to(world.root / "loop")
        await world.restart(off=(str(world.root / "loop") if odd == "loop" else odd, world.folder("shop")))

        assert await told_everywhere(world.agent("s-1")) == ""

    live(scenario)


def test_elsewhere_nothing_is_different_and_a_session_that_comes_from_there_goes_on(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1", cwd="shop-2").put("cache-key", CACHE)
        await world.restart(off=(world.folder("shop"), "~/nowhere"))
        agent = world.agent("s-2", cwd="shop-2")

        assert CACHE in await agent.start()
        agent.cwd = world.folder("shop")
        assert await agent.prompt("Do cache keys include the tenant?") + await agent.after_tool() == ""
        agent.cwd = world.folder("shop-2")
        assert CACHE in await agent.start("compact")
        await agent.put("another", "Another one.")
        assert "another" in world.service._memory.durable("project:shop-2").nodes

    live(scenario)


def test_a_person_sees_the_memory_there_all_the_same_and_is_told_that_it_is_off(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE)
        await world.restart(off=(world.folder("shop"),))
        note = f"Memory is off for agents in {world.folder('shop')}, as `off` in `[projects]` of config.toml says."

        shown = await world.service.show(world.folder("shop"), ())
        with pytest.raises(KgError) as caught:
            await world.service.preview("hooked", world.folder("shop"))

        assert CACHE in shown["text"]
        assert shown["note"] == note
        assert (caught.value.code, caught.value.sentence) == (Code.REFUSED, note)
        assert (await world.service.show(world.folder("other"), ()))["note"] == ""

    live(scenario)
