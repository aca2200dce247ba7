"""``/api/v1``: imports, restores, changes by hand, backups, exports, and what is done at once, not in its time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.routing import Route

from kg_server.http import bodies
from kg_server.http.replies import Json, Streamed

if TYPE_CHECKING:
    from starlette.requests import Request

    from kg_server.interface import MemoryService


_LESSON: Final = ("gist", "id", "notes", "touches", "tags")


def routes(memory: MemoryService) -> list[Route]:
    """An offer is opened, given in parts, and ended; the rest is one request each."""

    async def begin(request: Request) -> Json:
        return Json(await memory.keeping.offers.begin(await bodies.read_object(request)))

    async def take(request: Request) -> Json:
        part = await bodies.read_object(request)
        return Json(await memory.keeping.offers.take(request.path_params["offer"], part))

    async def end(request: Request) -> Json:
        return Json(await memory.keeping.offers.end(request.path_params["offer"]))

    async def delete(request: Request) -> Json:
        asked = await bodies.read_object(request)
        names = [str(name) for name in found] if isinstance(found := asked.get("ids"), list) else []
        cwd, level = str(asked.get("cwd", "")), str(asked.get("level", ""))
        return Json(await memory.keeping.deletions.delete(cwd, names, level))

    async def rename(request: Request) -> Json:
        asked = await bodies.read_object(request)
        cwd, name, new_id, level = (str(asked.get(key, "")) for key in ("cwd", "id", "new_id", "level"))
        return Json(await memory.keeping.renames.rename(cwd, name, new_id, level))

    async def add(request: Request) -> Json:
        asked = await bodies.read_object(request)
        lesson = {name: asked[name] for name in _LESSON if asked.get(name)}
        return Json(await memory.keeping.additions.add(str(asked.get("cwd", "")), str(asked.get("level", "")), lesson))

    async def backup(request: Request) -> Json:
        asked = await bodies.read_object(request)
        return Json(await memory.keeping.copies.backup(str(asked.get("path", ""))))

    async def export(request: Request) -> Streamed:
        query = bodies.query_of(request)
        return Streamed(await memory.keeping.copies.export(query.get("cwd", ""), query.get("level", "")))

    async def commit(_: Request) -> Json:
        committed = await memory.keeping.commits.commit()
        return Json({"committed": committed, "problem": memory.keeping.commits.problem})

    async def sync(_: Request) -> Json:
        return Json({"copies": await memory.keeping.exchange.sync()})

    return [
        Route("/api/v1/offers", begin, methods=["POST"]),
        Route("/api/v1/offers/{offer}", take, methods=["POST"]),
        Route("/api/v1/offers/{offer}/end", end, methods=["POST"]),
        Route("/api/v1/delete", delete, methods=["POST"]),
        Route("/api/v1/add", add, methods=["POST"]),
        Route("/api/v1/rename", rename, methods=["POST"]),
        Route("/api/v1/backup", backup, methods=["POST"]),
        Route("/api/v1/export", export, methods=["GET"]),
        Route("/api/v1/commit", commit, methods=["POST"]),
        Route("/api/v1/team", sync, methods=["POST"]),
    ]
