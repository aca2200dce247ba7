"""What a serving server writes down for others: where it listens, and the answers that need no server."""

from __future__ import annotations

import asyncio
import contextlib
import os
from typing import TYPE_CHECKING, Final

from kg_plugin_api import Code, KgError, RawEvent
from kg_server.carrier import outage, protocol
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
    from kg_server.interface import MemoryService


_LOOK_SECONDS: Final = 1.0


def announce(home: Home, where: Endpoint) -> None:
    """Writes where the server listens, for this user's eyes only, and clears what was noted about its absence.

    Raises UNAVAILABLE when that cannot be written: nobody would find the server.
    """
    root = os.fsencode(home.root).decode("utf-8", "surrogateescape")
    found = {"port": where.port, "token": where.token, "pid": where.pid, "version": where.version, "home": root}
    try:
        write_private(home.server_file, found)
    except OSError as failure:
        raise KgError(
            Code.UNAVAILABLE,
            f"{home.server_file} cannot be written ({failure.strerror}), so nobody would find the server.",
            {"path": str(home.server_file)},
        ) from failure
    places = Places(str(home.root))
    for stamp in (places.stopped, places.starting):
        with contextlib.suppress(OSError):
            os.unlink(stamp)  # noqa: PTH108 - a name that the carriers gave


async def keep_announced(home: Home, where: Endpoint, memory: MemoryService, again: Callable[[], None]) -> None:
    """Has a server that nobody can find any more told ``again``; returns when another one has taken its place, or when
    its memory is no longer its own: it was restored from a copy, say, and is to be opened anew.

    Whoever removes the state folder removes the way to the server, and its lock with it: a carrier would start a second
    one, and the first would stay for ever.
    """
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        found = endpoint(str(home.server_file))
        if (found is not None and found.token != where.token) or not await memory.confirm():
            return
        if found is None:
            with contextlib.suppress(KgError):
                again()


def withdraw(home: Home, token: str) -> None:
    """Takes back what :func:`announce` wrote, unless another server has written there since."""
    found = endpoint(str(home.server_file))
    if found is not None and found.token == token:
        with contextlib.suppress(OSError):
            home.server_file.unlink(missing_ok=True)


def write_answers(home: Home, memory: MemoryService, plugins: Plugins) -> None:
    """Writes the static answers for every harness, and for clients that no plug-in knows.

    Best effort: without them carriers ask the server itself.
    """
    strip = sorted({prefix for harness in plugins.harnesses for prefix in harness.environment_to_strip})
    for harness in (GENERIC, *plugins.harnesses):
        answers: dict[str, object] = {
            "version": VERSION,
            "discover": results.discover(memory, harness.name),
            "initialize": results.initialize(memory, harness.name),
            "tools": results.tools(memory, harness.name),
            "events": {spec.native: _event(plugins, harness, spec) for spec in harness.events},
            "strip": strip,
        }
        with contextlib.suppress(OSError):
            write_private(home.answers / f"{harness.name}.json", answers)


def write_private(path: Path, value: Mapping[str, object]) -> None:
    """Writes JSON so that a reader sees the old file or the new one, and nobody else sees either. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(protocol.encoded(value))
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def _event(plugins: Plugins, harness: Harness, spec: EventSpec) -> dict[str, object]:
    """What a carrier says for an event by itself; where the plug-in fails it is silent, which is right."""
    raw = RawEvent(native=spec.native, carrier=spec.carrier, payload={})

    def reply(text: str) -> str:
        return plugins.ask(harness, "wrapping of replies", lambda: harness.dialect.reply(raw, text), str, "")

    return {"kind": str(spec.kind), "empty": reply(""), "outage": reply(outage.LINE) if spec.injects else ""}
