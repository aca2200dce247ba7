"""The server of a demonstration: ``python -m kg_server.demo FOLDER`` serves it with the two agents of the demo."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from kg_core.host import Plugins
from kg_core.store import Home, Settings, now_ms
from kg_server.carrier.version import VERSION
from kg_server.demo.harness import HARNESSES
from kg_server.serve import serve
from kg_server.service import Service


async def _serve(home: Home) -> None:
    plugins = Plugins.of(harnesses=HARNESSES)
    memory = await Service.open(home, clock=now_ms, plugins=plugins, settings=Settings.load(home), version=VERSION)
    await serve(home, memory, plugins, port=0)


if __name__ == "__main__":
    asyncio.run(_serve(Home(Path(sys.argv[1]))))
