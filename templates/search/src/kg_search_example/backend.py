"""An index that can be dropped and rebuilt: kg compares its snapshot with the memory and tells what is missing."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

from kg_plugin_api import SearchHit, SearchResults

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kg_plugin_api import SearchItem, SearchRequest

_WORD: Final = re.compile(r"\w+")
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff]{2}")
"""Two neighbours of Chinese or Japanese, which put no space between words."""


class ExampleBackend:
    """Implements ``kg_plugin_api.SearchBackend``. Raise ``SearchUnavailable`` wherever it cannot answer."""

    def __init__(self) -> None:
        self._items: dict[str, SearchItem] = {}

    async def upsert(self, items: Sequence[SearchItem]) -> None:
        """Replaces by key; the last of equal keys wins."""
        self._items.update({item.key: item for item in items})

    async def remove(self, keys: Sequence[str]) -> None:
        """Forgets keys; unknown ones are ignored."""
        for key in keys:
            self._items.pop(key, None)

    async def search(self, request: SearchRequest) -> SearchResults:
        """The items that share a term with the text, those that share most of them first."""
        asked = _terms([request.text])
        hits = [hit for item in self._items.values() if _admitted(item, request) and (hit := _hit(item, asked))]
        hits.sort(key=lambda hit: (-hit.score, hit.key))
        return SearchResults(hits=tuple(hits[: request.limit]))

    async def snapshot(self) -> Mapping[str, str]:
        """Key → hash of all that is indexed."""
        return {key: item.hash for key, item in self._items.items()}

    async def health(self) -> Mapping[str, object]:
        """What `kg doctor` prints."""
        return {"items": len(self._items)}

    async def close(self) -> None:
        """Lets go of everything; may be called twice."""
        self._items.clear()


def _hit(item: SearchItem, asked: set[str]) -> SearchHit | None:
    title = asked & _terms([item.id, item.gist])
    matched = title | (asked & _terms([*item.notes, *item.touches, *item.tags]))
    if not matched:
        return None
    return SearchHit(
        key=item.key,
        graph=item.graph,
        id=item.id,
        score=float(len(matched)),
        evidence=len(matched),
        rarity=0.5,
        in_title=bool(title),
    )


def _admitted(item: SearchItem, request: SearchRequest) -> bool:
    return (
        item.graph in request.graphs
        and (not request.tiers or item.tier in request.tiers)
        and (not request.statuses or item.status in request.statuses)
        and (not request.kinds or item.kind in request.kinds)
        and set(request.tags) <= set(item.tags)
        and (not request.observers or item.observer in request.observers)
        and (not request.observed or item.observed in request.observed)
    )


def _terms(texts: Iterable[str]) -> set[str]:
    """Words in any spelling of case and accents, and pairs of characters where words are not separated."""
    sound = "\n".join(texts).encode("utf-8", "replace").decode("utf-8")
    folded = unicodedata.normalize("NFKC", sound).casefold()
    pairs = {folded[at : at + 2] for at in range(len(folded) - 1) if _UNSPACED.fullmatch(folded, at, at + 2)}
    return pairs.union(_WORD.findall(folded))
