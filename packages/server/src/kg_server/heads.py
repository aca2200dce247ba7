"""The wire of the server: HTTP/1.1, with an end to how much head a request may have and to how many may only wait."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

if TYPE_CHECKING:
    from asyncio import Transport
    from collections.abc import Mapping

LARGEST_HEAD: Final = 64 * 1024
"""Bytes of a request before its body; the parser itself knows no limit and keeps all that comes."""
MOST_STRANGERS: Final = 512
"""Connections over which nobody has shown the token yet. Any local program can open them and then say nothing."""


class BoundedHeads(HttpToolsProtocol):
    """Hangs up on whoever sends a head that is larger than any of ours could be, and on the stranger who has waited for
    the longest when there are too many.
    """

    _in_head = True
    _unread = 0
    since = 0.0
    """When somebody connected, on the clock of the loop."""
    _was_trusted = False
    _state: Mapping[str, Any] = MappingProxyType({})
    """What the guard has found out about the last request."""

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Somebody has connected."""
        super().connection_made(transport)
        self.since = self.loop.time()
        if len(self.connections) > MOST_STRANGERS:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        """Parses what came, and counts it as long as the head has not ended."""
        super().data_received(data)
        self._unread = self._unread + len(data) if self._in_head else 0
        if self._unread > LARGEST_HEAD:
            self.transport.close()

    def on_message_begin(self) -> None:
        """A head begins."""
        self._in_head = True
        self._was_trusted = self.is_trusted
        super().on_message_begin()
        self._state = self.scope["state"]

    def on_header(self, name: bytes, value: bytes) -> None:
        """A field of the head. Those that follow a body are nobody's business: they would be kept without an end, and
        be read as if the guard had seen them.
        """
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """It has ended."""
        self._in_head = False
        super().on_headers_complete()

    @property
    def is_trusted(self) -> bool:
        """Whether the token was shown over this connection."""
        return self._was_trusted or bool(self._state.get("trusted"))

    def _make_room(self) -> None:
        held = [each for each in self.connections if isinstance(each, BoundedHeads) and not each.is_trusted]
        if len(held) > MOST_STRANGERS:
            oldest = min(held, key=lambda each: each.since)
            self.connections.discard(oldest)
            oldest.transport.abort()
