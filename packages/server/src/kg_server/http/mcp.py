"""``POST /mcp``: the Model Context Protocol over HTTP, stateless, with JSON replies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.background import BackgroundTask
from starlette.responses import Response
from starlette.routing import Route

from kg_server.http import bodies
from kg_server.http.replies import Json

if TYPE_CHECKING:
    from starlette.requests import Request

    from kg_server.interface import Memory
    from kg_server.mcp.dispatcher import Dispatcher


def routes(memory: Memory, dispatcher: Dispatcher) -> list[Route]:
    """The one route; GET and DELETE, which older revisions use for streams and sessions, are answered with 405."""

    async def post(request: Request) -> Response:
        outgoing = await dispatcher.handle(await bodies.read(request), request.headers)
        if outgoing.body is None:
            return Response(status_code=outgoing.status)
        if request.headers.get("kg-carrier") == "shim":
            headers = {"Kg-Delivery": outgoing.delivery} if outgoing.delivery else {}
            return Json(outgoing.body, outgoing.status, headers=headers)
        return Json(outgoing.body, outgoing.status, background=_acknowledged(request, outgoing.delivery))

    def _acknowledged(request: Request, delivery: str) -> BackgroundTask | None:
        """Without a carrier that acknowledges, a reply has arrived when it was sent and the client is still there."""
        if not delivery:
            return None

        async def acknowledge() -> None:
            memory.acknowledge(delivery, arrived=not await request.is_disconnected())

        return BackgroundTask(acknowledge)

    return [Route("/mcp", post, methods=["POST"])]
