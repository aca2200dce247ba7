"""Talks to the running server for the command line. There is no second way to the files."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from kg_plugin_api import Code, KgError
from kg_server.carrier.places import Places
from kg_server.carrier.version import VERSION, newer
from kg_server.carrier.wire import LARGEST_REQUEST, LARGEST_TARGET, Missed, Silent, Unreachable, Wire, endpoint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType

    from kg_core.store import Home

    Query = Mapping[str, str | Sequence[str]]

_SECONDS: Final = 30.0
_HEALTH_SECONDS: Final = 2.0
_UNKNOWN: Final = frozenset({404, 405})
"""With one of these, and as INVALID, a server answers a path that it has not, or not for this method."""


class Client:
    """Asks the server of one memory home. A context manager that lets go of its connection."""

    def __init__(self, home: Home) -> None:
        self._server_file = Places(str(home.root)).server
        self._wire = Wire(self._server_file)

    def __enter__(self) -> Client:
        """The client itself; it connects with its first request."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Lets go of the connection."""
        self.close()

    def get(self, path: str, query: Query | None = None, *, within: float = _SECONDS) -> Any:
        """The JSON that a GET answers. Raises KgError with what the server says, UNAVAILABLE, or TOO_LARGE."""
        if query:
            path += "?" + _encoded(query)
        if len(path) > LARGEST_TARGET:
            raise _too_long(query or {}, len(path))
        return self._asked("GET", path, b"", within)

    def post(self, path: str, value: Mapping[str, object], *, within: float = _SECONDS) -> Any:
        """The JSON that a POST answers. Raises KgError with what the server says, UNAVAILABLE, or TOO_LARGE."""
        body = json.dumps(value).encode()
        if len(body) > LARGEST_REQUEST:
            raise _too_much(f"This takes {len(body):,} bytes", len(body), LARGEST_REQUEST)
        return self._asked("POST", path, body, within)

    def health(self) -> dict[str, Any] | None:
        """How the server is; None when nobody answers with our token."""
        try:
            found = self.get("/health", within=_HEALTH_SECONDS)
        except KgError:
            return None
        return found if isinstance(found, dict) and "version" in found else None

    def silence(self) -> str:
        """What a server that is there and does not answer is told a person with; empty where none is like that."""
        try:
            self._wire.greet(time.monotonic() + _HEALTH_SECONDS)
        except Silent as failure:
            return self._hung(failure)
        except Missed:
            pass
        return ""

    def close(self) -> None:
        """Lets go of the connection."""
        self._wire.close()

    def _asked(self, method: str, path: str, body: bytes, within: float) -> Any:
        try:
            reply = self._wire.request(method, path, body, {}, time.monotonic() + within)
        except Unreachable as failure:
            raise KgError(Code.UNAVAILABLE, "The server is not running. Start it with `kg start`.") from failure
        except Silent as failure:
            raise KgError(Code.UNAVAILABLE, self._hung(failure)) from failure
        except Missed as failure:
            raise KgError(Code.UNAVAILABLE, f"Something listens, but {failure}. `kg logs` may say more.") from failure
        try:
            found = json.loads(reply.body)
        except ValueError as failure:
            sentence = f"The server sent no JSON (status {reply.status}). `kg logs` may say more."
            raise KgError(Code.INTERNAL, sentence) from failure
        if reply.status == 200:
            return found
        refusal = _failure(found, reply.status)
        raise self._of_another_version() if reply.status in _UNKNOWN and refusal.code == Code.INVALID else refusal

    def _of_another_version(self) -> KgError:
        """What a server says to a path that it does not have helps nobody: what helps is one of this version."""
        where = endpoint(self._server_file)
        version = "" if where is None else where.version
        theirs = f"kg {version}" if version not in {"", VERSION} else "another kg"
        what = f"The server is {theirs} and does not know what this one, kg {VERSION}, asks."
        mend = "Use the newer `kg`, or replace" if newer(version, VERSION) else "Replace"
        data = {"server": version, "command": VERSION}
        return KgError(Code.UNAVAILABLE, f"{what} {mend} it with `kg restart`.", data)

    def _hung(self, failure: Silent) -> str:
        where = endpoint(self._server_file)
        process = "its process" if where is None else f"process {where.pid}"
        advice = f"Try again in a moment; if it stays silent, end {process} by hand and run `kg start`."
        return f"Something listens, but {failure}. `kg logs` may say why. {advice}"


def _encoded(query: Query) -> str:
    return urlencode([(name, _bytes(value)) for name, value in _pairs(query)])


def _too_long(query: Query, length: int) -> KgError:
    """Of a query that no request can carry, what makes it so long."""
    lengths = {name: len(_encoded({name: value})) for name, value in query.items()}
    name = max(lengths, key=lengths.__getitem__, default="path")
    return _too_much(
        f"Encoded for the server, `{name}` takes {lengths.get(name, length):,} bytes", length, LARGEST_TARGET
    )


def _too_much(what: str, length: int, limit: int) -> KgError:
    sentence = f"{what}, and a request may have {limit:,} in all. Shorten it, or ask for less at a time."
    return KgError(Code.TOO_LARGE, sentence, {"length": length, "limit": limit})


def _pairs(query: Query) -> Iterator[tuple[str, str]]:
    for name, values in query.items():
        yield from ((name, value) for value in ([values] if isinstance(values, str) else values))


def _bytes(value: str) -> bytes:
    """What a server reads as this text again, the names of folders that are not UTF-8 among them."""
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return value.encode("utf-8", "replace")


def _failure(found: Any, status: int) -> KgError:
    error = found.get("error") if isinstance(found, dict) else None
    if not isinstance(error, dict):
        return KgError(Code.INTERNAL, f"The server answered with status {status}. `kg logs` may say more.")
    code = error.get("code")
    known = Code(code) if code in set(Code) else Code.INTERNAL
    return KgError(known, str(error.get("sentence", "")), error.get("data") or {})
