"""A cross-encoder that reads a question together with each of the best nodes, and puts these in a better order."""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from kg_search_pg.service import Lanes, Service, ServiceFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_plugin_api import SearchHit
    from kg_search_pg.database import Database

TEI: Final = "tei"
"""``{"query", "texts"}`` gives ``[{"index", "score"}]``."""
COHERE: Final = "cohere"
"""``{"model", "query", "documents"}`` gives ``{"results": [{"index", "relevance_score"}]}``."""
FORMS: Final = (TEI, COHERE)
POOL: Final = 30
"""So many of the best are read; the others stay behind them."""
RERANKED: Final = "reranked"
"""The name of a node's rank by it."""

_NOUN: Final = "the reranker"
_LONGEST: Final = 2_000
"""Characters of a node that are sent; most cross-encoders read 512 tokens of question and text together."""
_LONGEST_QUESTION: Final = 1_000
_LATE: Final = "the reranker took too long"
_TEXTS: Final = f"""
    select key, left(string_agg(content, E'\\n' order by ordinal), {_LONGEST})
    from chunk where key = any(%s) and ordinal between 0 and 19 group by key
"""


class RerankerFailed(Exception):
    """No order now. The sentence says why."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class Reranker:
    """Asks over HTTP, in threads. Raises RerankerFailed for a url that is none."""

    def __init__(self, form: str, url: str, *, model: str = "", key: str = "") -> None:
        try:
            self._service = Service(_NOUN, url.rstrip("/") + "/rerank", key)
        except ServiceFailed as failure:
            raise RerankerFailed(failure.sentence) from failure
        self._form = form
        self._model = model
        self._lanes = Lanes(_NOUN, "kg-rerank")

    async def scores(self, question: str, texts: Sequence[str], seconds: float) -> list[float]:
        """How well each text answers the question, the more the better; waits about so long.

        Raises RerankerFailed.
        """
        body = self._body(question[:_LONGEST_QUESTION], texts)
        try:
            async with asyncio.timeout(seconds):
                return await self._lanes.run(lambda: _scores(self._service.post(body, seconds), len(texts)))
        except ServiceFailed as failure:
            raise RerankerFailed(failure.sentence) from failure
        except TimeoutError as error:
            raise RerankerFailed(_LATE) from error

    async def close(self) -> None:
        """Ends what is asked now, and the threads with it; may be called twice."""
        self._service.close()
        self._lanes.close()

    def _body(self, question: str, texts: Sequence[str]) -> dict[str, object]:
        if self._form == TEI:
            return {"query": question, "texts": list(texts), "truncate": True}
        return {"query": question, "documents": list(texts), **({"model": self._model} if self._model else {})}


async def reranked(
    reranker: Reranker, database: Database, question: str, hits: Sequence[SearchHit], deadline: float
) -> tuple[SearchHit, ...]:
    """The hits, the first :data:`POOL` of them in the reranker's order. Raises RerankerFailed, SearchUnavailable."""
    pool = hits[:POOL]
    if len(pool) < 2:
        return tuple(hits)
    try:
        async with database.connection(_left(deadline)) as connection:
            found = await connection.execute(_TEXTS, [[hit.key for hit in pool]])
            texts = dict(await found.fetchall())
    except TimeoutError as error:
        raise RerankerFailed(_LATE) from error
    scores = await reranker.scores(question, [texts.get(hit.key, hit.id) for hit in pool], _left(deadline))
    return (*ordered(pool, scores), *hits[POOL:])


def ordered(hits: Sequence[SearchHit], scores: Sequence[float]) -> list[SearchHit]:
    """The hits by other scores, equal ones as they were. A place keeps its score: what is made of scores later, as when
    neighbours of good hits are lifted, stays as it was measured.
    """
    order = sorted(range(len(hits)), key=lambda place: -scores[place])
    return [
        replace(hits[place], score=hits[rank].score, ranks=MappingProxyType({**hits[place].ranks, RERANKED: rank + 1}))
        for rank, place in enumerate(order)
    ]


def _left(deadline: float) -> float:
    return max(0.001, deadline - monotonic())


def _scores(answer: Any, count: int) -> list[float]:
    """The scores of an answer of either form, in the order of the texts. Raises ServiceFailed."""
    try:
        entries = answer["results"] if isinstance(answer, dict) else answer
        found = {
            int(entry["index"]): float(entry["relevance_score"] if "relevance_score" in entry else entry["score"])
            for entry in entries
        }
        scores = [found[place] for place in range(count)]
    except (ValueError, TypeError, LookupError, OverflowError) as error:
        raise ServiceFailed("the reranker answered with something that holds no score for each text") from error
    if len(found) != count or not all(map(math.isfinite, scores)):
        raise ServiceFailed("the reranker answered with something that holds no score for each text")
    return scores
