"""Replies in JSON that can be sent whatever a client or a file put into them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from starlette.responses import JSONResponse, Response

from kg_core.store.slices import batches, in_slices
from kg_server.carrier import protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from starlette.types import Receive, Scope, Send

_ITEMS: Final = 50
_LENGTH: Final = 100_000


class Json(JSONResponse):
    """A reply in JSON."""

    def render(self, content: object) -> bytes:
        """The body. Half a surrogate pair, which UTF-8 cannot hold, is sent as an escape and read as it was."""
        return protocol.encoded(content)


class Streamed(Response):
    """A reply of JSON in pieces, sent in short steps."""

    def __init__(self, pieces: Sequence[bytes]) -> None:
        super().__init__(media_type="application/json", headers={"Content-Length": str(sum(map(len, pieces)))})
        self._pieces = pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends it."""
        del scope, receive
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async for piece in in_slices(self._pieces):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


async def large(content: Mapping[str, object]) -> Streamed:
    """A reply in JSON with long texts and lists, encoded in short steps. What an iterator gives is a list."""
    return Streamed([piece async for piece in in_slices(_pieces(content))])


def _pieces(content: Mapping[str, object]) -> Iterator[bytes]:
    before = b"{"
    for name, value in content.items():
        yield before + protocol.encoded(name) + b":"
        before = b","
        if isinstance(value, str):
            yield from _parts(
                b'"', (value[start : start + _LENGTH] for start in range(0, len(value), _LENGTH)), b"", b'"'
            )
        elif isinstance(value, list | Iterator):
            yield from _parts(b"[", batches(value, _ITEMS), b",", b"]")
        else:
            yield protocol.encoded(value)
    yield b"}" if content else b"{}"


def _parts(opening: bytes, values: Iterable[str | list[object]], between: bytes, closing: bytes) -> Iterator[bytes]:
    """A text or a list from its parts, each encoded without its quotation marks or brackets."""
    before = opening
    for value in values:
        yield before + protocol.encoded(value)[1:-1]
        before = between
    yield closing if before is not opening else opening + closing
