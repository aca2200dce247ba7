"""One kept HTTP/1.1 connection to the server of a memory home, over a raw socket, with hard deadlines.

The socket is the compiled one: what ``socket`` puts around it is not needed here, and costs a hook client milliseconds.
"""

from __future__ import annotations

import _socket
import os
import select
import time

from kg_server.carrier import jsontext
from kg_server.carrier.regular import regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LARGEST_REQUEST = 4 * 1024 * 1024
"""Bytes of body that the server takes at the most."""

LARGEST_TARGET = 60 * 1024
"""Bytes of path and query that it takes at the most, in a head with all that goes with them."""

PROCESS_HEADER = "Kg-Process"
"""In each answer of a server: its process, by which it is known from a stranger on the same port."""

CONTEXT_HEADER = "Kg-Context"
"""Whose call it was, or whose comes next; a shim repeats it, so that a server which was started anew knows too."""

_INTRODUCTION_SECONDS = 5.0
"""How long whoever listens may take to say who it is; a server that runs says so at once."""
_LOOK_SECONDS = 5.0
"""After so much silence it is asked beside a long call whether the server is still there, and again after as much."""
_LARGEST_REPLY = 64 * 1024 * 1024
_LARGEST_HEAD = 64 * 1024
_CHUNK = 64 * 1024
"""More at once would be new memory from the system for each answer."""


class Missed(Exception):
    """The server gave no answer. ``sent`` tells whether it may have acted on the request all the same."""

    def __init__(self, sentence: str, *, sent: bool) -> None:
        super().__init__(sentence)
        self.sent = sent


class Unreachable(Missed):
    """Nobody listens where the server should be."""


class Stranger(Unreachable):
    """Somebody else listens where the server was: it was told nothing, neither the token nor the request."""


class Silent(Missed):
    """Somebody listens, but did not answer before the deadline."""


class Garbled(Missed):
    """What listens broke the connection off or does not speak our protocol."""


class Endpoint:
    """Where a server listens, as it wrote it down itself."""

    __slots__ = ("pid", "port", "token", "version")

    def __init__(self, port: int, token: str, pid: int, version: str) -> None:
        self.port = port
        self.token = token
        self.pid = pid
        self.version = version


