"""What ``kg pg …`` does, in the server. Answers are JSON-compatible."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Final

from kg_plugin_api import Code, KgError, SearchUnavailable
from kg_search_pg.calibration import LEAST, Pair, gate, quantiles
from kg_search_pg.embedding import EmbedderFailed, written
from kg_search_pg.reranking import RerankerFailed
from kg_search_pg.schema import drop

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kg_search_pg.backend import PgBackend
    from kg_search_pg.desk import Desk
    from kg_search_pg.reranking import Reranker

_SAMPLE: Final = 100
_SECONDS: Final = 20.0
"""How long a calibration asks."""
_LOCK_SECONDS: Final = 2.0
"""How long dropping may wait for whoever is at the tables: every search waits behind it."""
_MISSES: Final = 100
_QUESTION: Final = 200
"""Characters of a case that make a question."""

_RERANKING_SECONDS: Final = 10.0
_NO_MODEL: Final = "There is no model: `embedder` under [search.options] names one."

_SIZES: Final = """
    select current_setting('server_version'), (select extversion from pg_extension where extname = 'vector'),
        pg_total_relation_size('chunk'), pg_indexes_size('chunk'),
        (select count(distinct model) from chunk where model is not null)
"""
_PAIRS: Final = """
    select note.key, substr(note.content, 1, %s) from chunk as note
    where note.ordinal = 1 and note.type = 'node'
        and exists (select from chunk as gist where gist.key = note.key and gist.ordinal = 0 and gist.model is not null)
    order by md5(note.key) limit %s
"""
_DISTANCES: Final = """
    select min(embedding <=> %(vector)s::vector) filter (where key = %(key)s),
        min(embedding <=> %(vector)s::vector) filter (where key <> %(key)s)
    from chunk where ordinal <= 0 and type = 'node' and model is not null
