"""An endpoint of the OpenAI form: Ollama, TEI, vLLM, llama.cpp and others."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

from kg_search_pg.embedding.protocol import EmbedderFailed, checked
from kg_search_pg.service import Lanes, Service, ServiceFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_search_pg.embedding.protocol import Vector

_NOUN: Final = "the embedder"
_QUERY_SECONDS: Final = 5.0
_PASSAGES_SECONDS: Final = 60.0
_LONGEST: Final = 6_000
"""Characters of a text that are sent."""
_BAD_TEXT: Final = frozenset({400, 413, 422})


class EndpointEmbedder:
    """Asks over HTTP, in threads. A question that finds all of them waiting fails at once."""

    def __init__(
        self, url: str, model: str, *, key: str = "", query_prefix: str = "", passage_prefix: str = ""
    ) -> None:
        try:
            self._service = Service(_NOUN, url.rstrip("/") + "/embeddings", key)
        except ServiceFailed as failure:
            raise EmbedderFailed(failure.sentence) from failure
        self._model = model
        self._prefixes = {True: query_prefix, False: passage_prefix}
        self._asking = Lanes(_NOUN, "kg-query")
        self._storing = ThreadPoolExecutor(1, thread_name_prefix="kg-passages")

    @property
    def model(self) -> str:
        """The endpoint's model; a prefix is part of what a vector means."""
        return f"{self._model} {self._prefixes[False]}".strip()

    async def query(self, text: str) -> Vector:
        """The vector of a question."""
        given = [self._prefixes[True] + text]
        try:
            (vector,) = await self._asking.run(lambda: self._post(given, _QUERY_SECONDS))
        except ServiceFailed as failure:
            raise EmbedderFailed(failure.sentence) from failure
        return vector

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of stored texts."""
        given = [self._prefixes[False] + text for text in texts]
        return await asyncio.get_running_loop().run_in_executor(self._storing, self._post, given, _PASSAGES_SECONDS)

    async def close(self) -> None:
        """Ends what is asked now, and the threads with it."""
        self._service.close()
        self._asking.close()
        self._storing.shutdown(wait=False, cancel_futures=True)

    def _post(self, texts: Sequence[str], seconds: float) -> list[Vector]:
        body = {"model": self._model, "input": [text[:_LONGEST] for text in texts]}
        try:
            return checked(_vectors(self._service.post(body, seconds)), len(texts))
        except ServiceFailed as failure:
            raise EmbedderFailed(failure.sentence, is_text=failure.status in _BAD_TEXT) from failure
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
            raise EmbedderFailed("the embedder answered with something that holds no vectors") from error


def _vectors(answer: Any) -> list[list[float]]:
    """The vectors of an answer, in the order of the texts."""
    return [entry["embedding"] for entry in sorted(answer["data"], key=lambda entry: entry.get("index", 0))]
