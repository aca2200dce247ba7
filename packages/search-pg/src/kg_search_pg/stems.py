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
_SCRIPTS: Final = (
    ("\u0370", "\u03ff", "greek"),
    ("\u0400", "\u052f", "russian"),
    ("\u0530", "\u058f", "armenian"),
    ("\u0600", "\u06ff", "arabic"),
    ("\u0900", "\u097f", "hindi"),
    ("\u0b80", "\u0bff", "tamil"),
)
"""The language whose endings are taken off in a script; in all others it is the language of the index."""
_LEAST_STOPPED: Final = "english"
"""Its words without meaning are such in every index: it is the language of code."""


@dataclass(frozen=True, slots=True)
class Stem:
    """The lexemes of a word in its language; ``is_stop`` when it says nothing about a subject."""

    lexemes: tuple[str, ...]
    is_stop: bool


class Stems:
    """A memory of words."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._known: dict[str, Stem] = {}

    async def of(self, connection: AsyncConnection[Any], terms: Iterable[Term]) -> Mapping[str, Stem]:
        """The stems of the terms that are words. What is returned stays as it is."""
        words = {term.text for term in terms if term.role is Role.WORD and term.text.isalpha()}
        unknown = sorted(words - self._known.keys())
        if unknown:
            known = {} if len(self._known) > _MOST else self._known
            self._known = {**known, **await self._learned(connection, unknown)}
        return self._known

    async def _learned(self, connection: AsyncConnection[Any], words: Sequence[str]) -> dict[str, Stem]:
        found = await connection.execute(
            "select word, tsvector_to_array(to_tsvector(language::regconfig, word)),"
            " to_tsvector('simple', word) <> ''"
            f" and (to_tsvector(language::regconfig, word) = '' or to_tsvector('{_LEAST_STOPPED}', word) = '')"
            " from unnest(%s::text[], %s::text[]) as asked (word, language)",
            [list(words), [self._of(word) for word in words]],
        )
        return {word: Stem(tuple(lexemes), bool(is_stop)) for word, lexemes, is_stop in await found.fetchall()}

    def _of(self, word: str) -> str:
        return next((language for low, high, language in _SCRIPTS if low <= word[0] <= high), self._language)