"""


async def status(desk: Desk) -> Mapping[str, object]:
    """What is indexed, by which model, how much is left, and how large it is."""
    backend = desk.opened()
    options = desk.chosen()
    async with backend.database.connection() as connection:
        server, vector, size, indexes, models = await (await connection.execute(_SIZES)).fetchone() or (None,) * 5
    return {
        **await backend.health(),
        "postgres": server,
        "pgvector": vector,
        "private": not options.dsn,
        "schema": options.schema,
        "bytes": size,
        "index_bytes": indexes,
        "models": models,
        "gate": options.gate,
        "reranker": options.reranker_url,
    }


async def doctor(desk: Desk) -> Mapping[str, object]:
    """What is wrong, with what mends it; ``ok`` when nothing is."""
    options = desk.chosen()
    try:
        told = await status(desk)
        backend = desk.opened()
    except (KgError, TimeoutError) as failure:
        return _found([_finding("postgres", str(failure), "The server tries again by itself.")])
    findings = [_finding("postgres", f"PostgreSQL {told['postgres']}, pgvector {told['pgvector'] or 'missing'}")]
    findings.append(_finding("rows", f"{told['rows']} in all, {told['embedded']} with a vector"))
    if problem := told.get("problem"):
        findings.append(_finding("meaning", str(problem), "Until then it is searched by words alone."))
    elif backend.meaning.embedder is None:
        findings.append(_finding("meaning", "Nothing embeds; it is searched by words alone."))
    else:
        findings.append(await _embeds(backend))
    if backend.reranker is not None:
        findings.append(await _reranks(backend.reranker))
    if isinstance(models := told["models"], int) and models > 1:
        findings.append(_finding("model", "Vectors of several models are there.", "It embeds until there is one."))
    findings += await _of_documents(backend)
    if not options.gate:
        findings.append(
            _finding("gate", "No lesson comes to mind by its meaning alone; `kg pg calibrate` measures when it may.")
        )
    return _found(findings)


async def calibrate(desk: Desk) -> Mapping[str, object]:
    """Distances of questions made of cases, to their own lesson and to the nearest other, and the gate they allow."""
    backend = desk.opened()
    embedder = backend.meaning.embedder
    queue = backend.meaning.queue
    if embedder is None or not (queue and queue.dimensions):
        stated = backend.meaning.problem or (queue.problem if queue else "")
        why = _sentence(stated) if stated else _NO_MODEL if embedder is None else _advice(0, 0.0)
        raise KgError(Code.CONFLICT, f"Nothing is embedded. {why}")
    async with backend.database.connection() as connection:
        cases = await (await connection.execute(_PAIRS, [_QUESTION, _SAMPLE])).fetchall()
    pairs: list[Pair] = []
    deadline = time.monotonic() + _SECONDS
    for key, text in cases:
        if time.monotonic() > deadline:
            break
        try:
            vector = await embedder.query(text)
        except EmbedderFailed as failure:
            raise SearchUnavailable(f"{failure.sentence}.") from failure
        async with backend.database.connection() as connection:
            found = await connection.execute(_DISTANCES, {"vector": written(vector), "key": key})
            own, other = await found.fetchone() or (None, None)
        if own is not None and other is not None:
            pairs.append(Pair(own, other))
    suggested = gate(pairs)
    return {
        "model": embedder.model,
        "pairs": len(pairs),
        "own": quantiles([pair.own for pair in pairs]),
        "other": quantiles([pair.other for pair in pairs]),
        "gate": suggested,
        "sentence": _advice(len(pairs), suggested),
    }


async def misses(desk: Desk) -> Mapping[str, object]:
    """The questions that nothing answered, newest first, where they are written down."""
    backend = desk.opened()
    if backend.misses is None:
        sentence = (
            'Nothing is written down. Put `misses = "true"` under [search.options] in config.toml, then `kg restart`.'
        )
        return {"written_down": False, "sentence": sentence}
    try:
        return {"written_down": True, "misses": await asyncio.to_thread(backend.misses.read, _MISSES)}
    except OSError as error:
        raise KgError(Code.UNAVAILABLE, f"What was written down cannot be read ({error}).") from error


async def reindex(desk: Desk) -> Mapping[str, object]:
    """Drops everything; the server finds that out, brings the tables back and sends all again."""
    backend = desk.opened()
    try:
        async with backend.database.connection() as connection, connection.transaction():
            wait = str(round(_LOCK_SECONDS * 1000))
            await connection.execute("select set_config('lock_timeout', %s, true)", [wait])
            await drop(connection, desk.chosen().schema)
    except TimeoutError as error:
        raise KgError(
            Code.UNAVAILABLE,
            "Nothing was dropped: somebody is at the tables, as a dump is, or what builds the index over the vectors. "
            "Try again once that is done.",
        ) from error
    except SearchUnavailable:
        if not backend.is_closed:
            raise
        # The server may see the tables go and close all connections, ours too, before we are told that they went.
        return {"sentence": "The server is opening the index anew. `kg pg status` shows how far it is."}
    return {"sentence": "The index is gone. Within a minute the server builds it anew; the built-in index answers."}


async def _embeds(backend: PgBackend) -> dict[str, str]:
    """Whether one word is embedded now."""
    embedder = backend.meaning.embedder
    if embedder is None:
        return _finding("meaning", "Nothing embeds.")
    began = time.monotonic()
    try:
        vector = await embedder.query("memory")
    except EmbedderFailed as failure:
        return _finding("meaning", failure.sentence, "Until then it is searched by words alone.")
    took = round((time.monotonic() - began) * 1000)
    return _finding("meaning", f"{embedder.model}, {len(vector)} dimensions, a question took {took} ms")


async def _reranks(reranker: Reranker) -> dict[str, str]:
    """Whether two words are put in order now."""
    began = time.monotonic()
    try:
        await reranker.scores("memory", ["memory", "kettle"], _RERANKING_SECONDS)
    except RerankerFailed as failure:
        return _finding("reranker", failure.sentence, "Until then what is found keeps its order.")
    return _finding("reranker", f"it answers; a question took {round((time.monotonic() - began) * 1000)} ms")


async def _of_documents(backend: PgBackend) -> list[dict[str, str]]:
    """What keeps a folder's documents from being looked at."""
    try:
        standings = await backend.documents.standings() if backend.documents is not None else []
    except KgError as failure:
        return [_finding("documents", failure.sentence, "What was indexed stays.")]
    problems = [standing for standing in standings if standing.problem]
    findings = [_finding("documents", standing.problem, "What was indexed stays.") for standing in problems]
    if standings and not problems:
        findings.append(_finding("documents", f"{sum(each.count.documents for each in standings)} in all"))
    return findings


def _finding(area: str, sentence: str, mends: str = "") -> dict[str, str]:
    told = f"{_sentence(sentence)} {mends}" if mends else sentence
    return {"area": area, "level": "problem" if mends else "ok", "sentence": told}


def _sentence(stated: str) -> str:
    """What something failed with, as a sentence."""
    return f"{stated[:1].upper()}{stated[1:].rstrip('.')}."


def _found(findings: Sequence[dict[str, str]]) -> dict[str, Any]:
    return {"ok": all(finding["level"] == "ok" for finding in findings), "findings": list(findings)}


def _advice(pairs: int, suggested: float) -> str:
    if pairs < LEAST:
        return f"Too few lessons with cases to measure it ({pairs} of {LEAST}): leave the gate closed."
    if not suggested:
        return "This model does not tell the same from something else well enough: leave the gate closed."
    return f'Put `gate = "{suggested}"` under [search.options] in config.toml, then `kg restart`.'
