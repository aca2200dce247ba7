"""From a node to the rows that are indexed of it: what it is, then each case for it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kg_search_pg.words import Role, clean, terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kg_plugin_api import SearchItem

LONGEST: Final = 1_500
"""Characters of a piece of a long note, near what a small embedding model reads of a text (512 tokens)."""
_LAST_POSITION: Final = 16_383
TITLE: Final = "A"
"""The mark of terms of the id, the gist and the tags."""
NOTE: Final = "B"
TOUCH: Final = "C"


@dataclass(frozen=True, slots=True)
class Chunk:
    """One row: ``content`` is what is embedded, ``words`` a ``tsvector`` of its terms, ``title`` and ``note`` its words
    for the dictionary of a language.
    """

    ordinal: int
    content: str
    words: str
    title: str = ""
    note: str = ""

    @property
    def digest(self) -> bytes:
        """Changes with what is embedded."""
        return hashlib.sha256(self.content.encode("utf-8")).digest()


def chunks(item: SearchItem) -> Iterator[Chunk]:
    """The rows of a node, numbered from 0. The first has its title and touches; each note has one or more."""
    head = [(TITLE, text) for text in (item.id, item.gist, *item.tags)] + [(TOUCH, text) for text in item.touches]
    gist = clean(item.gist)
    yield Chunk(
        ordinal=0,
        content=f"{clean(item.id)}: {gist}",
        words=vector(head),
        title=" ".join(_language(text for mark, text in head if mark == TITLE)),
    )
    pieces = (piece for note in item.notes for piece in split(clean(note)))
    for ordinal, piece in enumerate(pieces, 1):
        yield Chunk(
            ordinal=ordinal,
            content=f"{gist}\n{piece}",
            words=vector([(NOTE, piece)]),
            note=" ".join(_language([piece])),
        )


def split(text: str, most: int = LONGEST) -> Iterator[str]:
    """A text in pieces of at most ``most`` characters, cut where it pauses; together they are the text."""
    while len(text) > most:
        cut = next((at for pause in ("\n\n", "\n", ". ", " ") if (at := text.rfind(pause, most // 2, most)) > 0), most)
        yield text[:cut]
        text = text[cut:]
    if text.strip():
        yield text


def vector(texts: Iterable[tuple[str, str]]) -> str:
    """Marked texts as a ``tsvector`` in its written form."""
    places: dict[str, list[str]] = {}
    position = 0
    for mark, text in texts:
        for term in terms(text):
            position = min(position + 1, _LAST_POSITION)
            places.setdefault(term.text, []).append(f"{position}{mark}")
    return " ".join(f"{quoted(term)}:{','.join(found[-255:])}" for term, found in places.items())


def quoted(term: str) -> str:
    """A term as a lexeme in the written form of ``tsvector`` and ``tsquery``."""
    doubled = term.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"


def _language(texts: Iterable[str]) -> Iterator[str]:
    """The words that a dictionary may know."""
    return (term.text for text in texts for term in terms(text) if term.role is Role.WORD and term.text.isalpha())
