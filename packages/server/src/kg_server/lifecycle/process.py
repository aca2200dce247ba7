"""The server process: puts the parts together, from the environment to the listening socket."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kg_core.render import one_line
from kg_core.store import Settings, now_ms
from kg_server.carrier.version import VERSION
from kg_server.installed import plugins_of
from kg_server.lifecycle.descriptors import Exhaustion, allow_many
from kg_server.lifecycle.garbage import keep_short, new_loop
from kg_server.lifecycle.held import watched
from kg_server.serve import serve
from kg_server.service import Service

if TYPE_CHECKING:
    from kg_core.host import Plugins
    from kg_core.store import Home


def run(home: Home) -> None:
    """Serves the memory at ``home`` until a signal or a request ends it. Raises KgError when it cannot."""
    gc.freeze()  # what is imported stays
    gc.enable()
    keep_short()
    os.umask(0o077)
    allow_many()
    _log_to_standard_error()
    asked_to_end = _signals()
    home = _pinned(home)
    settings = Settings.load(home)
    plugins = plugins_of(home)
    _forget_the_agent(plugins)
    with watched(plugins), asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(_serve(home, plugins, settings, asked_to_end))


def _pinned(home: Home) -> Home:
    """The memory by its own name: it stays the same whatever a link that leads to it now is made to lead to later."""
    return replace(home, root=Path(os.path.realpath(home.root))) if home.root.is_dir() else home


async def _serve(home: Home, plugins: Plugins, settings: Settings, asked_to_end: threading.Event) -> None:
    asyncio.get_running_loop().set_exception_handler(Exhaustion())
    memory = await Service.open(home, clock=now_ms, plugins=plugins, settings=settings, version=VERSION)
    await serve(home, memory, plugins, port=settings.server.port, asked_to_end=asked_to_end)


class _Lines(logging.Formatter):
    """A line per message: the name of somebody's folder must not look like another message."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name that logging calls
        record.message = one_line(record.message)
        return super().formatMessage(record)


def _log_to_standard_error() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)
    # What it warns of is what strangers send, who could fill the disk with that.
    logging.getLogger("uvicorn").setLevel(logging.ERROR)


def _signals() -> threading.Event:
    """What is set when somebody asks us to end before the server is up.

    Later, uvicorn ends on these signals itself and then raises them again for whoever had them before; by then all
    is done.
    """
    asked = threading.Event()
    for caught in (signal.SIGINT, signal.SIGTERM):
        signal.signal(caught, lambda *_: asked.set())
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    return asked


def _forget_the_agent(plugins: Plugins) -> None:
    """Drops variables of the agent that happened to start us, such as its keys: nothing we run may inherit them."""
    prefixes = tuple(prefix for harness in plugins.harnesses for prefix in harness.environment_to_strip)
    for name in [name for name in os.environ if name.startswith(prefixes)]:
        del os.environ[name]
