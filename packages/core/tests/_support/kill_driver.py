"""A process that writes memory until it is killed: run as ``python kill_driver.py HOME ROUND``.

Eight tasks write; each tells the parent on standard output what it is about to write (``try``) and what was
acknowledged (``told``), and a ninth what readers were shown (``shown``), in one unbuffered line each.
``KG_TEST_KILL=append:7`` makes the process kill itself at the seventh operation of that kind: in the middle of an
append, before a sync, before or after a rename, in the middle of writing a new file.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from kg_core.model import Change, Node
from kg_core.store import Home, OsFiles, Store, Write, now_ms

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kg_core.store.files import Appending, Identity

WRITERS = 8


class KillingFiles(OsFiles):
    """The real disk, with a moment at which this process dies."""

    kind, _, _number = os.environ.get("KG_TEST_KILL", ":0").partition(":")
    left = int(_number)

    @classmethod
    def reach(cls, kind: str) -> bool:
        if kind == cls.kind:
            KillingFiles.left -= 1
        return kind == cls.kind and cls.left == 0

    @classmethod
    def die_at(cls, kind: str) -> None:
        if cls.reach(kind):
            os.kill(os.getpid(), signal.SIGKILL)

    def write(self, path: Path, chunks: Iterable[bytes]) -> Identity:
        if self.reach("file"):
            data = b"".join(chunks)
            path.write_bytes(data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return super().write(path, chunks)

    def rename(self, source: Path, target: Path) -> None:
        self.die_at("before-rename")
        super().rename(source, target)
        self.die_at("after-rename")

    def open_append(self, path: Path) -> Appending:
        return KillingAppending(super().open_append(path))


class KillingAppending:
    """A journal's handle with the same moment."""

    def __init__(self, inner: Appending) -> None:
        self._inner = inner
        self.truncate, self.close, self.is_at = inner.truncate, inner.close, inner.is_at

    def append(self, data: bytes) -> None:
        if KillingFiles.reach("append"):
            self._inner.append(data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        self._inner.append(data)

    def sync(self) -> None:
        KillingFiles.die_at("sync")
        self._inner.sync()


def say(word: str, key: str, node_id: str, gist: str) -> None:
    os.write(1, f"{word} {key} {node_id} {gist}\n".encode())


async def writer(store: Store, number: int, start: str) -> None:
    key = ("user", "project:app")[number % 2]
    for count in range(100_000):
        for node_id, gist in ((f"w{number}-{start}-{count}", "new"), (f"counter-{number}", f"{start}.{count:06d}")):
            say("try", key, node_id, gist)
            node = Node(id=node_id, gist=gist, created=now_ms())
            await store.commit(Write(by=str(number), at=now_ms(), changes=(Change(graph=key, nodes={node_id: node}),)))
            say("told", key, node_id, gist)


async def reader(store: Store) -> None:
    shown: set[tuple[str, str]] = set()
    while True:
        for key in ("user", "project:app"):
            for node in tuple(store.durable(key).nodes.values()):
                if node.id.startswith("w") and (key, node.id) not in shown:
                    shown.add((key, node.id))
                    say("shown", key, node.id, node.gist)
        await asyncio.sleep(0.002)


async def snapshots(store: Store) -> None:
    while True:
        await asyncio.sleep(0.005)
        await store.snapshot()


async def main() -> None:
    store = await Store.open(Home(Path(sys.argv[1])), files=KillingFiles())
    for key in ("user", "project:app"):
        await store.load(key)
    os.write(1, b"ready - - -\n")
    writers = [writer(store, number, sys.argv[2]) for number in range(WRITERS)]
    await asyncio.gather(*writers, reader(store), snapshots(store))


if __name__ == "__main__":
    asyncio.run(main())
