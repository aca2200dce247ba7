"""Puts the routes together into one application."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from kg_plugin_api import Code, KgError
from kg_server.errors import ANSWERS, told
from kg_server.http import api, health, hooks, keeping, mcp
from kg_server.http.replies import Json
from kg_server.http.unforeseen import Unforeseen
from kg_server.mcp.dispatcher import Dispatcher

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from kg_core.host import Plugins
    from kg_server.interface import MemoryService


def create_app(memory: MemoryService, plugins: Plugins, *, stop: Callable[[], None]) -> Starlette:
    """The application, without the guard that :mod:`kg_server.serve` puts around it. ``stop`` ends the server."""
    dispatcher = Dispatcher(memory, plugins)
    return Starlette(
        routes=[
            *mcp.routes(memory, dispatcher),
            *hooks.routes(memory),
            *health.routes(memory, plugins),
            *api.routes(memory, plugins, stop),
            *keeping.routes(memory),
        ],
        middleware=[Middleware(Unforeseen)],
        exception_handlers={
            KgError: _known_failure,
            HTTPException: _http_failure,
            ClientDisconnect: _gone,
        },
    )


async def _known_failure(_: Request, failure: Exception) -> Response:
    if not isinstance(failure, KgError):
        raise failure
    return Json(told(failure), ANSWERS[failure.code].status)


async def _http_failure(_: Request, failure: Exception) -> Response:
    if not isinstance(failure, HTTPException):
        raise failure
    sentence = {404: "There is nothing at this path.", 405: "This path does not take that method."}
    error = KgError(Code.INVALID, sentence.get(failure.status_code, failure.detail))
    return Json(told(error), failure.status_code, headers=failure.headers)


async def _gone(_: Request, __: Exception) -> Response:
    return Response(status_code=400)
