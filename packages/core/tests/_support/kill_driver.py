"""A process that writes memory until it is killed: run as ``python kill_driver.py HOME ROUND``.

Eight tasks write; each tells the parent on standard output what it is about to write (``try``) and what was
acknowledged (``told``), and a ninth what readers were shown (``shown``), in one unbuffered line each.
``KILL_AT`` says where it kills itself, see ``killing.py``.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from killing import KillingFiles

from kg_core.model import Change, Node
from kg_core.store import Home, Store, Write, now_ms

WRITERS = 8


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
