"""The wire of the server: HTTP/1.1, with an end to how much head a request may have."""

from __future__ import annotations

from typing import Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LARGEST_HEAD: Final = 64 * 1024
"""Bytes of a request before its body; the parser itself knows no limit and keeps all that comes."""


class BoundedHeads(HttpToolsProtocol):
    """Hangs up on whoever sends a head that is larger than any of ours could be."""

    _in_head = True
    _unread = 0

    def data_received(self, data: bytes) -> None:
        """Parses what came, and counts it as long as the head has not ended."""
        super().data_received(data)
        self._unread = self._unread + len(data) if self._in_head else 0
        if self._unread > LARGEST_HEAD:
            self.transport.close()

    def on_message_begin(self) -> None:
        """A head begins."""
        self._in_head = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """It has ended."""
        self._in_head = False
        super().on_headers_complete()
