"""``GET /health``: that somebody is here, and to whoever has the token, how it is."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from starlette.routing import Route

from kg_server.carrier.version import VERSION
from kg_server.http.replies import Json

if TYPE_CHECKING:
    from starlette.requests import Request

    from kg_core.host import Plugins
    from kg_server.interface import MemoryService


def routes(memory: MemoryService, plugins: Plugins) -> list[Route]:
    """Without the token the answer is only ``ok``."""

    async def health(request: Request) -> Json:
        # An application without the guard around it has nobody to keep anything from.
        if not request.scope.get("state", {}).get("trusted", True):
            return Json({"ok": True})
        return Json(
            {
                **memory.health(),
                "ok": True,
                "version": VERSION,
                "pid": os.getpid(),
                "executable": sys.executable,
                "plugins": described(plugins),
            }
        )

    return [Route("/health", health, methods=["GET"])]


def described(plugins: Plugins) -> dict[str, object]:
    """The plug-ins as JSON: what is loaded, what it offers, what is wrong."""
    return {
        "loaded": [{"name": loaded.name, "distribution": loaded.distribution} for loaded in plugins.loaded],
        "harnesses": [
            {"name": harness.name, "title": harness.title, "maturity": str(harness.maturity)}
            for harness in plugins.harnesses
        ],
        "search_backends": [factory.name for factory in plugins.search_backends],
        "operations": {name: [operation.name for operation in of] for name, of in plugins.operations.items()},
        "problems": [
            {"name": problem.name, "distribution": problem.distribution, "reason": problem.reason}
            for problem in plugins.problems
        ],
    }
