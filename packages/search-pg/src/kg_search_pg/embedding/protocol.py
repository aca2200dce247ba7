"""What turns text into vectors, and what may go wrong with it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

Vector = tuple[float, ...]
"""A direction; its length means nothing."""

_USUAL: Final = 8
"""A vector whose largest number has a binary exponent within this is kept as it came."""


class EmbedderFailed(Exception):
    """No vectors now. The sentence says why; ``is_text`` when it is for the text and others may succeed."""

    def __init__(self, sentence: str, *, is_text: bool = False) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.is_text = is_text


class Embedder(Protocol):
    """A model. Its vectors compare with those of the same ``model`` alone."""

    @property
    def model(self) -> str:
        """The name under which its vectors are kept; another one makes them anew."""
        ...

    async def query(self, text: str) -> Vector:
        """The vector of a question. Raises EmbedderFailed."""
        ...

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of stored texts, in their order. Raises EmbedderFailed."""
        ...

    async def close(self) -> None:
        """Lets go of everything; may be called twice."""
        ...


def checked(vectors: Sequence[Sequence[float]], count: int) -> list[Vector]:
    """As many vectors as asked for, all of one dimension and none without a direction. Raises EmbedderFailed."""
    made = [tuple(map(float, vector)) for vector in vectors]
    if len(made) != count:
        raise EmbedderFailed(f"the embedder answered {count} texts with {len(made)} vectors")
    if len({len(vector) for vector in made}) > 1:
        raise EmbedderFailed("the embedder answered with vectors of several dimensions")
    for vector in made:
        if not all(map(math.isfinite, vector)) or not any(vector):
            raise EmbedderFailed("the embedder answered with a vector that has no direction")
    return [_in_reach(vector) for vector in made]


def _in_reach(vector: Vector) -> Vector:
    """The same direction, in numbers that pgvector takes, at half the length too: by a power of two, so none changes
    against another.
    """
    exponent = math.frexp(max(map(abs, vector)))[1]
    return vector if abs(exponent) <= _USUAL else tuple(math.ldexp(value, -exponent) for value in vector)


def written(vector: Vector) -> str:
    """A vector as pgvector reads it."""
    return "[" + ",".join(f"{value:.7g}" for value in vector) + "]"
