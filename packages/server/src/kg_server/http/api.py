"""``/api/v1``: what the command line asks. A GET changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.routing import Route

from kg_plugin_api import Code, KgError
from kg_server.http import bodies
from kg_server.http.health import described
from kg_server.http.replies import Json, Streamed, large

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request

    from kg_core.host import Plugins
    from kg_plugin_api import Operation
    from kg_server.interface import MemoryService

_MOST_DECISIONS: Final = 100


def routes(memory: MemoryService, plugins: Plugins, stop: Callable[[], None]) -> list[Route]:
    """Reading, plug-ins and their operations, and stopping the server."""

    async def show(request: Request) -> Streamed:
        query = bodies.query_of(request)
        return await large(await memory.show(query.get("cwd", ""), query.getlist("id")))

    async def search(request: Request) -> Json:
        query = bodies.query_of(request)
        narrowing = {name: query.get(name, "") for name in ("depth", "observer", "observed")}
        return Json(dict(await memory.search(query.get("cwd", ""), query.get("query", ""), **narrowing)))

    async def why(request: Request) -> Json:
        query = bodies.query_of(request)
        found = await memory.why(query.get("cwd", ""), query.get("id", ""), query.get("level", ""))
        return Json(dict(found))

    async def why_recall(request: Request) -> Json:
        query = bodies.query_of(request)
        most = _number(query.get("count", "1"))
        return Json(dict(await memory.why_recall(query.get("cwd", ""), query.get("session", ""), most)))

    async def show_map(request: Request) -> Json:
        query = bodies.query_of(request)
        found = await memory.show_map(query.get("cwd", ""), query.get("path", ""), query.get("component", ""))
        return Json(dict(found))

    async def check_map(request: Request) -> Json:
        return Json(dict(await memory.check_map(bodies.query_of(request).get("cwd", ""))))

    async def preview(request: Request) -> Json:
        query = bodies.query_of(request)
        found = await memory.preview(query.get("harness", ""), query.get("cwd", ""))
        return Json({"text": found.text, "measure": found.measure, "limit": found.limit, "unit": str(found.unit)})

    async def list_plugins(_: Request) -> Json:
        return Json(described(plugins))

    async def read_operation(request: Request) -> Json:
        operation = _operation(plugins, request)
        if operation.changes:
            raise KgError(Code.FORBIDDEN, "This operation changes something: POST it.")
        return await _answered(plugins, request, operation, _given(operation, bodies.query_of(request)))

    async def run_operation(request: Request) -> Json:
        operation = _operation(plugins, request)
        return await _answered(plugins, request, operation, await bodies.read_object(request))

    async def shut_down(_: Request) -> Json:
        stop()
        return Json({"stopping": True})

    operations = "/api/v1/plugins/{plugin}/{operation:path}"
    return [
        Route("/api/v1/show", show, methods=["GET"]),
        Route("/api/v1/search", search, methods=["GET"]),
        Route("/api/v1/why", why, methods=["GET"]),
        Route("/api/v1/why-recall", why_recall, methods=["GET"]),
        Route("/api/v1/map", show_map, methods=["GET"]),
        Route("/api/v1/map/check", check_map, methods=["GET"]),
        Route("/api/v1/preview", preview, methods=["GET"]),
        Route("/api/v1/plugins", list_plugins, methods=["GET"]),
        Route(operations, read_operation, methods=["GET"]),
        Route(operations, run_operation, methods=["POST"]),
        Route("/api/v1/stop", shut_down, methods=["POST"]),
    ]


def _number(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 9 and 1 <= int(text) <= _MOST_DECISIONS:
        return int(text)
    raise KgError(Code.INVALID, f"count is a number from 1 to {_MOST_DECISIONS}.")


def _given(operation: Operation, asked: Mapping[str, str]) -> dict[str, object]:
    """The arguments of a query as a body would have them: a flag is a truth."""
    flags = {argument.name for argument in operation.arguments if argument.flag}
    return {name: value.lower() == "true" if name in flags else value for name, value in asked.items()}


async def _answered(plugins: Plugins, request: Request, operation: Operation, given: Mapping[str, object]) -> Json:
    """What an operation answers. One that fails, or answers with what is no JSON, is a problem of its plug-in."""
    plugin = request.path_params["plugin"]
    try:
        return Json(dict(await operation.run(given)))
    except KgError:
        raise
    except (Exception, SystemExit) as failure:
        plugins.failed(plugin, f"operation {operation.name}", failure)
        kind = type(failure).__name__
        sentence = f"The plug-in {plugin} failed at {operation.name} ({kind}). `kg plugins` says where."
        raise KgError(Code.INTERNAL, sentence) from failure


def _operation(plugins: Plugins, request: Request) -> Operation:
    plugin, name = request.path_params["plugin"], request.path_params["operation"].replace("/", " ")
    found = plugins.operation(plugin, name)
    if found is None:
        sentence = (
            f"The server has no operation {name} of a plug-in {plugin}; `kg plugins` lists them. "
            "It knows a plug-in that was installed meanwhile after `kg restart`."
        )
        raise KgError(Code.NOT_FOUND, sentence)
    return found
