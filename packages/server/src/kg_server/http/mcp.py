"""``POST /mcp``: the Model Context Protocol over HTTP, stateless, with JSON replies."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.background import BackgroundTask
from starlette.responses import Response
from starlette.routing import Route

from kg_server.carrier.wire import CONTEXT_HEADER
from kg_server.http import bodies
from kg_server.http.replies import Json

if TYPE_CHECKING:
    from starlette.requests import Request

    from kg_server.interface import MemoryService
    from kg_server.mcp.dispatcher import Dispatcher


def routes(memory: MemoryService, dispatcher: Dispatcher) -> list[Route]:
    """The one route; GET and DELETE, which older revisions use for streams and sessions, are answered with 405."""

    async def post(request: Request) -> Response:
        outgoing = await dispatcher.handle(await bodies.read(request), request.headers)
        if outgoing.body is None:
            return Response(status_code=outgoing.status)
        if request.headers.get("kg-carrier") == "shim":
            told = {"Kg-Delivery": outgoing.delivery, CONTEXT_HEADER: outgoing.context}
            headers = {name: value for name, value in told.items() if value}
            return Json(outgoing.body, outgoing.status, headers=headers)
        if not outgoing.delivery:
            return Json(outgoing.body, outgoing.status)
        # Without a carrier that acknowledges, a reply has arrived when it was sent to a client that was still there.
        # That is asked now: once a reply is sent, the server calls every client gone.
        settle = BackgroundTask(acknowledge, outgoing.delivery, arrived=not await _is_gone(request))
        return Json(outgoing.body, outgoing.status, background=settle)

    async def acknowledge(delivery: str, *, arrived: bool) -> None:
        memory.acknowledge(delivery, arrived)

    return [Route("/mcp", post, methods=["POST"])]


async def _is_gone(request: Request) -> bool:
    """Whether the client of a request that was read whole has gone away."""
    following = asyncio.ensure_future(request.receive())
    await asyncio.sleep(0)
    if following.done():
        return bool(following.result()["type"] == "http.disconnect")
    following.cancel()
    return False
