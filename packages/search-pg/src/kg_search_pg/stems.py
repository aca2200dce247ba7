"""What the dictionaries of Postgres make of a word, asked once each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kg_search_pg.words import Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from psycopg import AsyncConnection

    from kg_search_pg.words import Term

_MOST: Final = 50_000
_STOPPED: Final = ("english", "russian", "german", "french", "spanish")
"""Languages whose words without meaning nobody asks for."""


@dataclass(frozen=True, slots=True)
class Stem:
    """The lexemes of a word in the language of the index; ``is_stop`` when it says nothing about a subject."""

    lexemes: tuple[str, ...]
    is_stop: bool


class Stems:
    """A memory of words."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._known: dict[str, Stem] = {}

    async def of(self, connection: AsyncConnection[Any], terms: Iterable[Term]) -> Mapping[str, Stem]:
        """The stems of the terms that are words."""
        words = [term.text for term in terms if term.role is Role.WORD and term.text.isalpha()]
        unknown = [word for word in words if word not in self._known]
        if unknown:
            if len(self._known) > _MOST:
                self._known.clear()
            await self._learn(connection, unknown)
        return {word: self._known[word] for word in words if word in self._known}

    async def _learn(self, connection: AsyncConnection[Any], words: Sequence[str]) -> None:
        stops = " or ".join(f"to_tsvector('{language}', word) = ''" for language in _STOPPED)
        found = await connection.execute(
            f"select word, tsvector_to_array(to_tsvector(%s::regconfig, word)), to_tsvector('simple', word) <> ''"
            f" and ({stops}) from unnest(%s::text[]) as word",
            [self._language, list(words)],
        )
        for word, lexemes, is_stop in await found.fetchall():
            self._known[word] = Stem(tuple(lexemes), bool(is_stop))