class Reply:
    """An answer: its status, its headers with lower-case names, and its body."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body


def endpoint(path: str) -> Endpoint | None:
    """The endpoint written at ``path``; None when there is none that makes sense, or that of another memory's server,
    as a copy of that memory's folder has it.
    """
    try:
        with open(path, encoding="utf-8", opener=regular) as file:
            found = jsontext.loads(file.read())
        if not _is_of(str(found.get("home", "")), path):
            return None
        return Endpoint(int(found["port"]), str(found["token"]), int(found["pid"]), str(found["version"]))
    except (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return None


def _is_of(home: str, path: str) -> bool:
    """Whether ``home``, which a server has written at ``path``, is the folder that this lies in, by whatever name.

    Raises OSError or ValueError where that is no folder any more. An older server has written none.
    """
    ours = os.path.dirname(os.path.dirname(os.fsencode(path)))
    theirs = home.encode("utf-8", "surrogateescape")  # as the server names files, whatever the locale here
    return theirs in {b"", ours} or os.path.samestat(os.stat(theirs), os.stat(ours))


class Wire:
    """Requests one after the other. Not for several threads at once."""

    def __init__(self, server_file: str) -> None:
        self._server_file = server_file
        self._socket: _socket.socket | None = None
        self._endpoint: Endpoint | None = None

    def request(
        self,
        method: str,
        path: str,
        body: bytes,
        headers: Mapping[str, str],
        deadline: float,
        *,
        watched: bool = False,
    ) -> Reply:
        """The answer to one request, before ``deadline`` (of ``time.monotonic``). Raises :class:`Missed`.

        A request that may have reached the server is never sent twice, and a stranger gets none. A ``watched`` one may
        take long, but not at a server that hangs: one that does not say within 5 s that it is there is not waited for.
        """
        kept = self._socket is not None and not self._closed()
        if not kept:
            self._connect(deadline)
        reply = self._exchange(method, path, body, headers, deadline, watched=watched)
        if reply.status == 401 and kept:
            self._connect(deadline)
            reply = self._exchange(method, path, body, headers, deadline, watched=watched)
        return reply

    def greet(self, deadline: float) -> None:
        """Makes a new connection, on which the server has said before ``deadline`` that it is there. Raises
        :class:`Missed`.
        """
        self._connect(deadline)

    def close(self) -> None:
        """Lets go of the connection; a later request makes a new one."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _closed(self) -> bool:
        """Whether the server has closed the kept connection: an idle one has nothing to be read."""
        if self._socket is None:
            return True
        try:
            readable, _, _ = select.select([self._socket], [], [], 0)
        except (OSError, ValueError):
            return True
        return bool(readable)

    def _connect(self, deadline: float) -> None:
        self.close()
        self._endpoint = endpoint(self._server_file)
        if self._endpoint is None:
            raise Unreachable("no server has written where it listens", sent=False)
        connection = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        try:
            connection.settimeout(_left(deadline))
            connection.connect(("127.0.0.1", self._endpoint.port))
            connection.setsockopt(_socket.IPPROTO_TCP, _socket.TCP_NODELAY, 1)
        except TimeoutError as failure:
            connection.close()
            raise Silent("the server does not take connections", sent=False) from failure
        except (OSError, OverflowError) as failure:
            connection.close()
            raise Unreachable(f"nobody listens on port {self._endpoint.port}", sent=False) from failure
        self._socket = connection
        self._introduce(connection, self._endpoint, min(deadline, time.monotonic() + _INTRODUCTION_SECONDS))

    def _introduce(self, connection: _socket.socket, target: Endpoint, deadline: float) -> None:
        """Has whoever listens say who it is. A port outlives its server, and any program may have it next."""
        try:
            connection.settimeout(_left(deadline))
            connection.sendall(f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\n\r\n".encode())
            reply = _read(connection, deadline)
        except TimeoutError as failure:
            self.close()
            raise Silent("the server does not answer", sent=False) from failure
        except (OSError, ValueError) as failure:
            self.close()
            raise Stranger(f"what listens on port {target.port} is no kg server", sent=False) from failure
        if reply.headers.get(PROCESS_HEADER.lower()) != str(target.pid):
            self.close()
            raise Stranger(f"another program listens on port {target.port}", sent=False)

    def _look(self, deadline: float) -> None:
        """Raises TimeoutError when the server hangs. One that is going away closes the connection itself."""
        beside = Wire(self._server_file)
        try:
            beside.greet(min(deadline, time.monotonic() + _INTRODUCTION_SECONDS))
        except Silent as silence:
            raise TimeoutError from silence
        except Missed:
            return
        finally:
            beside.close()

    def _exchange(
        self, method: str, path: str, body: bytes, headers: Mapping[str, str], deadline: float, *, watched: bool
    ) -> Reply:
        connection, target = self._socket, self._endpoint
        if connection is None or target is None:
            raise Unreachable("there is no connection", sent=False)
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: 127.0.0.1:{target.port}",
            f"Authorization: Bearer {target.token}",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        if method != "GET":
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        head = "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")
        try:
            look = self._look if watched else None
            _send(connection, head + body, deadline, look)
            return _read(connection, deadline, look)
        except TimeoutError as failure:
            self.close()
            raise Silent("the server does not answer", sent=True) from failure
        except (OSError, ValueError) as failure:
            self.close()
            raise Garbled(f"the connection to the server broke ({failure})", sent=True) from failure


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _send(connection: _socket.socket, data: bytes, deadline: float, look: Callable[[float], None] | None) -> None:
    """Sends all of it, with a ``look`` whenever nobody takes any."""
    rest = memoryview(data)
    while rest:
        if look is not None:
            _wait(lambda seconds: bool(select.select([], [connection], [], seconds)[1]), deadline, look)
        connection.settimeout(_left(deadline))
        rest = rest[connection.send(rest) :]


def _read(connection: _socket.socket, deadline: float, look: Callable[[float], None] | None = None) -> Reply:
    """Reads one answer that states its length, with a ``look`` at times. Raises ValueError for anything else."""
    received = bytearray()
    while (end := received.find(b"\r\n\r\n")) < 0:
        _receive(connection, received, deadline, look)
        if len(received) > _LARGEST_HEAD and b"\r\n\r\n" not in received:
            raise ValueError("endless headers")
    first, *rest = received[:end].decode("latin-1").split("\r\n")
    protocol, _, remainder = first.partition(" ")
    if not protocol.startswith("HTTP/1."):
        raise ValueError("not HTTP")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
    length = int(headers.get("content-length", "0"))
    if not 0 <= length <= _LARGEST_REPLY:
        raise ValueError("a reply of impossible length")
    body = received[end + 4 :]
    while len(body) < length:
        _receive(connection, body, deadline, look)
    return Reply(int(remainder[:3]), headers, bytes(body[:length]))


def _receive(
    connection: _socket.socket, into: bytearray, deadline: float, look: Callable[[float], None] | None
) -> None:
    if look is not None:
        _wait(lambda seconds: bool(select.select([connection], [], [], seconds)[0]), deadline, look)
    connection.settimeout(_left(deadline))
    chunk = connection.recv(_CHUNK)
    if not chunk:
        raise ConnectionError("closed by the server")
    into += chunk


def _wait(is_ready: Callable[[float], bool], deadline: float, look: Callable[[float], None]) -> None:
    """Returns once ``is_ready``, within seconds that it is given. Raises TimeoutError."""
    while not is_ready(min(_left(deadline), _LOOK_SECONDS)):
        try:
            look(deadline)
        except TimeoutError:
            if not is_ready(0):  # else it became so during the look
                raise
