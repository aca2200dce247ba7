"""The border where a failure that nobody foresaw becomes an answer."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from kg_plugin_api import Code, KgError
from kg_server.errors import ANSWERS, told
from kg_server.http.replies import Json

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger(__name__)


class Unforeseen:
    """Wraps an application. What it raises goes no further, because the web server would log it whole.

    The message of a failure may hold what a person wrote, which never belongs into a log: only its kind is noted.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request; one that fails is answered with an error unless its answer has begun."""
        begun = False

        async def noting(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except Exception as failure:  # noqa: BLE001 - request border: the client must get an answer
            kind = type(failure).__name__
            log.error("%s %s failed: %s", scope["method"], scope.get("route_path", ""), kind)
            if not begun:
                error = KgError(Code.INTERNAL, f"The server failed ({kind}). `kg logs` may say more.")
                await Json(told(error), ANSWERS[Code.INTERNAL].status)(scope, receive, send)
