"""Connections to Postgres: a bounded number of them, each with its limits."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from typing import TYPE_CHECKING, Any, Final, LiteralString, Protocol

import psycopg
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from kg_plugin_api import SearchUnavailable
from kg_search_pg.dsn import check
from kg_search_pg.owner import confirm

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from types import TracebackType

    from psycopg import AsyncConnection

    from kg_search_pg.owner import Owner

WRITE_SECONDS: Final = 30.0
"""No statement takes longer, unless it says so."""
_CONNECT_SECONDS: Final = 5
_ENCODING: Final = "UTF8"
"""Of all connections, whatever a DSN or the environment says: a text may have any character."""
_CLOSE_SECONDS: Final = 1.0
_GRACE_SECONDS: Final = 0.5
"""How much later than its own limit a statement may end."""


class Explain(Protocol):
    """Adds to a sentence on a failure what is known of the Postgres behind it."""

    def __call__(self, sentence: str, *, is_lost: bool) -> str:
        """The fuller sentence, without an end mark; with ``is_lost`` the connection went, and so it may have ended."""
        ...


def as_told(sentence: str, *, is_lost: bool) -> str:
    """The sentence as it is: of somebody else's Postgres nothing more is known."""
    return sentence


class Failing:
    """Turns what goes wrong in Postgres into SearchUnavailable, or into TimeoutError where only time was lacking."""

    def __init__(self, explain: Explain = as_told) -> None:
        self._explain = explain

    def __enter__(self) -> None:
        """Nothing yet."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Raises in place of what Postgres or its driver raised."""
        if isinstance(error, PoolTimeout | psycopg.errors.QueryCanceled | psycopg.errors.LockNotAvailable):
            raise TimeoutError("Postgres did not answer in time") from error
        if isinstance(error, PoolClosed):
            raise SearchUnavailable("The connections to Postgres are closed.") from error
        if isinstance(error, psycopg.errors.UndefinedTable):
            raise SearchUnavailable("The index is being made anew; try again in a moment.") from error
        if isinstance(error, psycopg.Error):
            sentence = f"Postgres: {told(error)}"
            raise SearchUnavailable(f"{self._explain(sentence, is_lost=_is_lost(error))}.") from error


def told(error: psycopg.Error) -> str:
    """What Postgres or its driver said, in one line without an end mark. The driver's hints are left out: they ask."""
    said = error.diag.message_primary or str(error) or type(error).__name__
    lines = said.splitlines()
    stated = [line for line in lines if not line.startswith("\t")]
    return " ".join(" ".join(stated or lines).split())[:300].rstrip(".:?! ")


def _is_lost(error: psycopg.Error) -> bool:
    """Whether it was the connection that failed, not a statement."""
    ended = psycopg.errors.AdminShutdown | psycopg.errors.CrashShutdown
    return isinstance(error, ended) or (isinstance(error, psycopg.OperationalError) and error.sqlstate is None)


class Database:
    """A bounded pool. Connections commit each statement by itself unless told otherwise."""

    def __init__(
        self, pool: AsyncConnectionPool[AsyncConnection[Any]], owner: Owner | None, explain: Explain = as_told
    ) -> None:
        self._pool = pool
        self._owner = owner
        self._explain = explain
        self._used: set[AsyncConnection[Any]] = set()

    @classmethod
    async def open(
        cls, dsn: str, *, path: Sequence[str], most: int, owner: Owner | None = None, explain: Explain = as_told
    ) -> Database:
        """Connects. ``path`` are the schemas in which names are looked up, the first of them that of ``owner``;
        ``explain`` knows the Postgres behind.

        Raises SearchUnavailable.
        """

        async def prepare(connection: AsyncConnection[Any]) -> None:
            names = ", ".join('"' + name.replace('"', '""') + '"' for name in path)
            await connection.execute("select set_config('search_path', %s, false)", [names])
            await set_timeout(connection, WRITE_SECONDS, is_local=False)

        pool: AsyncConnectionPool[AsyncConnection[Any]] = AsyncConnectionPool(
            dsn,
            min_size=1,
            max_size=max(2, most),
            open=False,
            kwargs={"autocommit": True, "connect_timeout": _CONNECT_SECONDS, "client_encoding": _ENCODING},
            configure=prepare,
            name="kg-search-pg",
        )
        database = cls(pool, owner, explain)
        try:
            with Failing(explain):
                await pool.open(wait=True, timeout=_CONNECT_SECONDS)
        except BaseException:
            await database.close()
            raise
        return database

    @contextlib.asynccontextmanager
    async def connection(self, seconds: float = WRITE_SECONDS) -> AsyncIterator[AsyncConnection[Any]]:
        """A connection, waited for at most so long, and cut off when Postgres takes longer than that.

        Raises TimeoutError when time was lacking and SearchUnavailable for whatever else fails meanwhile.
        """
        with Failing(self._explain):
            async with self._pool.connection(timeout=seconds) as connection:
                # A frozen Postgres ends no statement, and the driver waits for that end even when it is cancelled.
                cut = asyncio.get_running_loop().call_later(seconds + _GRACE_SECONDS, _cut, connection)
                self._used.add(connection)
                try:
                    yield connection
                finally:
                    self._used.discard(connection)
                    cut.cancel()

    @contextlib.asynccontextmanager
    async def owned(self) -> AsyncIterator[AsyncConnection[Any]]:
        """A connection with a transaction, until whose end the index stays the memory's that opened it.

        Raises what :meth:`connection` raises, and SearchUnavailable for an index that was handed over meanwhile.
        """
        async with self.connection() as connection, connection.transaction():
            if self._owner is not None:
                await confirm(connection, self._owner)
            yield connection

    async def close(self) -> None:
        """Lets go of all connections, also of those that do not answer."""
        for connection in self._used:
            _cut(connection)
        await self._pool.close(timeout=_CLOSE_SECONDS)


def _cut(connection: AsyncConnection[Any]) -> None:
    """Ends a connection under whoever waits for it."""
    with contextlib.suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(connection.pgconn.socket)) as line:
        line.shutdown(socket.SHUT_RDWR)


async def connect(dsn: str) -> AsyncConnection[Any]:
    """One connection beside the pool. Raises SearchUnavailable, or INVALID for a DSN that cannot be read."""
    check(dsn)
    with Failing():
        return await psycopg.AsyncConnection.connect(
            dsn, autocommit=True, connect_timeout=_CONNECT_SECONDS, client_encoding=_ENCODING
        )


async def set_timeout(connection: AsyncConnection[Any], seconds: float, *, is_local: bool = True) -> None:
    """Ends a statement that takes longer; with ``is_local`` until the end of the transaction."""
    await connection.execute(
        "select set_config('statement_timeout', %s, %s)", [str(max(1, round(seconds * 1000))), is_local]
    )


async def hold(connection: AsyncConnection[Any], rows: LiteralString, values: Sequence[object]) -> None:
    """Has a transaction take the rows that a condition names, in the order in which all do that take several.

    Else two that write, or one that writes and one that embeds, would wait for each other.
    """
    await connection.execute(f"select from chunk where {rows} order by id for update", values)
