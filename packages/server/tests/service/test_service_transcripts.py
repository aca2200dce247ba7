"""Clients whose payloads tell neither what was asked nor that the conversation was compacted: their transcript does."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

KETTLE = "Kettles whistle because steam passes two holes."
QUESTION = "why do kettles whistle when steam passes"


class Writer:
    """An agent and its transcript."""

    def __init__(self, world: Any, session: str = "s-2") -> None:
        self.agent = world.agent(session, harness="written")
        self.file = Path(world.root) / f"{session}.jsonl"
        self.file.write_text("", encoding="utf-8")

    def writes(self, line: str, end: str = "\n") -> None:
        with self.file.open("a", encoding="utf-8") as file:
            file.write(line + end)

    async def step(self) -> str:
        """What comes with the next step of the model."""
        return str(await self.agent.event("Prompt", transcript=str(self.file)))


async def introduced(world: Any) -> Writer:
    """An agent whose memory had nothing to say of kettles when it began."""
    writer = Writer(world)
    await writer.agent.event("Start", transcript=str(writer.file))
    writer.writes("ask 1 hello there")
    assert "kg-memory" in await writer.step()
    return writer


async def remember(world: Any) -> None:
    """A lesson that no news tells of: it is only found."""
    await world.agent("s-1").put("kettle-whistle", KETTLE, level="user")


def test_a_prompt_in_the_transcript_is_recalled_for_once(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("kettle-whistle", KETTLE, level="user")
        for number in range(60):
            await world.agent("s-1").put(f"filler-{number}", f"Filler number {number}. " + "Words. " * 20, level="user")
        writer = await introduced(world)
        writer.writes(f"ask 2 {QUESTION}")

        assert KETTLE in await writer.step()
        assert await writer.step() == ""
        told = await world.service.why_recall("", "s-2", 9)
        assert len(told["decisions"]) == 2

    live(scenario)


def test_a_compaction_in_the_transcript_brings_the_preload_again_once(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await remember(world)
        writer = await introduced(world)
        assert await writer.step() == ""
        writer.writes("cut")

        assert KETTLE in await writer.step()
        assert await writer.step() == ""
        writer.writes("cut")
        assert await writer.agent.event("After", transcript=str(writer.file), tool="Read", tool_kind="read") == ""
        assert KETTLE in await writer.step()

    live(scenario)


def test_a_compaction_that_came_while_no_server_ran_is_seen_and_an_older_one_is_not_counted_again(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await remember(world)
        writer = await introduced(world)
        writer.writes("cut")
        assert KETTLE in await writer.step()
        await world.restart()

        assert await writer.step() == ""
        await world.restart()
        writer.writes("cut")
        assert KETTLE in await writer.step()

    live(scenario)


def test_what_was_compacted_before_a_context_was_known_is_no_news(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await remember(world)
        writer = Writer(world)
        writer.writes("cut\nask 1 hello there")

        assert KETTLE in await writer.step()
        assert await writer.step() == ""

    live(scenario)


def test_a_line_that_is_still_being_written_is_read_when_it_is_whole(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await remember(world)
        writer = await introduced(world)
        writer.writes("cu", end="")
        assert await writer.step() == ""
        writer.writes("t")
        assert KETTLE in await writer.step()

    live(scenario)


def test_a_prompt_and_a_compaction_are_found_in_a_transcript_of_any_size(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await remember(world)
        writer = await introduced(world)
        writer.writes("cut")
        writer.writes("x" * 3_000_000)
        writer.writes("ask 2 hello again")
        assert KETTLE in await writer.step()

    live(scenario)


@pytest.mark.parametrize("strange", ["nowhere", "folder", "fifo", "boom", "nul\0"])
def test_a_transcript_that_cannot_be_read_adds_nothing_and_holds_nobody_up(live: Live, strange: str) -> None:
    async def scenario(world: Any) -> None:
        await remember(world)
        place = Path(world.root) / "strange"
        match strange:
            case "folder":
                place.mkdir()
            case "fifo":
                os.mkfifo(place)
            case "boom":
                place.write_text("boom\n", encoding="utf-8")
            case _:
                place = Path(world.root, strange)
        reader = world.agent("s-2", harness="written")
        await reader.event("Start", transcript=str(place))

        assert KETTLE in await reader.event("Prompt", transcript=str(place))
        assert await reader.event("Prompt", transcript=str(place)) == ""

    live(scenario)


def test_a_transcript_that_became_shorter_is_looked_at_anew(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await remember(world)
        writer = await introduced(world)
        writer.writes("x" * 500)
        await writer.step()
        writer.file.write_text("cut\n", encoding="utf-8")

        assert KETTLE in await writer.step()
        assert await writer.step() == ""

    live(scenario)
