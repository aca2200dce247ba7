"""The protocol of kg over the index: every call in one thread of its own, so that the server's loop never waits."""

from __future__ import annotations

import asyncio
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

from kg_plugin_api import Code, KgError, SearchResults, SearchUnavailable
from kg_search_sqlite.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kg_plugin_api import SearchItem, SearchRequest

P = ParamSpec("P")
T = TypeVar("T")

_FILE: Final = Path("state", "search-sqlite.db")
_DAMAGED: Final = ("SQLITE_CORRUPT", "SQLITE_NOTADB")


class SqliteBackend:
    """Implements ``kg_plugin_api.SearchBackend``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="kg-search-sqlite")
        self._table: Table | None = None

    @classmethod
    async def open(cls, options: Mapping[str, str]) -> SqliteBackend:
        """Opens the file of the option ``path``, or the usual one below ``home``; a damaged one is begun anew.

        Raises INVALID for options that do not fit, SearchUnavailable where the file cannot be opened.
        """
        backend = cls(_path(options))
        try:
            await backend._run(backend._open)
        except BaseException:
            await backend.close()
            raise
        return backend

    async def upsert(self, items: Sequence[SearchItem]) -> None:
        """Replaces by key, all of them or none."""
        await self._run(self._opened().upsert, items)

    async def remove(self, keys: Sequence[str]) -> None:
        """Forgets keys; unknown ones are ignored."""
        await self._run(self._opened().remove, keys)

    async def search(self, request: SearchRequest) -> SearchResults:
        """Answers within the budget, or raises TimeoutError."""
        return SearchResults(hits=tuple(await self._run(self._opened().search, request)))

    async def snapshot(self) -> Mapping[str, str]:
        """Key → hash of all that is indexed."""
        return await self._run(self._opened().snapshot)

    async def health(self) -> Mapping[str, object]:
        """Where the index is, and how much is in it."""
        return {"path": str(self._path), "items": await self._run(self._opened().__len__)}

    async def close(self) -> None:
        """Lets go of the file after the call that runs, if one does. May be called twice."""
        table, self._table = self._table, None
        if table is not None:
            await self._run(table.close)
        self._thread.shutdown(wait=False)

    def _open(self) -> None:
        """Runs in the thread."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path.touch(mode=0o600)
        try:
            self._table = Table(self._path)
        except sqlite3.DatabaseError as failure:
            if not _is_damage(failure):
                raise
            self._forget()
            self._table = Table(self._path)

    def _forget(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
        self._path.touch(mode=0o600)

    def _opened(self) -> Table:
        if self._table is None:
            raise SearchUnavailable("The index is closed.")
        return self._table

    async def _run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Calls in the thread. What SQLite or the system refuses is SearchUnavailable, and damage is cleared away."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: call(*args, **kwargs))
        except sqlite3.Error as failure:
            if self._table is not None and _is_damage(failure):
                await self.close()
                self._forget()
                raise SearchUnavailable(f"{self._path} was damaged. It is built anew.") from failure
            raise SearchUnavailable(f"{self._path}: {failure}.") from failure
        except TimeoutError:
            raise
        except OSError as failure:
            raise SearchUnavailable(f"{self._path} cannot be opened ({failure.strerror}).") from failure


def _path(options: Mapping[str, str]) -> Path:
    given = dict(options)
    home = Path(given.pop("home"))
    path = given.pop("path", "")
    if given:
        named = ", ".join(sorted(given))
        raise KgError(Code.INVALID, f"The search backend sqlite has no option {named}; it takes `path` alone.")
    return home / (Path(path).expanduser() if path else _FILE)


def _is_damage(failure: sqlite3.Error) -> bool:
    return str(getattr(failure, "sqlite_errorname", "")).startswith(_DAMAGED)
