"""The tables, brought to their newest form under a lock, whoever comes first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, LiteralString

import psycopg
from psycopg import sql

from kg_plugin_api import Code, KgError
from kg_search_pg.database import told
from kg_search_pg.owner import claim

if TYPE_CHECKING:
    from psycopg import AsyncConnection

    from kg_search_pg.owner import Owner

LEAST_VECTOR: Final = (0, 8, 3)
"""The first pgvector whose index survives a vacuum unharmed, and that goes on looking when filters leave too little."""

MIGRATIONS: Final[tuple[LiteralString, ...]] = (
    """
    create table chunk (
        id bigint generated always as identity primary key,
        key text collate "C" not null,
        ordinal int not null,
        graph text collate "C" not null,
        item text collate "C" not null,
        type text not null default 'node',
        level text not null,
        tier text not null,
        status text not null,
        kind text not null,
        component text not null default '',
        tags text[] not null,
        repository text not null default '',
        observer text not null,
        observed text not null,
        hash bytea not null,
        digest bytea not null,
        content text not null,
        words tsvector not null,
        model text,
        unique (key, ordinal)
    ) with (fillfactor = 80);
    create index chunk_words on chunk using gin (words) with (fastupdate = off);
    create index chunk_graph on chunk (graph) where ordinal = 0;
    create index chunk_pending on chunk (id) where model is null;
    create table note (name text primary key, value text not null);
    """,
    """
    create table document (
        path text collate "C" primary key,
        root text collate "C" not null,
        kind text not null,
        title text not null,
        digest bytea not null,
        has_secrets boolean not null
    );
    create index document_root on document (root);
    alter table chunk add column heading text not null default '', add column line int not null default 0;
    create index chunk_document on chunk (item) where type = 'document';
    """,
    """
    drop index chunk_graph;
    create index chunk_graph on chunk (graph, type) where ordinal = 0;
    """,
)
"""Each is applied once, in order; one that was released is never edited. Without the vectors: these come with the
extension, where there is one."""

TABLES: Final = ("migration", *re.findall(r"create table (\w+)", "".join(MIGRATIONS)))
"""What is ours of a schema: a person may name one in which there is more."""

_USE: Final[tuple[LiteralString, ...]] = (
    (
        "select id, key, ordinal, graph, item, type, level, tier, status, kind, component, tags, repository, observer,"
        " observed, hash, digest, content, words, model, heading, line from chunk limit 0"
    ),
    "select name, value from note limit 0",
    "select path, root, kind, title, digest, has_secrets from document limit 0",
    "insert into chunk (key, ordinal) select key, ordinal from chunk limit 0 on conflict (key, ordinal) do nothing",
    "insert into note (name) select name from note limit 0 on conflict (name) do nothing",
    "insert into document (path) select path from document limit 0 on conflict (path) do nothing",
)
"""What can be done with the tables in their newest form: read, and replaced by key. None of it does anything."""

_LACKING: Final = (
    psycopg.errors.UndefinedTable,
    psycopg.errors.UndefinedColumn,
    psycopg.errors.InvalidColumnReference,
)
"""What Postgres says where a table, a column or what keeps keys apart is not there."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """Whether vectors can be kept: the schema of the extension, or ``problem``, which says why not."""

    schema: str = ""
    problem: str = ""


async def migrate(connection: AsyncConnection[Any], schema: str, owner: Owner | None = None) -> None:
    """Brings the tables to their newest form, for ``owner``, or in a Postgres that is nobody else's. Several may do so
    at once. Where somebody dropped a part of what was ours before, all is made anew: an index is never mended.

    Raises CONFLICT, and changes nothing, where they are another memory's or nobody's that is known.
    """
    name = sql.Identifier(schema)
    async with connection.transaction():
        await connection.execute("select pg_advisory_xact_lock(hashtextextended('kg-search-pg ' || %s, 0))", [schema])
        there = await connection.execute("select to_regnamespace(%s) is not null", [name.as_string(connection)])
        if (row := await there.fetchone()) and not row[0]:  # "if not exists" would ask for the right to create one
            await connection.execute(sql.SQL("create schema {}").format(name))
        await connection.execute(sql.SQL("set local search_path to {}").format(name))
        try:
            is_ours = owner is None or await claim(connection, schema, owner)
        except psycopg.errors.UndefinedColumn as error:
            raise _of_others(schema, error) from error
        try:
            await _bring(connection)
        except _LACKING as error:
            if not is_ours:
                raise _of_others(schema, error) from error
            await drop(connection, schema)
            await _bring(connection)
        except psycopg.errors.DuplicateTable as error:
            raise _of_others(schema, error) from error


def _of_others(schema: str, error: psycopg.Error) -> KgError:
    ours = ", ".join((*TABLES, "owner"))
    return KgError(
        Code.CONFLICT,
        f"The schema {schema} of this Postgres has tables that nobody notes down as kg's ({told(error)}). Give "
        "this memory a schema of its own (`schema` under [search.options] in config.toml, then `kg restart`), "
        f"or, if they are what is left of an index, drop them there: {ours}.",
    )


async def _bring(connection: AsyncConnection[Any]) -> None:
    """Applies the migrations that were not applied, and tries what all brought. Raises what Postgres raises, and then
    changes nothing.
    """
    async with connection.transaction():
        await connection.execute("create table if not exists migration (number int primary key)")
        (done,) = await (await connection.execute("select coalesce(max(number), 0) from migration")).fetchone() or (0,)
        for number, statements in enumerate(MIGRATIONS[done:], done + 1):
            await connection.execute(statements)
            await connection.execute("insert into migration values (%s)", [number])
        for statement in _USE:
            await connection.execute(statement)


async def drop(connection: AsyncConnection[Any], schema: str) -> None:
    """Drops our tables at one stroke, and nothing else that the schema holds. It stays its memory's."""
    ours = sql.SQL(", ").join(sql.Identifier(schema, table) for table in TABLES)
    await connection.execute(sql.SQL("drop table if exists {} cascade").format(ours))


