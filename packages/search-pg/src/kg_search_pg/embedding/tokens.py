"""How many tokens a text has: as the model counts them, or about so where it cannot be asked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable

_SPECIALS: Final = 2
_PARTS: Final = re.compile(r"[^\W\d_]+|\S")
_LATIN: Final = "\u024f"
_SPACED: Final = "\u0dff"
"""Scripts up to here separate words; of those behind, a character is mostly a token."""
_LATIN_LETTERS: Final = 4
_OTHER_LETTERS: Final = 2
"""So many letters a token has."""


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """Who counts tokens, by name, and how. Counting may block, and raise EmbedderFailed."""

    name: str
    count: Callable[[str], int]


@runtime_checkable
class CountsTokens(Protocol):
    """An embedder that has its tokenizer at hand."""

    @property
    def tokenizer(self) -> Tokenizer:
        """Counts the tokens of a stored text as the model reads it."""
        ...


def tokenizer_of(embedder: object) -> Tokenizer:
    """The tokenizer that an embedder has at hand; where it has none, the estimate."""
    return embedder.tokenizer if isinstance(embedder, CountsTokens) else Tokenizer("estimate", estimate)


def estimate(text: str) -> int:
    """About how many tokens a text has, rather too many than too few: a digit or a sign counts as one."""
    return _SPECIALS + sum(_of(part) for part in _PARTS.findall(text))


def _of(part: str) -> int:
    highest = max(part)
    if highest <= _LATIN:
        return -(-len(part) // _LATIN_LETTERS)
    return -(-len(part) // _OTHER_LETTERS) if highest <= _SPACED else len(part)
