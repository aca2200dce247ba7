"""What prompts bring to mind in a session that knows some of it already, and how that is accounted for."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    Live = Callable[[Callable[[Any], Any]], None]

OLD = "The gateway answers ssh on port 22 behind the walrus bastion."
SHORT = "Remote shells go to 49222 now."
NEW = SHORT + " " + "Nothing else of theirs has moved. " * 20


async def fill(writer: Any) -> None:
    """So many others that a preload leaves out what was written before."""
    for number in range(40):
        await writer.put(
            f"filler-note-{number}", f"Filler {number}. {'It says a lot about nothing in particular. ' * 20}"
        )


def test_a_correction_that_the_old_words_brought_up_is_not_repeated(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2", harness="narrow")
        await writer.put("walrus-ssh-old", OLD)
        await writer.put("shell-port-new", NEW.strip())
        await writer.call("kg_put_edge", level="project", from_="shell-port-new", to="walrus-ssh-old", rel="supersedes")
        await fill(writer)
        assert SHORT not in await reader.start()
        assert SHORT in await reader.prompt("ssh behind the walrus bastion of the gateway")
        assert SHORT not in await reader.prompt("again: ssh behind the walrus bastion of the gateway")

    live(scenario)


MAP = """
[[component]]
slug = "auth"
name = "Auth"
paths = ["src/**"]

