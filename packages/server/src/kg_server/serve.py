"""Serves an opened memory: listens on loopback, writes down where, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import socket
import sys
import threading
from typing import TYPE_CHECKING, Final

import uvicorn

from kg_plugin_api import Code, KgError
from kg_server.app import create_app
from kg_server.carrier.version import VERSION
from kg_server.carrier.wire import PROCESS_HEADER, Endpoint
from kg_server.heads import BoundedHeads
from kg_server.lifecycle.announced import announce, keep_announced, withdraw, write_answers
from kg_server.security import Guard, Rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from kg_core.host import Plugins
    from kg_core.store import Home
    from kg_server.interface import MemoryService

_IDLE_SECONDS: Final = 3600
"""How long a connection of a shim is kept without a request."""
_GRACE_SECONDS: Final = 3
_FIRST_SECONDS: Final = 0.1
"""For so long a new server answers those who waited for it before it makes anything ready for others."""

log = logging.getLogger(__name__)


class _Server(uvicorn.Server):
    """Calls back once it is up. From then on a signal ends it; one that came earlier found nobody to hear it."""

    started_call: Callable[[], None]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listens, then calls back."""
        await super().startup(sockets)
        self.started_call()


async def serve(
    home: Home,
    memory: MemoryService,
    plugins: Plugins,
    *,
    port: int,
    ready: Callable[[Endpoint], None] | None = None,
    asked_to_end: threading.Event | None = None,
) -> None:
    """Serves an opened memory until a signal or a request ends it; then the memory is closed.

    ``port`` is taken if it is free, else another one. ``ready`` is called once the server can be reached, and signals
    end it. ``asked_to_end`` is set by signals that came before.
    """
    token = secrets.token_urlsafe(32)
    asked = asked_to_end or threading.Event()
    try:
        await _listen(home, memory, plugins, token, port, ready, asked)
    finally:
        try:
            await memory.close()
        finally:
            withdraw(home, token)


async def _listen(
    home: Home,
    memory: MemoryService,
    plugins: Plugins,
    token: str,
    wanted: int,
    ready: Callable[[Endpoint], None] | None,
    asked_to_end: threading.Event,
) -> None:
    with bound(wanted) as listening:
        port = listening.getsockname()[1]
        app = create_app(memory, plugins, stop=lambda: setattr(server, "should_exit", True))
        where = Endpoint(port, token, os.getpid(), VERSION)
        server = _Server(
            uvicorn.Config(
                Guard(app, Rules(port, token)),
                loop="asyncio",
                http=BoundedHeads,
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                date_header=False,
                headers=[(PROCESS_HEADER, str(where.pid))],
                timeout_keep_alive=_IDLE_SECONDS,
                timeout_graceful_shutdown=_GRACE_SECONDS,
            )
        )

        def tell() -> None:
            write_answers(home, memory, plugins)
            announce(home, where)

        async def answer() -> None:
            await asyncio.sleep(_FIRST_SECONDS)
            await memory.prepare()
            try:
                write_answers(home, memory, plugins)
            except OSError as failure:
                log.warning("The answers that need no server were not written down: %s", failure)

        def started() -> None:
            announce(home, where)
            # A shim that finds no answers written down asks the server, so this need not hold up the start.
            tasks.append(asyncio.create_task(answer()))
            memory.listening(port)
            log.info("kg %s serves %s on port %d", VERSION, home.root, port)
            watching = asyncio.create_task(keep_announced(home, where, memory, tell))
            watching.add_done_callback(lambda _: setattr(server, "should_exit", True))
            tasks.append(watching)
            if ready is not None:
                ready(where)
            if asked_to_end.is_set():
                server.should_exit = True

        tasks: list[asyncio.Task[None]] = []
        server.started_call = started
        try:
            await server.serve(sockets=[listening])
        finally:
            for task in tasks:
                task.cancel()
        log.info("kg %s ends", VERSION)


def bound(wanted: int) -> socket.socket:
    """A listening socket on loopback: on the port wanted, else on a free one. Raises KgError when there is none."""
    for port in (wanted, 0):
        # asyncio turns Nagle's algorithm off only for a socket that names its protocol; with it, a reply waits 40 ms.
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        with contextlib.suppress(OSError):
            if sys.platform != "win32":  # there, this option would let two servers share a port
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(("127.0.0.1", port))
            listening.listen(2048)
            return listening
        listening.close()
    raise KgError(Code.UNAVAILABLE, "No port of the loopback address can be listened on.")
