"""What a serving server writes down for others: where it listens, and the answers that need no server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from typing import TYPE_CHECKING, Final

from kg_plugin_api import RawEvent
from kg_server.carrier import outage
from kg_server.carrier.places import Places
from kg_server.carrier.version import VERSION
from kg_server.carrier.wire import Endpoint, endpoint
from kg_server.generic import GENERIC
from kg_server.mcp import results

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from kg_core.host import Plugins
    from kg_core.store import Home
    from kg_plugin_api import EventSpec, Harness
    from kg_server.interface import Memory


_LOOK_SECONDS: Final = 1.0


def announce(home: Home, where: Endpoint) -> None:
    """Writes where the server listens, for this user's eyes only, and clears what was noted about its absence."""
    found = {"port": where.port, "token": where.token, "pid": where.pid, "version": where.version}
    write_private(home.server_file, found)
    places = Places(str(home.root))
    for stamp in (places.stopped, places.starting):
        with contextlib.suppress(OSError):
            os.unlink(stamp)  # noqa: PTH108 - a name that the carriers gave


async def keep_announced(home: Home, where: Endpoint, memory: Memory, again: Callable[[], None]) -> None:
    """Has a server that nobody can find any more told ``again``; returns when another one has taken its place.

    Whoever removes the state folder removes the way to the server, and its lock with it: a carrier would start a second
    one, and the first would stay for ever.
    """
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        found = endpoint(str(home.server_file))
        if found is not None and found.token != where.token:
            return
        if found is None:
            if not await memory.confirm():
                return
            with contextlib.suppress(OSError):
                again()


def withdraw(home: Home, token: str) -> None:
    """Takes back what :func:`announce` wrote, unless another server has written there since."""
    found = endpoint(str(home.server_file))
    if found is not None and found.token == token:
        home.server_file.unlink(missing_ok=True)


def write_answers(home: Home, memory: Memory, plugins: Plugins) -> None:
    """Writes the static answers for every harness, and for clients that no plug-in knows."""
    strip = sorted({prefix for harness in plugins.harnesses for prefix in harness.environment_to_strip})
    for harness in (GENERIC, *plugins.harnesses):
        write_private(
            home.state / "mcp" / f"{harness.name}.json",
            {
                "version": VERSION,
                "discover": results.discover(memory, harness.name),
                "initialize": results.initialize(memory, harness.name),
                "tools": results.tools(memory, harness.name),
                "events": {spec.native: _event(plugins, harness, spec) for spec in harness.events},
                "strip": strip,
            },
        )


def write_private(path: Path, value: Mapping[str, object]) -> None:
    """Writes JSON so that a reader sees the old file or the new one, and nobody else sees either."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False)
    temporary.replace(path)


def _event(plugins: Plugins, harness: Harness, spec: EventSpec) -> dict[str, object]:
    """What a carrier says for an event by itself; where the plug-in fails it is silent, which is right."""
    raw = RawEvent(native=spec.native, carrier=spec.carrier, payload={})

    def reply(text: str) -> str:
        return plugins.ask(harness, "wrapping of replies", lambda: harness.dialect.reply(raw, text), str, "")

    return {"kind": str(spec.kind), "empty": reply(""), "outage": reply(outage.LINE) if spec.injects else ""}
