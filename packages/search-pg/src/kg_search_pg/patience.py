"""How long one question over HTTP may take in all. A socket's timeout is for each read: bytes that drip outlast it."""

from __future__ import annotations

import contextlib
import socket
import urllib.request
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from threading import Lock, Timer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType


class Patience:
    """A stretch of time at whose end the connection of its request is cut under whoever reads from it."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.is_over = False
        """Whether the time is over, and so what was read may be a part."""
        self._line: socket.socket | None = None
        self._lock = Lock()
        self._timer = Timer(seconds, self.end)
        self._timer.daemon = True

    def __enter__(self) -> Patience:
        """The time begins."""
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is cut from here on."""
        self._timer.cancel()
        with self._lock:
            if self._line is not None:
                self._line.close()
            self._line = None

    def request(self, url: str, body: bytes, headers: Mapping[str, str]) -> urllib.request.Request:
        """A request that ends with the time, where an opener has :data:`Patiently`."""
        return _Request(self, url, body, headers)

    def holds(self, line: socket.socket) -> None:
        """This is the connection. It is held by a handle of its own, as TLS takes the other one over."""
        with self._lock:
            self._line = line.dup()
            if self.is_over:
                _cut(self._line)

    def end(self) -> None:
        """The time is over now. May be called by any thread."""
        with self._lock:
            self.is_over = True
            if self._line is not None:
                _cut(self._line)


class _Request(urllib.request.Request):
    def __init__(self, patience: Patience, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        super().__init__(url, body, dict(headers), method="POST")
        self.patience = patience


class _Plain(HTTPConnection):
    patience: Patience | None = None

    def connect(self) -> None:
        super().connect()
        if self.patience is not None:
            self.patience.holds(self.sock)


class _Secure(HTTPSConnection, _Plain):
    """Held before it agrees on keys, which may drip too."""


class _Opening(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(_held(_Plain, req), req)


class _OpeningSecurely(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(_held(_Secure, req), req)


Patiently = (_Opening, _OpeningSecurely)
"""What has an opener heed the patience of a request."""


def _held(kind: type[_Plain], request: urllib.request.Request) -> Any:
    """Makes connections of a kind that are cut when the patience of a request ends."""

    def made(host: str, **given: Any) -> _Plain:
        connection = kind(host, **given)
        connection.patience = request.patience if isinstance(request, _Request) else None
        return connection

    return made


def _cut(line: socket.socket) -> None:
    with contextlib.suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)
