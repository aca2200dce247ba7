"""Answers one posted message: stateless, so that a restart or an old session id changes nothing."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from kg_plugin_api import KgError
from kg_server.carrier import protocol
from kg_server.carrier.wire import CONTEXT_HEADER
from kg_server.errors import ANSWERS
from kg_server.interface import ToolCall, ToolReply
from kg_server.mcp import results
from kg_server.mcp.envelope import STATUS, Fault, Notification, Request, opened

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_core.host import Plugins
    from kg_server.interface import MemoryService

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outgoing:
    """An answer: HTTP status, message (None when there is nothing to say), the delivery to acknowledge, and whose call
    it was.
    """

    status: int
    body: dict[str, object] | None = None
    delivery: str = ""
    context: str = ""


class Dispatcher:
    """Knows the methods of a server of tools in every revision that we speak."""

    def __init__(self, memory: MemoryService, plugins: Plugins) -> None:
        self._memory = memory
        self._clients = {
            client.casefold(): harness.name for harness in plugins.harnesses for client in harness.recognition.clients
        }

    async def handle(self, body: bytes, headers: Mapping[str, str]) -> Outgoing:
        """Answers a posted message; never raises for anything that a client sends. ``headers`` are lower-case."""
        try:
            message = opened(body, headers)
            if isinstance(message, Notification):
                return Outgoing(202)
            return await self._answer(message, headers)
        except Fault as fault:
            said = protocol.failure(fault.request, fault.code, fault.sentence, fault.data)
            return Outgoing(STATUS.get(fault.code, 200) if fault.modern else 200, said)

    async def _answer(self, request: Request, headers: Mapping[str, str]) -> Outgoing:
        harness = unquote(headers.get("kg-harness", "")) or self._harness(request)
        match request.method:
            case "tools/call":
                reply = await self._call(request, harness, headers)
                result = protocol.text_result(_readable(reply.text), is_error=reply.is_error)
                return self._result(request, result, delivery=reply.delivery, context=reply.context)
            case "tools/list":
                return self._result(request, results.tools(self._memory, harness), cacheable=True)
            case "server/discover":
                return self._result(request, results.discover(self._memory, harness), cacheable=True)
            case "initialize" if not request.modern:
                result = protocol.negotiated(results.initialize(self._memory, harness), request.message)
                return self._result(request, result)
            case "ping" if not request.modern:
                return self._result(request, {})
            case method:
                sentence = f"There is no method {method} here: this is a server of tools."
                raise Fault(protocol.METHOD_NOT_FOUND, sentence, request.id, modern=request.modern)

    async def _call(self, request: Request, harness: str, headers: Mapping[str, str]) -> ToolReply:
        name, arguments = request.params.get("name"), request.params.get("arguments")
        if not isinstance(name, str):
            return ToolReply("A tool call names its tool.", is_error=True)
        if arguments is not None and not isinstance(arguments, dict):
            return ToolReply(f"The arguments of {name} are a JSON object.", is_error=True)
        call = ToolCall(
            name=name,
            arguments=arguments or {},
            meta=request.meta,
            harness=harness,
            session_hint=headers.get("kg-shim", ""),
            context_hint=headers.get(CONTEXT_HEADER.lower(), ""),
            cwd=unquote(headers.get("kg-cwd", ""), errors="surrogateescape"),
        )
        try:
            return await self._memory.call(call)
        except KgError as failure:
            return ToolReply(failure.sentence, is_error=ANSWERS[failure.code].is_error)
        except Exception as failure:  # noqa: BLE001 - request border: the model must get an answer that it understands
            log.error("%s failed: %s", name if name in self._names(harness) else "a call", type(failure).__name__)
            return ToolReply(f"{name} failed inside kg ({type(failure).__name__}). Go on without it.", is_error=True)

    def _names(self, harness: str) -> set[str]:
        return {spec.name for spec in self._memory.tools(harness)}

    def _harness(self, request: Request) -> str:
        """The harness whose client names itself in the request, if one does."""
        info = request.meta.get(protocol.CLIENT_KEY) or request.params.get("clientInfo")
        name = info.get("name") if isinstance(info, dict) else None
        return self._clients.get(name.casefold(), "") if isinstance(name, str) else ""

    def _result(
        self,
        request: Request,
        result: Mapping[str, object],
        *,
        cacheable: bool = False,
        delivery: str = "",
        context: str = "",
    ) -> Outgoing:
        if request.modern:
            result = protocol.complete(result, cacheable=cacheable)
        return Outgoing(200, protocol.answer(request.id, result), delivery, context)


def _readable(text: str) -> str:
    """``text`` with each lone surrogate, as a path may have, replaced: some clients refuse a whole reply for one."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