[[constraint]]
component = "auth"
severity = "must"
title = "Never log a token"
statement = "Tokens never reach a log."
"""
ZEBRA = "The zebra quota resets at midnight UTC."


async def last(world: Any, session: str = "s-2", cwd: str = "", most: int = 1) -> dict[str, Any]:
    """The newest decision on a prompt."""
    told = await world.service.why_recall(cwd, session, most)
    decision: dict[str, Any] = told["decisions"][0]
    return decision | {"text": told["text"]}


@pytest.mark.parametrize(
    ("prompt", "fields", "reason"),
    [
        ("What about the zebra quota?", {"machine": True}, "machine"),
        ("ok, go on please", {}, "no_terms"),
        ("", {}, "no_terms"),
        ("/tmp/one/two.png\n/tmp/three.py", {}, "no_terms"),
        ("walrus tusks", {}, "nothing_found"),
        ("does the quota of the printer in the east wing reset when paper is refilled", {}, "weak"),
        ("What about the zebra quota?", {}, "in_view"),
    ],
)
def test_a_silent_prompt_is_accounted_for(live: Live, prompt: str, fields: dict[str, Any], reason: str) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("zebra-quota", ZEBRA)
        reader = world.agent("s-2")
        await reader.start()
        assert await reader.prompt(prompt, **fields) == ""
        found = await last(world)
        assert (found["outcome"], found["reason"], found["arrival"]) == ("silent", reason, "nothing")
        assert "Silent: " in found["text"]

    live(scenario)


@pytest.mark.parametrize(
    "prompt",
    [
        'a" OR "b',
        "(zebra",
        "^x",
        "zebra*",
        "NEAR zebra",
        "-zebra",
        "AND NOT",
        "x\x00y",
        "\ud800",
        "'; --",
        "z" * 2_000_000,
    ],
    ids=range(11),
)
def test_operators_and_oddities_in_a_prompt_are_words_or_nothing(live: Live, prompt: str) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("zebra-quota", ZEBRA)
        reader = world.agent("s-2")
        await reader.start()
        assert await reader.prompt(prompt) == ""
        found = await last(world)
        assert found["reason"] in {"no_terms", "nothing_found", "weak", "in_view"}
        assert bool(found["candidates"]) == ("zebra" in prompt)

    live(scenario)


def test_a_prompt_of_a_subagent_is_accounted_for(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("zebra-quota", ZEBRA)
        child = world.agent("s-2", agent="a-1")
        await child.event("AgentStart")
        assert await child.prompt("What about the zebra quota?") == ""
        found = await last(world)
        assert (found["reason"], found["agent"]) == ("subagent", "a-1")

    live(scenario)


def test_what_is_superseded_proposed_or_retracted_is_named_as_that(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await writer.put("zebra-quota", ZEBRA, status="retracted")
        await reader.start()
        assert await reader.prompt("What about the zebra quota?") == ""
        found = await last(world)
        assert found["reason"] == "not_current"
        assert [(each["id"], each["reason"]) for each in found["candidates"]] == [("zebra-quota", "not_current")]

    live(scenario)


def test_a_memory_that_is_still_being_indexed_is_named_as_the_reason(live: Live) -> None:
    async def scenario(world: Any) -> None:
        reader = world.agent("s-2")
        await reader.start()
        indexing = asyncio.create_task(asyncio.sleep(3_600))
        world.service._memory._indexing["project:shop"] = {indexing}
        assert await reader.prompt("walrus tusks") == ""
        found = await last(world)
        assert (found["reason"], found["degraded"]) == ("degraded", True)
        assert "could not be searched" in found["text"]
        indexing.cancel()

    live(scenario)


def test_files_and_rules_are_accounted_for_too(live: Live) -> None:
    async def scenario(world: Any) -> None:
        reader = world.agent("s-2")
        folder = Path(reader.cwd)
        (folder / ".kg").mkdir()
        (folder / ".kg" / "map.toml").write_text(MAP, encoding="utf-8")
        (folder / "src").mkdir()
        for name in ("token.py", "other.py"):
            (folder / "src" / name).write_text("", encoding="utf-8")
        await reader.start()
        await world.agent("s-1").put("token-clock", "Tokens allow a skew of 90 s.", touches=["src/token.py"])
        text = await reader.event("After", tool="Read", tool_kind="read", tool_use="u-1", paths=["src/token.py"])
        assert "skew" in text
        await reader.event("After", tool="Read", tool_kind="read", tool_use="u-2", paths=["src/other.py"])
        told = await world.service.why_recall("", "s-2", 2)
        found = {(each["source"], each["about"]): each for each in told["decisions"]}
        shown = found["file", "src/token.py"]
        assert (shown["outcome"], shown["arrival"]) == ("injected", "arrived")
        assert [(each["id"], each["how"]) for each in shown["candidates"]] == [("token-clock", "exact")]
        assert found["file", "src/other.py"]["reason"] == "nothing_found"
        assert found["rules", "src/token.py"]["candidates"][0]["id"] == "auth"
        assert found["rules", "src/other.py"]["reason"] == "in_view"
        assert "1 lesson came with it. It arrived." in told["text"]
        assert "Rules of auth came with it. It arrived." in told["text"]
        assert "Silent: no lesson points at it." in told["text"]

    live(scenario)


def test_what_came_up_is_accounted_for_with_its_evidence_and_arrival(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2", harness="narrow")
        await writer.put("zebra-quota", f"{ZEBRA} {'That is all there is to it. ' * 25}".strip())
        await fill(writer)
        await reader.start()
        for arrives, arrival in ((False, "lost"), (True, "arrived")):
            reader.arrives = arrives
            assert ZEBRA in await reader.prompt(f"What about the zebra quota? ({arrival})")
            found = await last(world)
            (shown,) = [each for each in found["candidates"] if each["reason"] == "shown"]
            assert (found["outcome"], found["arrival"], shown["id"]) == ("injected", arrival, "zebra-quota")
            assert shown["strength"] >= found["threshold"] > 0
        assert "1 lesson came with it. It arrived." in found["text"]

    live(scenario)


def test_a_text_that_waits_for_another_event_is_named_as_queued(live: Live) -> None:
    async def scenario(world: Any) -> None:
        reader = world.agent("s-2", harness="queued")
        await reader.start()
        await reader.prompt("hello")
        await world.agent("s-1").put("zebra-quota", ZEBRA)
        await reader.prompt("What about the zebra quota?")
        found = await last(world)
        assert (found["outcome"], found["arrival"]) == ("injected", "queued")

    live(scenario)


def test_what_the_limit_leaves_no_room_for_is_said(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2", harness="narrow")
        for number in range(4):
            words = f"Zebra quota number {number} resets at midnight. {'It matters a lot to all of us here. ' * 24}"
            await writer.put(f"zebra-quota-{number}", words.strip())
        await fill(writer)
        await reader.start()
        await reader.prompt("When do the zebra quota numbers reset?")
        found = await last(world)
        assert {each["reason"] for each in found["candidates"]} == {"shown", "no_room"}

    live(scenario)


def test_no_word_of_a_prompt_or_a_lesson_is_in_the_log(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("zebra-quota", ZEBRA)
        reader = world.agent("s-2")
        await reader.start()
        await reader.prompt("Wherefore does the zebra quota misbehave at the Antwerp terminal?")
        await world.service.why_recall("", "s-2", 1)
        written = (world.root / ".kg" / "state" / "recall.jsonl").read_text(encoding="utf-8")
        assert "zebra-quota" in written
        for word in ("Wherefore", "misbehave", "Antwerp", "midnight", "resets"):
            assert word not in written

    live(scenario)


def test_without_a_session_the_project_of_the_folder_is_told_of(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("zebra-quota", ZEBRA)
        shop, other = world.agent("s-2"), world.agent("s-3", cwd="other")
        for reader in (shop, other):
            await reader.start()
            await reader.prompt("walrus tusks")
        assert (await last(world, "", shop.cwd))["session"] == "s-2"
        assert (await last(world, "", other.cwd))["session"] == "s-3"
        nothing = await world.service.why_recall(world.folder("third"), "", 1)
        assert nothing["decisions"] == []
        assert "Nothing has been decided here yet" in nothing["text"]

    live(scenario)


def test_a_restart_keeps_the_log(live: Live) -> None:
    async def scenario(world: Any) -> None:
        reader = world.agent("s-2")
        await reader.start()
        await reader.prompt("walrus tusks")
        await world.restart()
        assert (await last(world))["reason"] == "nothing_found"

    live(scenario)


def test_a_log_that_cannot_be_written_changes_no_reply(live: Live) -> None:
    async def scenario(world: Any) -> None:
        (world.root / ".kg" / "state" / "recall.jsonl").mkdir()
        writer, reader = world.agent("s-1"), world.agent("s-2", harness="narrow")
        await writer.put("zebra-quota", f"{ZEBRA} {'That is all there is to it. ' * 25}".strip())
        await fill(writer)
        await reader.start()
        assert ZEBRA in await reader.prompt("What about the zebra quota?")
        assert (await world.service.why_recall("", "s-2", 1))["decisions"] == []

    live(scenario)
