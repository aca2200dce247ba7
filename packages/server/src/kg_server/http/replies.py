"""Replies in JSON that can be sent whatever a client or a file put into them."""

from __future__ import annotations

from starlette.responses import JSONResponse

from kg_server.carrier import protocol


class Json(JSONResponse):
    """A reply in JSON."""

    def render(self, content: object) -> bytes:
        """The body. Half a surrogate pair, which UTF-8 cannot hold, is sent as an escape and read as it was."""
        return protocol.encoded(content)
