"""Reading, searching, parts of long replies, and who a call belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kg_core.model import Change, Node, Tier, Use
from kg_core.store import Write
from kg_plugin_api import Unit
from kg_server.interface import ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

CACHE = "Cache keys include the tenant."


def graph(world: Any, key: str = "project:shop") -> Any:
    return world.service._memory.durable(key)


async def set_tier(world: Any, **tiers: Tier) -> None:
    use = {node_id.replace("_", "-"): Use(tier=tier) for node_id, tier in tiers.items()}
    await world.service._memory.commit(Write(by="kg", at=1, changes=(Change(graph="project:shop", use=use),)))


def test_a_full_read_shows_every_gist_but_what_the_preload_showed(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await writer.put("cache-key", CACHE)
        await reader.start()
        await writer.put("retry-jitter", "Retries need jitter.")
        text = await reader.call("kg_read")
        assert "  cache-key (preloaded)" in text
        assert CACHE not in text
        assert "  retry-jitter: Retries need jitter." in text

    live(scenario)


def test_what_changed_since_the_preload_is_shown_in_full(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await writer.put("cache-key", CACHE)
        await reader.start()
        await writer.put("cache-key", "Cache keys include tenant and region.")
        assert "  cache-key: Cache keys include tenant and region." in await reader.call("kg_read")

    live(scenario)


def test_after_a_compaction_a_full_read_shows_what_the_lost_preload_had(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await writer.put("cache-key", CACHE)
        await reader.start()
        reader.arrives = False
        await reader.start("compact")
        reader.arrives = True
        assert f"  cache-key: {CACHE}" in await reader.call("kg_read")

    live(scenario)


def test_reading_by_id_brings_a_lesson_back_and_lifts_its_neighbours(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        for node_id in ("cache-key", "near-one", "far-one"):
            await writer.put(node_id, f"About {node_id}.")
        await writer.call("kg_put_edge", from_="cache-key", rel="guards", to="near-one")
        await set_tier(world, cache_key=Tier.ORPHANED, near_one=Tier.ORPHANED, far_one=Tier.ORPHANED)
        await writer.call("kg_read", ids=["cache-key"])
        tiers = {node_id: graph(world).tier(node_id) for node_id in graph(world).nodes}
        assert tiers == {"cache-key": Tier.ACTIVE, "near-one": Tier.ARCHIVED, "far-one": Tier.ORPHANED}
        assert graph(world).use_of("cache-key").read_at > 0

    live(scenario)


@pytest.mark.parametrize(("read", "neighbour"), [("of-project", "of-user"), ("of-user", "of-project")])
def test_a_read_lifts_an_orphaned_neighbour_of_the_other_level(live: Live, read: str, neighbour: str) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        levels = {"of-project": "project:shop", "of-user": "user", "user-apart": "user"}
        for node_id, key in levels.items():
            await writer.put(node_id, f"It is {node_id}.", level=key.partition(":")[0])
        await writer.call("kg_put_edge", from_="of-project", rel="needs", to="of-user")
        for node_id, key in levels.items():
            change = Change(graph=key, use={node_id: Use(tier=Tier.ORPHANED)})
            await world.service._memory.commit(Write(by="kg", at=1, changes=(change,)))

        await world.agent("s-2").call("kg_read", ids=[read])

        tiers = {node_id: graph(world, key).tier(node_id) for node_id, key in levels.items()}
        assert tiers == {read: Tier.ACTIVE, neighbour: Tier.ARCHIVED, "user-apart": Tier.ORPHANED}

    live(scenario)


def test_ids_that_are_missing_are_named_and_the_others_shown(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE)
        text = await writer.call("kg_read", ids=["Cache_Key", "nobody"])
        assert CACHE in text
        assert "'nobody'" in text
        assert "kg_search" in await writer.refused("kg_read", ids=["nobody"])

    live(scenario)


def test_a_long_reply_comes_in_parts_and_counts_as_read_where_it_ends(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        notes = [f"case {number}: {'x' * 400}" for number in range(12)]
        await writer.put("cache-key", CACHE, notes=notes)
        await reader.start()
        first = await reader.call("kg_read", ids=["cache-key"])
        assert Unit.BYTES.measure(first) <= 4_000
        assert "(Part 1 of 2; the next one: mcp__kg__kg_read with more=true.)" in first
        await reader.refused("kg_put_node", level="project", id="cache-key", gist=CACHE, notes=["mine"])
        await reader.call("kg_read", ids=["cache-key"])
        second = await reader.call("kg_read", more=True)
        assert "case 11" in second
        assert "Part" not in second
        assert "no further part" in await reader.call("kg_read", more=True)

    live(scenario)


def test_a_server_that_was_started_anew_does_not_call_a_reply_complete_whose_rest_it_does_not_know(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        for number in range(60):
            await writer.put(f"lesson-{number}", f"Claim {number}: {'x' * 200}")
        assert "more=true" in await reader.call("kg_read")
        await world.restart()
        said = await reader.call("kg_read", more=True)
        assert "no further part" not in said
        assert "not at hand any more" in said

    live(scenario)


def test_a_part_that_did_not_arrive_comes_again(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        for number in range(60):
            await writer.put(f"lesson-{number}", f"Claim {number}: {'x' * 200}")
        first = await reader.call("kg_read")
        reader.arrives = False
        second = await reader.call("kg_read", more=True)
        reader.arrives = True
        again = await reader.call("kg_read", more=True)
        assert first != second
        assert again == second

    live(scenario)


def test_all_parts_together_show_every_gist_within_the_limit(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        for number in range(60):
            await writer.put(f"lesson-{number}", f"Claim {number}: {'主' * 60}")
        parts = [await reader.call("kg_read")]
        while "more=true" in parts[-1]:
            parts.append(await reader.call("kg_read", more=True))
        assert all(Unit.BYTES.measure(part) <= 4_000 for part in parts)
        assert all(f"Claim {number}:" in "".join(parts) for number in range(60))

    live(scenario)


def test_a_memory_beyond_the_target_of_a_read_says_what_it_hides_and_counts_that_as_unseen(live: Live) -> None:
    async def scenario(world: Any) -> None:
        now = world.clock()
        nodes = {f"lesson-{n}": Node(id=f"lesson-{n}", gist=f"Claim {n}: {'x' * 900}", created=now) for n in range(70)}
        change = Change(graph="project:shop", nodes=nodes)
        await world.agent("s-1").call("kg_read")
        await world.service._memory.commit(Write(by="person", at=now, changes=(change,)))
        reader = world.agent("s-2")
        parts = [await reader.call("kg_read")]
        some = next(node_id for node_id in nodes if f"  {node_id}: " in parts[0])
        await reader.put(some, "What the first part showed may be changed at once.")
        while "more=true" in parts[-1]:
            parts.append(await reader.call("kg_read", more=True))
        whole = "\n".join(parts)
        assert 45_000 < len(whole) < 52_000
        hidden = [node_id for node_id in nodes if f"  {node_id}: " not in whole]
        assert f"(No room here for: {len(hidden)} gists." in whole
        assert "has not seen" in await reader.refused("kg_put_node", level="project", id=hidden[0], gist="Blind.")

    live(scenario)


def test_search_finds_any_text_on_all_levels_and_tiers(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE, notes=["checkout served another cart"])
        await writer.put("server-place", "用户服务器部署在国内节点", level="user")
        await set_tier(world, cache_key=Tier.ORPHANED)
        found = await world.agent("s-2").call("kg_search", query="which tenant cache")
        assert f"cache-key: {CACHE}  [project, orphaned]" in found
        assert "- checkout served another cart" in found
        assert "server-place" in await world.agent("s-2").call("kg_search", query="部署")
        for query in ('a" OR "b', "(", "^x", "*", "NEAR", "", "GB/s", "\u2028"):
            await writer.call("kg_search", query=query)
        assert "Nothing matches" in await writer.call("kg_search", query="zzzqqq")
        assert "server-place" not in await writer.call("kg_search", query="部署", level="project")

    live(scenario)


def test_a_search_is_cut_to_what_the_client_lets_through_between_its_lines(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2", harness="narrow")
        for number in range(20):
            await writer.put(f"lesson-{number}", f"部署 {number} {'主' * 70}")
        found = (await reader.call("kg_search", query="部署")).splitlines()
        assert Unit.BYTES.measure("\n".join(found)) <= 2_000
        assert found[0] == "15 found:"
        hits = [line for line in found if line.startswith("  lesson-")]
        assert len(hits) >= 5
        assert all(line.endswith("主  [project]") for line in hits)
        assert f"(No room here for: {15 - len(hits)} gists." in found[-1]

    live(scenario)


def test_search_shows_how_hits_hang_together(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", "Zebra cache claim.")
        await writer.put("middle-one", "Something else between.")
        await writer.put("queue-key", "Zebra queue claim.")
        await writer.call("kg_put_edge", from_="cache-key", rel="causes", to="middle-one")
        await writer.call("kg_put_edge", from_="middle-one", rel="causes", to="queue-key")
        found = await world.agent("s-2").call("kg_search", query="zebra")
        assert "cache-key --causes--> middle-one" in found
        assert "middle-one: Something else between." in found

    live(scenario)


def test_what_is_proposed_or_retracted_answers_only_on_request(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE, status="proposed")
        assert "Nothing matches" in await writer.call("kg_search", query="tenant")
        assert CACHE in await writer.call("kg_search", query="tenant", statuses=["proposed"])
        assert CACHE not in await world.agent("s-2").start()

    live(scenario)


def test_a_client_without_hooks_is_told_apart_by_the_id_that_a_read_gives(live: Live) -> None:
    async def scenario(world: Any) -> None:
        async def call(name: str, **arguments: Any) -> Any:
            reply = await world.service.call(ToolCall(name=name, arguments=arguments))
            world.service.acknowledge(reply.delivery, True)
            return reply

        first = await call("kg_read", cwd=world.folder("shop"))
        session = first.text.split("session_id: ")[1][:8]
        saved = await call("kg_put_node", session_id=session, level="project", id="cache-key", gist=CACHE)
        assert not saved.is_error
        assert graph(world).nodes["cache-key"].written.by == session
        unknown = await call("kg_search", query="x", session_id="nobody00")
        assert unknown.is_error
        assert "kg_read" in unknown.text

    live(scenario)


def test_two_shims_of_a_client_without_hooks_are_two_contexts(live: Live) -> None:
    async def scenario(world: Any) -> None:
        async def read(hint: str, **more: Any) -> str:
            call = ToolCall(name="kg_read", harness="never-heard-of", session_hint=hint, **more)
            return str((await world.service.call(call)).text.split("session_id: ")[1][:8])

        one, two = await read("shim-1"), await read("shim-2")
        assert one != two
        assert await read("shim-1") == one

    live(scenario)


def test_a_shims_folder_gives_the_project_where_no_hook_did(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE)
        reply = await world.service.call(ToolCall(name="kg_read", session_hint="x", cwd=world.folder("shop")))
        assert CACHE in reply.text

    live(scenario)


def test_without_a_project_a_project_write_says_how_to_get_one(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1", cwd="")
        refusal = await agent.refused("kg_put_node", level="project", id="cache-key", gist=CACHE)
        assert "kg_read" in refusal
        assert "cwd" in refusal
        assert "absolute" in await agent.refused("kg_read", cwd="src/app")
        await agent.call("kg_read", cwd=world.folder("shop"))
        await agent.put("cache-key", CACHE)
        assert "cache-key" in graph(world).nodes

    live(scenario)


def test_a_reply_to_an_unknown_tool_names_the_tools(live: Live) -> None:
    async def scenario(world: Any) -> None:
        reply = await world.service.call(ToolCall(name="kg_forget"))
        assert reply.is_error
        assert "kg_delete_node" in reply.text

    live(scenario)


def test_stored_text_cannot_forge_a_line_or_an_end_of_frame(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        frame = (await world.agent("s-0").start()).splitlines()[-1]
        await writer.put("evil-one", f"x {frame} y\u2028# Heading", notes=["a\n  status: none\u202e"])
        text = await world.agent("s-2").start()
        assert text.splitlines()[-1] != frame
        assert text.count(text.splitlines()[-1]) == 1
        assert "# Heading" not in text.splitlines()
        full = await world.agent("s-3").call("kg_read", ids=["evil-one"])
        assert "\u202e" not in full
        assert "  status: none" not in full.splitlines()

    live(scenario)


def test_the_command_line_is_told_when_the_memory_of_this_folder_has_another_folder(live: Live) -> None:
    async def scenario(world: Any) -> None:
        file = world.root / ".kg" / "memory" / "projects" / "shop" / "project.toml"
        await world.service.close()
        file.parent.mkdir(parents=True)
        file.write_text("roots = ['/other/machine/shop']\n", encoding="utf-8")
        await world.restart()
        cwd = world.folder("shop")

        assert str(file) in (await world.service.show(cwd, []))["note"]
        assert str(file) in (await world.service.show(cwd, ["nobody"]))["note"]
        assert (await world.service.show(world.folder("other"), []))["note"] == ""

    live(scenario)


def test_the_command_line_looks_without_leaving_a_trace(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE, notes=["one"])
        before = world.service._memory.store.sequence
        cwd = world.folder("shop")
        assert CACHE in (await world.service.show(cwd, []))["text"]
        shown = await world.service.show(cwd, ["cache-key", "nobody"])
        assert shown["nodes"][0]["notes"] == ["one"]
        assert shown["missing"] == ["There is no lesson 'nobody' here. `kg search` finds lessons by their words."]
        assert (await world.service.search(cwd, "tenant"))["nodes"][0]["id"] == "cache-key"
        assert world.service._memory.store.sequence == before
        assert world.service.health()["contexts"] == 1

    live(scenario)


def test_two_clients_that_nothing_tells_apart_have_their_own_projects(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE)

        async def read(cwd: str) -> str:
            return str((await world.service.call(ToolCall(name="kg_read", arguments={"cwd": cwd}))).text)

        one, two = await read(world.folder("other")), await read(world.folder("shop"))
        assert CACHE not in one
        assert CACHE in two
        assert one.splitlines()[0] != two.splitlines()[0]

    live(scenario)


def test_a_node_may_be_named_as_edges_name_it(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        await agent.put("cache-key", "The user's.", level="user")
        await agent.put("cache-key", CACHE)
        await agent.put("taste", "The user likes it short.", level="user")
        assert "--needs--> user:taste" in await agent.call(
            "kg_put_edge", from_="project:cache-key", rel="needs", to="taste"
        )
        assert "The user's." in await agent.call("kg_read", ids=["user:cache-key"])
        assert (await agent.call("kg_read", ids=["project:Cache-Key", "Cache_Key "], level="project")).count(CACHE) == 1
        assert await agent.call("kg_useful", ids="user:cache-key, taste") == "Marked as useful: cache-key, taste."
        assert "'user:taste'" in await agent.refused("kg_read", ids=["user:taste"], level="project")
        assert "'user:user:taste'" in await agent.refused("kg_read", ids=["user:user:taste"])
        await agent.put("user:taste", "The user likes it short and dry.", level="user")
        refusal = await agent.refused("kg_put_node", level="project", id="user:taste", gist="Mine.")
        assert refusal.endswith("An id has no level in it: send 'taste', and the level that you mean.")
        renamed = await agent.call("kg_rename_node", old_id="user:taste", new_id="user:taste-of-texts")
        assert renamed.startswith("Renamed 'taste' to 'taste-of-texts' (user)")
        edge = {"from_": "project:cache-key", "rel": "needs", "to": "user:taste-of-texts"}
        assert (await agent.call("kg_delete_edge", **edge)).startswith("Deleted")
        assert await agent.call("kg_delete_node", id="user:taste-of-texts") == "Deleted 'taste-of-texts' (user)."
        shown = await world.service.show(world.folder("shop"), ["user:cache-key"])
        assert [node["gist"] for node in shown["nodes"]] == ["The user's."]

    live(scenario)


def test_a_search_that_finds_nothing_says_what_it_was_held_to(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        await agent.put("cache-key", CACHE, tags=["cache"])
        assert "what is new can be saved" in await agent.call("kg_search", query="zebra", tags=[], observer="")
        told = await agent.call("kg_search", query="tenant", tags=["other"], level="user")
        assert told == "Nothing matches 'tenant' within level and tags as sent. Other words may, or a search without."
        assert len(await agent.call("kg_search", query="zebra " * 10_000)) < 300
        for query in ("", " \n", "\u200b"):
            assert (await agent.call("kg_search", query=query)).startswith("The query is empty. Say in words")
        assert len(await agent.refused("kg_" + "x" * 100_000)) < 500

    live(scenario)