async def with_vectors(connection: AsyncConnection[Any], schema: str) -> Vectors:
    """Brings the extension and the column for vectors, where that is possible."""
    try:
        async with connection.transaction():
            await connection.execute("select pg_advisory_xact_lock(hashtextextended('kg-search-pg vector', 0))")
            there = await connection.execute("select exists (select from pg_extension where extname = 'vector')")
            if (row := await there.fetchone()) and not row[0]:
                await connection.execute("create extension vector schema public")
    except psycopg.Error as error:
        return Vectors(problem=f"this Postgres has no pgvector ({told(error)}); `create extension vector` brings it")
    found = await connection.execute(
        "select extversion, nspname from pg_extension join pg_namespace n on n.oid = extnamespace"
        " where extname = 'vector'"
    )
    version, place = await found.fetchone() or ("0", "")
    if tuple(int(part) for part in version.split(".") if part.isdecimal()) < LEAST_VECTOR:
        least = ".".join(map(str, LEAST_VECTOR))
        return Vectors(problem=f"pgvector {version} is too old; {least} is needed (`alter extension vector update`)")
    lacking = await connection.execute(
        "select not exists (select from information_schema.columns where table_schema = %s and table_name = 'chunk'"
        " and column_name = 'embedding')",
        [schema],
    )
    if (row := await lacking.fetchone()) and row[0]:
        async with connection.transaction():
            await connection.execute(
                sql.SQL("alter table {} add column if not exists embedding {}").format(
                    sql.Identifier(schema, "chunk"), sql.Identifier(place, "vector")
                )
            )
            await connection.execute(
                sql.SQL("update {} set model = null where model is not null").format(sql.Identifier(schema, "chunk"))
            )
    return Vectors(schema=place)
