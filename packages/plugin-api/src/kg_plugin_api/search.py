"""What a search backend takes and gives. A backend is an index that can be dropped and rebuilt."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from kg_plugin_api.wiring import SearchWiring


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchItem:
    """One node as a backend sees it. ``key`` is unique over all graphs, ``hash`` changes with the content."""

    key: str
    graph: str
    id: str
    gist: str
    notes: tuple[str, ...] = ()
    touches: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    tier: str = "active"
    status: str = "current"
    kind: str = "stated"
    observer: str = ""
    observed: str = ""
    hash: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """A question to an index. Any text is legal; there are no query operators.

    ``graphs`` are the scopes that may answer (never leaked beyond). ``tiers``, ``statuses``, ``kinds``, ``observers``
    and ``observed`` empty mean all; else an item's own is one of them, letter for letter, and an empty text among them
    is an item that names nobody. ``tags`` must all be present. ``depth`` is how many candidates a backend of several
    legs takes from each. ``budget`` is in seconds. ``gate`` is the largest distance that still counts, for backends
    that measure one. ``is_prompt`` says that nobody asked: the text is what a person typed, for which something may
    come to mind, and what is costly is left out. ``documents`` is how many passages of documents may be among the
    hits, beside ``limit`` nodes: a backend that has documents gives none unless it is asked for them.
    """

    text: str
    graphs: tuple[str, ...]
    limit: int = 10
    tiers: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ("current", "superseded")
    tags: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    observers: tuple[str, ...] = ()
    observed: tuple[str, ...] = ()
    depth: int = 50
    gate: float | None = None
    budget: float = 2.0
    is_prompt: bool = False
    documents: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of a document. ``path`` is absolute, ``line`` is its first and counts from 1, ``heading`` is the way to
    it through the headings above, and ``kind`` says what sort of document it is.
    """

    path: str
    line: int
    text: str
    heading: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """One found item. Scores compare only within one result list. ``evidence`` counts distinct matched terms and
    ``rarity`` is the highest inverse document frequency among them, scaled to 0–1. ``strength`` says, comparably
    between requests, how much the item shares with the text, in words that no other item has; 0 where a backend cannot
    tell. A hit with a ``passage`` is a piece of a document and no node.
    """

    key: str
    graph: str
    id: str
    score: float
    evidence: int = 0
    rarity: float = 0.0
    in_title: bool = False
    strength: float = 0.0
    ranks: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    passage: Passage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResults:
    """Hits, best first, ties broken by key. ``degraded`` says in words what could not take part, or is empty."""

    hits: tuple[SearchHit, ...] = ()
    degraded: str = ""


class SearchBackend(Protocol):
    """An index. It never owns truth, never decides policy, and raises SearchUnavailable when it cannot answer."""

    async def upsert(self, items: Sequence[SearchItem]) -> None:
        """Replaces by key; twice equals once; the last of equal keys wins."""
        ...

    async def remove(self, keys: Sequence[str]) -> None:
        """Forgets keys; unknown ones are ignored."""
        ...

    async def search(self, request: SearchRequest) -> SearchResults:
        """Answers a request within its budget. TimeoutError says that it did not suffice, and is no outage."""
        ...

    async def snapshot(self) -> Mapping[str, str]:
        """Key → hash of all that is indexed, for finding what must be sent again."""
        ...

    async def health(self) -> Mapping[str, object]:
        """JSON-compatible facts for ``kg doctor`` and ``/health``.

        Two have a meaning for kg: ``lag``, how much of what it was told it has still to take in, and ``problem``, a
        sentence on what it does without for the time being, though it answers.
        """
        ...

    async def close(self) -> None:
        """Lets go of everything; may be called twice."""
        ...


@runtime_checkable
class SupportsSimilarity(Protocol):
    """What some backends can do as well."""

    async def nearest(self, item: SearchItem, limit: int) -> SearchResults:
        """Items most like ``item``, itself left out."""
        ...

    async def similar_groups(self, graph: str, limit: int) -> Sequence[Sequence[str]]:
        """Groups of keys that say nearly the same, most alike first."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchBackendFactory:
    """A named way to open a backend. Heavy imports and I/O belong into ``open``.

    ``open`` gets the options of the settings, and under ``home`` the memory folder. Its operations come through
    ``kg_operations``. ``has_documents`` gets the same options and says whether such a backend has documents; it is
    asked, in a thread, while the backend cannot be: without it nobody is told that no documents were looked at.
    """

    name: str
    open: Callable[[Mapping[str, str]], Awaitable[SearchBackend]]
    title: str = ""
    wiring: SearchWiring | None = None
    has_documents: Callable[[Mapping[str, str]], bool] | None = None
