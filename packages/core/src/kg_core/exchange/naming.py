"""Ids for what other products name freely. No secret gets into one: an id is shown, indexed and logged as it stands."""

from __future__ import annotations

import hashlib
import unicodedata
from typing import TYPE_CHECKING, Final

from kg_core.model.ids import Folded, fold, is_legal, propose
from kg_core.model.limits import ID_LENGTH, REL_LENGTH
from kg_core.model.visible import shows
from kg_core.policy.secrets import scrub

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORDS: Final = 5
_MARK: Final = 6


class Names:
    """A legal id for every name of a source: different for different names, and the same in every run.

    A name that is a legal id keeps it. Of names that would get the same id, or that differ in case only, all but one
    get a mark made of the name itself, so that what is added to a source later moves nobody.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._ids: dict[str, str] = {}
        taken: set[Folded] = set()
        for name in sorted(set(names), key=lambda name: (_legal(name) != name, name)):
            node_id = _legal(name)
            if fold(node_id) in taken:
                node_id = marked(node_id, name)
            taken.add(fold(node_id))
            self._ids[name] = node_id

    def __contains__(self, name: object) -> bool:
        return name in self._ids

    def __getitem__(self, name: str) -> str:
        return self._ids[name]


def marked(node_id: str, name: str) -> str:
    """The id with a mark that is made of ``name``."""
    mark = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK]
    return f"{node_id[: ID_LENGTH - _MARK - 1]}-{mark}"


def id_of_text(text: str) -> str:
    """An id from the first words of a text."""
    plain = _plain(text)
    words = [word for word in propose(plain.lower()[:200]).split("-") if word]
    return "-".join(words[:_WORDS]) if words else propose(plain)


def rel_of(name: str) -> str:
    """A legal relation close to what another product calls it; ``related-to`` when it has no name."""
    rel = unicodedata.normalize("NFC", _plain(name).strip())
    if is_legal(rel, REL_LENGTH):
        return rel
    return propose(rel)[:REL_LENGTH].strip("-._") if shows(rel) else "related-to"


def tag_of(name: str) -> str:
    """A tag from a word or two; empty when there is none."""
    return _legal(name) if shows(name) else ""


def _legal(name: str) -> str:
    return propose(_plain(name))


def _plain(text: str) -> str:
    return scrub(text, is_name=True).text
