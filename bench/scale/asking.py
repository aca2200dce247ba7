"""Asking a large memory, and how long that took."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Final

import numpy

from kg_plugin_api import SearchRequest
from scale.rows import GRAPH, MODEL, ranks, vectors, word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_search_pg.backend import PgBackend
    from kg_search_pg.embedding import Vector

LEAST: Final = 2
MOST: Final = 8
"""Words of a question."""
PATIENCE: Final = 30.0
PROMPT: Final = 0.05
"""Seconds that a prompt may take; the built-in index answers one that takes longer."""


class MadeUp:
    """An embedder that answers at once: what is measured is Postgres, the driver and the fusion."""

    model = MODEL

    async def query(self, text: str) -> Vector:
        """Some direction, the same for the same text."""
        source = numpy.random.default_rng(random.Random(text).getrandbits(64))
        return tuple(vectors(source, 1)[0].tolist())

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """One for each."""
        return [await self.query(text) for text in texts]

    async def close(self) -> None:
        """Nothing to let go of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Milliseconds over some questions, and how many were answered by words alone or not in time."""

    questions: int
    p50: float
    p95: float
    most: float
    degraded: int
    late: int

    def __str__(self) -> str:
        return (
            f"p50 {self.p50:.1f} ms, p95 {self.p95:.1f} ms, most {self.most:.1f} ms; of {self.questions}"
            f" by words alone {self.degraded}, too late {self.late}"
        )

    def record(self) -> dict[str, float]:
        """The figures as JSON-compatible values."""
        return asdict(self)


def questions(count: int) -> list[str]:
    """Questions of words as frequent as in the rows."""
    source = numpy.random.default_rng(1)
    return [
        " ".join(word(rank) for rank in ranks(source, int(source.integers(LEAST, MOST + 1))).tolist())
        for _ in range(count)
    ]


async def asked(backend: PgBackend, texts: Sequence[str], *, is_prompt: bool = False) -> Times:
    """Asks one after the other, as a tool does or as a prompt does."""
    times = []
    degraded = late = 0
    for text in texts:
        request = SearchRequest(
            text=text, graphs=("user", GRAPH), limit=15, budget=PROMPT if is_prompt else PATIENCE, is_prompt=is_prompt
        )
        began = perf_counter()
        try:
            degraded += bool((await backend.search(request)).degraded)
        except TimeoutError:
            late += 1
        times.append((perf_counter() - began) * 1000)
    times.sort()
    return Times(
        questions=len(times),
        p50=times[len(times) // 2],
        p95=times[len(times) * 95 // 100],
        most=times[-1],
        degraded=degraded,
        late=late,
    )
