"""Reading request bodies: bounded, and JSON objects only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.model.foreign import loads
from kg_plugin_api import Code, KgError
from kg_server.security import LARGEST_BODY

if TYPE_CHECKING:
    from starlette.requests import Request


async def read(request: Request) -> bytes:
    """The whole body. Raises TOO_LARGE as soon as more comes than a request may carry, whatever it announced."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > LARGEST_BODY:
            raise KgError(Code.TOO_LARGE, "A request may carry 4 MiB at the most.")
        parts.append(part)
    return b"".join(parts)


async def read_object(request: Request) -> dict[str, object]:
    """The body as a JSON object. Raises INVALID for anything else."""
    body = await read(request)
    try:
        found = loads(body)
    except (ValueError, RecursionError) as failure:
        raise KgError(Code.INVALID, "The body is not JSON.") from failure
    if not isinstance(found, dict):
        raise KgError(Code.INVALID, "The body must be a JSON object.")
    return found
