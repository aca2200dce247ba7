"""The product's application served without its token, for peers that cannot be given one.

Everything else of the guard stays: the names of hosts, origins and sites are judged as in the product.
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

import uvicorn

from kg_core.host import Plugins
from kg_server.app import create_app
from kg_server.heads import BoundedHeads
from kg_server.security import Guard, Rules
from kg_server.serve import bound

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from kg_server.interface import MemoryService


class WithoutToken(Rules):
    """Lets in whoever comes from this machine."""

    def _has_token(self, headers: dict[str, list[str]]) -> bool:
        return True


class Served:
    """An application on a thread of its own, until :meth:`stop`."""

    def __init__(self, opened: Callable[[], Awaitable[MemoryService]]) -> None:
        self.url = ""
        self._ready = threading.Event()
        self._opened = opened
        self._server: uvicorn.Server | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()))
        self._thread.start()
        assert self._ready.wait(20)

    async def _run(self) -> None:
        memory = await self._opened()
        with bound(0) as listening:
            port = listening.getsockname()[1]
            app = Guard(create_app(memory, Plugins.of(), stop=lambda: None), WithoutToken(port, ""))
            config = uvicorn.Config(app, http=BoundedHeads, ws="none", lifespan="off", log_config=None)
            self._server = uvicorn.Server(config)
            self.url = f"http://127.0.0.1:{port}/mcp"
            self._ready.set()
            await self._server.serve(sockets=[listening])
        await memory.close()

    def stop(self) -> None:
        assert self._server is not None
        self._server.should_exit = True
        self._thread.join(20)
        assert not self._thread.is_alive()
