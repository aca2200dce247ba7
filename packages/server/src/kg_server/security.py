"""Who may talk to the server: decided from the head of a request, before anything is routed or read.

The server holds a person's notes and listens where every local program and every web page in a browser can try to
reach it. So: loopback names only, no foreign page, a secret token, JSON only, bounded bodies.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from starlette.responses import JSONResponse

from kg_plugin_api import Code

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Receive, Scope, Send

LARGEST_BODY: Final = 4 * 1024 * 1024
"""Bytes that a request may carry."""

_LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
_OWN_SITE: Final = frozenset({"same-origin", "none"})
_OPEN_PATH: Final = "/health"
"""The one path that answers without the token, and then says only that somebody is here."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not let in."""

    status: int
    sentence: str
    code: Code = Code.FORBIDDEN


@dataclass(frozen=True, slots=True)
class Access:
    """Whether the token was shown, for those who tell more to whoever has it."""

    trusted: bool


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one server: the port that it listens on and the token that it was started with."""

    port: int
    token: str

    def check(self, method: str, path: str, headers: Iterable[tuple[bytes, bytes]]) -> Access | Refusal:
        """Judges the head of a request."""
        found: dict[str, list[str]] = {}
        for name, value in headers:
            found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        refusal = self._foreign(found)
        if refusal is not None:
            return refusal
        access = Access(trusted=self._has_token(found))
        if not access.trusted and path != _OPEN_PATH:
            return Refusal(401, "The token of this server is missing or wrong; it is in state/server.json.")
        return _unreadable(method, found) or access

    def _foreign(self, headers: dict[str, list[str]]) -> Refusal | None:
        hosts = {f"{name}:{self.port}" for name in _LOOPBACK}
        host = headers.get("host", [])
        if len(host) != 1 or host[0].lower() not in hosts:
            return Refusal(403, "This server answers on a loopback address only.")
        origins = {f"http://{name}" for name in hosts}
        if any(origin.lower() not in origins for origin in headers.get("origin", [])):
            return Refusal(403, "Pages of another origin may not talk to this server.")
        if any(site.lower() not in _OWN_SITE for site in headers.get("sec-fetch-site", [])):
            return Refusal(403, "Pages of another site may not talk to this server.")
        return None

    def _has_token(self, headers: dict[str, list[str]]) -> bool:
        shown = headers.get("authorization", [])
        wanted = f"Bearer {self.token}".encode()
        return len(shown) == 1 and hmac.compare_digest(shown[0].encode("utf-8", "replace"), wanted)


class Guard:
    """Wraps an application so that only requests within the rules reach it."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request through, or answers it with why not."""
        if scope["type"] != "http":
            return
        verdict = self._rules.check(scope["method"], scope["path"], scope["headers"])
        if isinstance(verdict, Refusal):
            body = {"error": {"code": str(verdict.code), "sentence": verdict.sentence, "data": {}}}
            # Whatever body follows is not read, so the connection cannot be used again.
            response = JSONResponse(body, verdict.status, headers={"Connection": "close"})
            await response(scope, receive, send)
            return
        scope.setdefault("state", {})["trusted"] = verdict.trusted
        await self._app(scope, receive, send)


def _unreadable(method: str, headers: dict[str, list[str]]) -> Refusal | None:
    if method in {"GET", "HEAD", "OPTIONS", "DELETE"}:
        return None
    kinds = [value.partition(";")[0].strip().lower() for value in headers.get("content-type", [])]
    if kinds != ["application/json"]:
        return Refusal(415, "Send application/json.", Code.INVALID)
    lengths = headers.get("content-length", [])
    if any(not length.isascii() or not length.isdigit() or int(length) > LARGEST_BODY for length in lengths):
        return Refusal(413, "A request may carry 4 MiB at the most.", Code.TOO_LARGE)
    return None
