"""All active memory at the start of a session, for those who want it and where a client lets it through in parts."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_core.render import Block, Mark, MarkKind, Rank
from kg_plugin_api import Limit, StartSource, Unit
from kg_server.contexts import ContextKey
from kg_server.delivery.parts import Parts, fit_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

COUNT = 50
KEY = ContextKey("parted", "s-1")
SHOWN = re.compile(r"^  (lesson-\d+): ", re.MULTILINE)


async def filled(world: Any, count: int = COUNT) -> list[str]:
    """More active lessons than one part can hold; their ids."""
    writer = world.agent("writer")
    for number in range(count):
        level = "user" if number % 2 else "project"
        await writer.put(f"lesson-{number}", f"Lesson {number} says in so many words what it is good for. " * 4, level)
    return [f"lesson-{number}" for number in range(count)]


async def started(agent: Any, source: str = "startup") -> list[str]:
    """The texts of all hooks of a start, which run beside each other."""
    return list(await asyncio.gather(agent.start(source), *(agent.part(number, source) for number in (2, 3, 4))))


def test_a_session_is_given_every_active_lesson_once_and_each_part_keeps_the_limit(live: Live) -> None:
    async def scenario(world: Any) -> None:
        lessons = await filled(world)
        await world.restart(whole=True)

        texts = await started(world.agent("s-1", harness="parted"))

        assert sorted(SHOWN.findall("\n".join(texts))) == sorted(lessons)
        assert all(Unit.UTF16.measure(text) <= 9_500 for text in texts)
        assert len(SHOWN.findall(texts[0])) < COUNT
        for number, text in enumerate(texts[1:], start=2):
            frame, *lines, _ = text.splitlines() or ["", ""]
            assert not text or frame.startswith("<kg-memory ")
            assert not text or lines[0].startswith(f"(Part {number} of ")
            assert not text or lines[1].endswith("memory:") or lines[1].startswith("Project memory")

    live(scenario)


def test_what_the_parts_brought_is_in_front_of_the_model(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await filled(world)
        await world.restart(whole=True)
        agent = world.agent("s-1", harness="parted")
        await started(agent)

        assert await started(agent, "resume") == ["", "", "", ""]
        read = await agent.call("kg_read")
        assert "(preloaded)" in read
        assert not SHOWN.findall(read)

    live(scenario)


def test_after_a_compaction_all_of_it_comes_again(live: Live) -> None:
    async def scenario(world: Any) -> None:
        lessons = await filled(world)
        await world.restart(whole=True)
        agent = world.agent("s-1", harness="parted")
        await started(agent)
        world.clock.advance(60_000)

        again = await started(agent, "compact")

        assert sorted(SHOWN.findall("\n".join(again))) == sorted(lessons)

    live(scenario)


def test_a_subagent_that_was_compacted_has_parts_of_its_own(live: Live) -> None:
    async def scenario(world: Any) -> None:
        lessons = await filled(world)
        await world.restart(whole=True)
        main, inside = (world.agent("s-1", harness="parted", agent=name) for name in ("", "a-1"))

        texts = await asyncio.gather(started(main), started(inside, "compact"))

        for each in texts:
            assert sorted(SHOWN.findall("\n".join(each))) == sorted(lessons)

    live(scenario)


def test_a_small_memory_comes_in_the_first_part_and_the_others_are_silent(live: Live) -> None:
    async def scenario(world: Any) -> None:
        lessons = await filled(world, 3)
        await world.restart(whole=True)

        first, *others = await started(world.agent("s-1", harness="parted"))

        assert sorted(SHOWN.findall(first)) == lessons
        assert others == ["", "", ""]

    live(scenario)


@pytest.mark.parametrize("harness", ["parted", "hooked"])
def test_unless_a_person_asks_for_it_a_session_starts_with_the_core(live: Live, harness: str) -> None:
    async def scenario(world: Any) -> None:
        await filled(world)

        first, *others = await started(world.agent("s-1", harness=harness))

        assert 0 < len(SHOWN.findall(first)) < COUNT
        assert others == ["", "", ""]

    live(scenario)


def test_a_hook_that_is_registered_twice_brings_no_part_a_second_time(live: Live) -> None:
    async def scenario(world: Any) -> None:
        lessons = await filled(world)
        await world.restart(whole=True)
        world.step = 10
        agent = world.agent("s-1", harness="parted")

        texts = [*await started(agent), *await started(agent)]

        assert sorted(SHOWN.findall("\n".join(texts))) == sorted(lessons)

    live(scenario)


def test_a_preview_shows_all_parts_and_the_room_of_all(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await filled(world)
        await world.restart(whole=True)
        agent = world.agent("s-1", harness="parted")

        preview = await world.service.preview("parted", agent.cwd)

        assert preview.text == "\n".join(filter(None, await started(agent)))
        assert preview.limit == 4 * 9_500

    live(scenario)


def test_a_part_without_its_first_one_is_not_waited_for_long() -> None:
    async def alone() -> None:
        parts = Parts()
        assert await parts.take(KEY, 2, StartSource.STARTUP, 0, patience=0.01) is None
        parts.begin(KEY, "context", StartSource.STARTUP, (), 0)
        assert await parts.take(KEY, 2, StartSource.STARTUP, 0, patience=60) is None

    asyncio.run(alone())


def test_a_session_that_starts_again_at_once_is_given_all_of_that_start_and_nothing_of_the_earlier(live: Live) -> None:
    async def scenario(world: Any) -> None:
        lessons = await filled(world)
        await world.restart(whole=True)
        agent = world.agent("s-1", harness="parted")
        await agent.start()
        await agent.part(2)
        world.clock.advance(3_000)

        texts = await asyncio.gather(*(agent.part(at, "compact") for at in (2, 3, 4)), agent.start("compact"))

        assert sorted(SHOWN.findall("\n".join(texts))) == sorted(lessons)

    live(scenario)


@pytest.mark.parametrize(("sizes", "most"), [((350, 575), 2), ((170, 383, 1_108), 3)])
def test_what_finds_no_room_in_the_parts_is_told(sizes: tuple[int, ...], most: int) -> None:
    limit = Limit(600, Unit.UTF16)
    blocks = [Block(text=f"  n{at}: {'x' * size}", rank=Rank.GIST, value=at) for at, size in enumerate(sizes)]

    first, more = fit_parts([Block(text="Memory:", heads=True), *blocks], limit, most)

    texts = [first.text, *(page.text for page in more)]
    assert sum("(No room here for: " in text for text in texts) == 1
    assert len(texts) <= most
    assert all(limit.holds(text) for text in texts)


LINES = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Zl", "Zp")), max_size=300)


@given(st.lists(LINES, min_size=1, max_size=60), st.integers(1, 5), st.sampled_from(Unit))
def test_parts_are_within_their_limit_and_few_and_say_nothing_twice(lines: list[str], most: int, unit: Unit) -> None:
    limit = Limit(1_500, unit)
    blocks = [Block(text="Memory:", heads=True)] + [
        Block(text=f"  n{at}: {line}", rank=Rank.GIST, value=at, marks=(Mark(MarkKind.SEEN, "user", f"n{at}"),))
        for at, line in enumerate(lines)
    ]

    first, more = fit_parts(blocks, limit, most)

    assert len(more) < most
    texts = [first.text, *(page.text for page in more)]
    assert all(limit.holds(text) for text in texts)
    marks = [mark.id for marks in (first.marks, *(page.marks for page in more)) for mark in marks]
    assert len(marks) == len(set(marks))
    assert all(any(f"  {name}: " in text for text in texts) for name in marks)
    assert len(marks) == len(lines) or any("(No room here for: " in text for text in texts)


@given(st.lists(LINES, min_size=1, max_size=10), st.integers(0, 90), st.integers(1, 5))
def test_where_a_part_has_no_room_for_its_number_there_is_one_text(lines: list[str], maximum: int, most: int) -> None:
    limit = Limit(maximum, Unit.UTF16)

    first, more = fit_parts([Block(text=line) for line in lines], limit, most)

    assert len(more) < most
    assert all(limit.holds(text) for text in (first.text, *(page.text for page in more)))
