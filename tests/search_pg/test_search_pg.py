"""The memory over its own Postgres, which is killed and frozen: no answer is lost, and it comes back by itself."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from kg_core.host import Plugins
from kg_core.model import USER, Change, Node
from kg_core.store import Home, Settings, Write
from kg_plugin_api import SearchRequest
from kg_server.memory import Memory
from kg_server.searching import State

from .private import dsn, processes, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

pytestmark = pytest.mark.slow


@contextlib.asynccontextmanager
async def opened(home: Path) -> AsyncIterator[Memory]:
    settings = Settings.model_validate({"search": {"backend": "pg", "options": {"embedder": "none"}}})
    memory = await Memory.open(Home(home), clock=lambda: 1, settings=settings, plugins=Plugins.load())
    try:
        await until(answering(memory))
        yield memory
    finally:
        await memory.close()


def answering(memory: Memory) -> Callable[[], bool]:
    follower = memory.follower
    assert follower is not None
    return lambda: follower.state is State.ANSWERING and not follower.behind


async def save(memory: Memory, node_id: str, gist: str) -> None:
    change = Change(graph=USER, nodes={node_id: Node(id=node_id, gist=gist)})
    await memory.commit(Write(by="test", at=1, changes=(change,)))


async def found(memory: Memory, text: str, **more: Any) -> tuple[list[str], bool]:
    """The ids, and whether Postgres found them."""
    hits = (await memory.search(SearchRequest(text=text, graphs=(USER,), **more))).hits
    return [hit.id for hit in hits], all(hit.ranks for hit in hits)


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGSTOP])
def test_a_blow_to_postgres_loses_no_answer_and_is_mended_without_a_person(
    tmp_path: Path, blow: signal.Signals
) -> None:
    async def main() -> None:
        async with opened(tmp_path) as memory:
            await save(memory, "harbour", "The harbour closes at nine.")
            await until(answering(memory))
            assert await found(memory, "harbour") == (["harbour"], True)

            for pid in processes(tmp_path):
                os.kill(pid, blow)
            for _ in range(5):
                assert (await found(memory, "harbour", budget=0.05))[0] == ["harbour"]
            await save(memory, "kettle", "The kettle boils.")
            assert (await found(memory, "kettle", budget=0.05))[0] == ["kettle"]

            await until(lambda: memory.problems() != ())
            await until(lambda: memory.problems() == () and answering(memory)())
            assert await found(memory, "kettle", budget=30.0) == (["kettle"], True)

    asyncio.run(main())


def test_a_prompt_that_postgres_keeps_waiting_is_answered_by_the_built_in_index(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path) as memory:
            await save(memory, "harbour", "The harbour closes at nine.")
            await until(answering(memory))
            async with await psycopg.AsyncConnection.connect(dsn(tmp_path)) as other:
                await other.execute("lock table kg.chunk in access exclusive mode")

                assert await found(memory, "harbour", budget=0.05) == (["harbour"], False)

                await other.rollback()
            assert await found(memory, "harbour", budget=30.0) == (["harbour"], True)
            assert memory.problems() == ()

    asyncio.run(main())


def test_a_postgres_that_was_emptied_is_filled_again(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path) as memory:
            await save(memory, "harbour", "The harbour closes at nine.")
            await until(answering(memory))
            async with await psycopg.AsyncConnection.connect(dsn(tmp_path), autocommit=True) as connection:
                await connection.execute("drop schema kg cascade")

            assert (await found(memory, "harbour"))[0] == ["harbour"]
            await until(lambda: memory.problems() == () and answering(memory)())
            assert await found(memory, "harbour", budget=30.0) == (["harbour"], True)

    asyncio.run(main())


def test_a_full_disk_loses_no_answer_and_is_mended_once_there_is_room(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "pg"
    folder.mkdir(parents=True, mode=0o700)
    mount = ["mount", "-t", "tmpfs", "-o", "size=160m,mode=700", "tmpfs", str(folder)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk can only be made by root")

    async def main() -> None:
        async with opened(tmp_path) as memory:
            await save(memory, "harbour", "The harbour closes at nine.")
            await until(answering(memory))
            filler = folder / "filler"
            with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(4_096))
            for number in range(200):
                await save(memory, f"kettle-{number}", f"The kettle {number} boils. " + "It is hot. " * 400)
            await until(lambda: memory.problems() != ())
            assert (await found(memory, "harbour", budget=0.05))[0] == ["harbour"]
            assert "No space left" in memory.problems()[0].sentence

            filler.unlink()

            await until(lambda: memory.problems() == () and answering(memory)())
            assert await found(memory, "boils 117", budget=30.0, limit=1) == (["kettle-117"], True)

    try:
        asyncio.run(main())
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_postgres_ends_with_the_memory(tmp_path: Path) -> None:
    async def main() -> list[int]:
        async with opened(tmp_path):
            return processes(tmp_path)

    left = asyncio.run(main())

    for pid in left:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_two_commands_on_a_bare_machine_give_search_by_meaning_over_a_memory_that_is_there(
    fresh: Callable[..., Path], tmp_path: Path, run: Callable[..., str]
) -> None:
    binaries = fresh("kg-search-pg[embedded,local]")
    environ = {"HOME": str(tmp_path), "KG_HOME": str(tmp_path / "memory"), "PATH": os.defpath, "LANG": "C.UTF-8"}
    lessons = {
        "payment-retries": "The payment worker stops trying again after five attempts.",
        "tea-kettle": "Tea is best made with boiling water.",
    }
    entities = [
        {"type": "entity", "name": name, "entityType": "lesson", "observations": [said]}
        for name, said in lessons.items()
    ]
    (tmp_path / "old.jsonl").write_text("\n".join(map(json.dumps, entities)), encoding="utf-8")

    def kg(*arguments: str) -> str:
        return run([str(binaries / "kg"), *arguments, "--cwd", str(tmp_path)], environ)

    try:
        run([str(binaries / "kg"), "start"], environ)
        kg("import", str(tmp_path / "old.jsonl"), "--level", "user")
        run([str(binaries / "kg"), "setup", "--search", "pg", "--yes"], environ)
        status = json.loads(run([str(binaries / "kg"), "pg", "status", "--json"], environ))
        found = kg("search", "combien de fois le paiement est-il relancé")
    finally:
        run([str(binaries / "kg"), "stop"], environ)

    assert status["rows"] >= 2
    assert (status["lag"], status["model"]) == (0, "multilingual-e5-small-q4+all-MiniLM-L6-v2-int8")
    assert "payment-retries" in found
