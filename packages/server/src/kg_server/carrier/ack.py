"""What became of a delivery, told to the server."""

from __future__ import annotations

from kg_server.carrier import jsontext
from kg_server.carrier.wire import Missed, Wire


def acknowledge(wire: Wire, delivery: str, deadline: float, *, arrived: bool) -> None:
    """Tells the server whether a delivery reached the client; when the server is gone, its marks lapse anyway."""
    body = f'{{"delivery":{jsontext.quoted(delivery)},"arrived":{"true" if arrived else "false"}}}'.encode()
    try:
        wire.request("POST", "/ack", body, {}, deadline)
    except Missed:
        return
