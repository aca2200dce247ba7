"""Writing the rows of documents: one for each file, and one for each piece, which is searched like a node's."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, LiteralString

from kg_search_pg.chunks import NOTE, TITLE, TOUCH, Chunk, marked, vector
from kg_search_pg.database import hold
from kg_search_pg.words import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from kg_search_pg.database import Database
    from kg_search_pg.documents.document import Document
    from kg_search_pg.stems import Stem, Stems

DOCUMENT: Final = "document"
"""The type of a row that is a piece of a document."""

_FILE: Final = """
    insert into document (path, root, kind, title, digest, has_secrets)
    values (%(path)s, %(root)s, %(kind)s, %(title)s, %(digest)s, %(has_secrets)s)
    on conflict (path) do update set root = excluded.root, kind = excluded.kind, title = excluded.title,
        digest = excluded.digest, has_secrets = excluded.has_secrets
"""
_PIECE: Final = """
    insert into chunk (key, ordinal, graph, item, type, level, tier, status, kind, tags, repository, observer, observed,
        hash, digest, content, words, heading, line)
    values (%(key)s, 0, %(graph)s, %(path)s, 'document', %(level)s, '', 'current', %(kind)s, '{}', %(root)s, '', '', '',
        %(digest)s, %(content)s, %(words)s::tsvector, %(heading)s, %(line)s)
    on conflict (key, ordinal) do update set graph = excluded.graph, level = excluded.level, kind = excluded.kind,
        repository = excluded.repository, heading = excluded.heading, line = excluded.line,
        words = case when chunk.words = excluded.words then chunk.words else excluded.words end
"""
"""A piece is named by what it says, so one that is only moved, or under another heading, keeps its vector."""
_COUNTS: Final = """
    select document.root, count(*), count(*) filter (where has_secrets), coalesce(sum(pieces), 0)::bigint,
        coalesce(sum(embedded), 0)::bigint
    from document left join (
        select item, count(*) as pieces, count(model) as embedded from chunk where type = 'document' group by item
    ) as piece on item = path
    group by document.root
"""


@dataclass(frozen=True, slots=True)
class Count:
    """How much of a folder is indexed."""

    documents: int = 0
    with_secrets: int = 0
    passages: int = 0
    embedded: int = 0


class DocumentRows:
    """The rows of all documents. All methods raise SearchUnavailable."""

    def __init__(self, database: Database, stems: Stems) -> None:
        self._database = database
        self._stems = stems

    async def known(self, root: Path) -> dict[str, bytes]:
        """Path → digest of what is indexed of a folder."""
        async with self._database.connection() as connection:
            found = await connection.execute("select path, digest from document where root = %s", [clean(str(root))])
            return {path: bytes(digest) for path, digest in await found.fetchall()}

    async def write(self, documents: Sequence[Document], root: Path, graph: str) -> None:
        """Replaces these documents; of their pieces, those that say the same stay as they are."""
        pairs = await asyncio.to_thread(_taken_apart, documents, root)
        async with self._database.owned() as connection:
            stems = await self._stems.of(connection, {term for _, _, chunk in pairs for _, term in chunk.marked})
            files, pieces = await asyncio.to_thread(_rows, documents, pairs, root, graph, stems)
            await hold(connection, "type = 'document' and item = any(%s)", [[file["path"] for file in files]])
            cursor = connection.cursor()
            await cursor.executemany(_FILE, files)
            await cursor.execute(
                "delete from chunk where type = 'document' and item = any(%s) and key <> all(%s)",
                [[file["path"] for file in files], [piece["key"] for piece in pieces]],
            )
            await cursor.executemany(_PIECE, pieces)

    async def assign(self, root: Path, graph: str) -> None:
        """Has all documents of a folder found from this graph."""
        others = "type = 'document' and repository = %s and graph <> %s"
        values = [clean(str(root)), clean(graph)]
        async with self._database.owned() as connection:
            await hold(connection, others, values)
            await connection.execute(
                f"update chunk set graph = %s, level = %s where {others}", [clean(graph), _level(graph), *values]
            )

    async def forget(self, paths: Sequence[str]) -> None:
        """Forgets documents; unknown ones are ignored."""
        if paths:
            await self._delete("item = any(%s)", "path = any(%s)", [list(paths)])

    async def forget_all_but(self, roots: Sequence[Path]) -> None:
        """Forgets the documents of all other folders."""
        await self._delete("repository <> all(%s)", "root <> all(%s)", [[clean(str(root)) for root in roots]])

    async def counts(self) -> Mapping[str, Count]:
        """How much is indexed, by folder."""
        async with self._database.connection() as connection:
            found = await connection.execute(_COUNTS)
            return {
                root: Count(documents, with_secrets, passages, embedded)
                for root, documents, with_secrets, passages, embedded in await found.fetchall()
            }

    async def _delete(self, of_pieces: LiteralString, of_files: LiteralString, values: Sequence[object]) -> None:
        async with self._database.owned() as connection:
            await hold(connection, f"type = 'document' and {of_pieces}", values)
            await connection.execute(f"delete from chunk where type = 'document' and {of_pieces}", values)
            await connection.execute(f"delete from document where {of_files}", values)


def _taken_apart(documents: Sequence[Document], root: Path) -> list[tuple[Document, str, Chunk]]:
    """Each piece with its key and its terms."""
    return [(document, key, chunk) for document in documents for key, chunk in _chunks(document, root)]


def _chunks(document: Document, root: Path) -> Iterator[tuple[str, Chunk]]:
    """A piece is found by its words, by the headings above it and by the names of its file and folders."""
    again: Counter[bytes] = Counter()
    name = document.path.removeprefix(clean(str(root)))
    for piece in document.pieces:
        chunk = Chunk(
            0, clean(piece.text), marked([(TITLE, piece.heading or document.title), (NOTE, piece.text), (TOUCH, name)])
        )
        digest = chunk.digest
        yield f"\x1f{document.path}\x1f{digest.hex()}\x1f{again[digest]}", chunk
        again[digest] += 1


def _rows(
    documents: Sequence[Document],
    pairs: Sequence[tuple[Document, str, Chunk]],
    root: Path,
    graph: str,
    stems: Mapping[str, Stem],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    files = [
        {
            "path": document.path,
            "root": clean(str(root)),
            "kind": document.kind,
            "title": clean(document.title),
            "digest": document.digest,
            "has_secrets": document.has_secrets,
        }
        for document in documents
    ]
    placed = (piece for document in documents for piece in document.pieces)
    pieces = [
        {
            "key": key,
            "graph": clean(graph),
            "path": document.path,
            "level": _level(graph),
            "kind": document.kind,
            "root": clean(str(root)),
            "digest": chunk.digest,
            "content": chunk.content,
            "words": vector(chunk.marked, stems),
            "heading": clean(piece.heading),
            "line": piece.line,
        }
        for (document, key, chunk), piece in zip(pairs, placed, strict=True)
    ]
    return files, pieces


def _level(graph: str) -> str:
    return graph.partition(":")[0]
