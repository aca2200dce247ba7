"""Reading what a request brings: bodies, bounded and JSON objects only, and queries."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.datastructures import QueryParams

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


def query_of(request: Request) -> QueryParams:
    """The query. Names of folders that are not UTF-8 are read as Python names them, so that they are found."""
    query = request.scope["query_string"].decode("latin-1")
    return QueryParams(parse_qsl(query, keep_blank_values=True, errors="surrogateescape"))
