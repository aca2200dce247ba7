"""``POST /hooks/{harness}/{event}`` and ``POST /ack``: what the carriers of events call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.routing import Route

from kg_plugin_api import Carrier, Code, KgError, RawEvent
from kg_server.carrier.wire import CONTEXT_HEADER
from kg_server.http import bodies
from kg_server.http.replies import Json

if TYPE_CHECKING:
    from starlette.requests import Request

    from kg_server.interface import MemoryService

_MOST_PARTS = 100
_CARRIERS = frozenset({Carrier.MCP_HOOK, Carrier.HOOK_CLIENT})


def routes(memory: MemoryService) -> list[Route]:
    """Events come in, deliveries go out, and the carrier says what became of them."""

    async def event(request: Request) -> Json:
        body = await bodies.read_object(request)
        raw = RawEvent(
            native=request.path_params["event"],
            carrier=_carrier(body.get("carrier")),
            payload=_object(body, "payload"),
            meta=_object(body, "meta"),
            part=_part(body.get("part", 1)),
        )
        reply = await memory.event(request.path_params["harness"], raw)
        headers = {CONTEXT_HEADER: reply.context} if reply.context else {}
        return Json({"output": reply.output, "delivery": reply.delivery}, headers=headers)

    async def acknowledge(request: Request) -> Json:
        body = await bodies.read_object(request)
        delivery, arrived = body.get("delivery"), body.get("arrived")
        if not isinstance(delivery, str) or not isinstance(arrived, bool):
            raise KgError(Code.INVALID, "An acknowledgement has a delivery (text) and arrived (true or false).")
        return Json({"ok": memory.acknowledge(delivery, arrived)})

    return [
        Route("/hooks/{harness}/{event:path}", event, methods=["POST"]),
        Route("/ack", acknowledge, methods=["POST"]),
    ]


def _carrier(value: object) -> Carrier:
    if isinstance(value, str) and value in _CARRIERS:
        return Carrier(value)
    raise KgError(Code.INVALID, f"The carrier of an event is one of {', '.join(sorted(_CARRIERS))}.")


def _part(value: object) -> int:
    if type(value) is int and 1 <= value <= _MOST_PARTS:
        return value
    raise KgError(Code.INVALID, f"The part of an event is a number from 1 to {_MOST_PARTS}.")


def _object(body: dict[str, object], key: str) -> dict[str, object]:
    found = body.get(key, {})
    if not isinstance(found, dict):
        raise KgError(Code.INVALID, f"The {key} of an event is a JSON object.")
    return found
