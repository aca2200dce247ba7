"""Keeps documents indexed: adds folders, looks at them again, forgets them. What is embedded of them follows later."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field, replace
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kg_plugin_api import Code, KgError
from kg_search_pg.documents.document import digest, taken_apart
from kg_search_pg.documents.files import listed, overlap, read
from kg_search_pg.documents.rows import Count
from kg_search_pg.documents.sources import Source
from kg_search_pg.embedding import EmbedderFailed
from kg_search_pg.words import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence
    from pathlib import Path

    from kg_plugin_api import Host
    from kg_search_pg.documents.document import Document
    from kg_search_pg.documents.files import Listing
    from kg_search_pg.documents.rows import DocumentRows
    from kg_search_pg.documents.sources import Sources
    from kg_search_pg.embedding.tokens import Tokenizer

log = logging.getLogger(__name__)

_SLICE: Final = 20
"""Files that are taken apart and written at a time: the loop is free between two slices."""
_USER: Final = "user"
_UNREAD: Final = "it cannot be read; what was indexed of it stays"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What looking at a folder came to, in numbers of documents. ``left_out`` says why Markdown files are none."""

    graph: str
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    gone: int = 0
    left_out: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One folder: how much of it is indexed, what looking at it last came to, and why that failed, if it did."""

    source: Source
    count: Count
    report: Report | None = None
    problem: str = ""


class Documents:
    """The documents of one backend. All methods are called on its loop."""

    def __init__(
        self, rows: DocumentRows, sources: Sources, host: Host, tokenizer: Tokenizer, changed: Callable[[], None]
    ) -> None:
        self._rows = rows
        self._sources = sources
        self._host = host
        self._tokenizer = tokenizer
        self._changed = changed
        self._reports: dict[Path, Report] = {}
        self._problems: dict[Path, str] = {}
        self._wanted: set[str] = set()
        self._tasks: set[asyncio.Task[Report | None]] = set()
        self._is_refreshing = False
        self._turn = asyncio.Lock()
        """One folder at a time, and nobody changes the list meanwhile."""

    async def add(self, root: Path, *, everywhere: bool) -> Standing:
        """Indexes a folder's documents, or looks at them again.

        Raises NOT_FOUND where there are none, CONFLICT where a folder overlaps another, and UNAVAILABLE.
        """
        source = Source(root, everywhere)
        listing = await asyncio.to_thread(listed, root)
        if not listing.names:
            raise KgError(Code.NOT_FOUND, f"There is no Markdown to index below {root}.{_reasons(listing)}")
        async with self._turn:
            known = await asyncio.to_thread(self._sources.load)
            for other in known:
                if other.root != root and await asyncio.to_thread(overlap, root, other.root):
                    raise KgError(
                        Code.CONFLICT,
                        f"The documents of {other.root} are indexed, which overlaps {root}. "
                        f"`kg pg docs remove {other.root}` forgets them.",
                    )
            await asyncio.to_thread(self._sources.save, [*(each for each in known if each.root != root), source])
        await asyncio.shield(self._run(self._look(source)))
        return next(standing for standing in await self.standings() if standing.source == source)

    async def remove(self, root: Path) -> int:
        """Forgets a folder's documents; how many these were. Raises NOT_FOUND for a folder that was never added."""
        async with self._turn:
            known = await asyncio.to_thread(self._sources.load)
            kept = [source for source in known if source.root != root]
            if len(kept) == len(known):
                folders = ", ".join(str(source.root) for source in known) or "no folder"
                raise KgError(Code.NOT_FOUND, f"The documents of {root} are not indexed; those of {folders} are.")
            await asyncio.to_thread(self._sources.save, kept)
            count = (await self._rows.counts()).get(clean(str(root)), Count())
            await self._rows.forget_all_but([source.root for source in kept])
        self._reports.pop(root, None)
        self._problems.pop(root, None)
        self._changed()
        return count.documents

    async def standings(self) -> list[Standing]:
        """Every folder, by path. Raises INVALID when the list of them is damaged."""
        sources = await asyncio.to_thread(self._sources.load)
        counts = await self._rows.counts() if sources else {}
        return [
            Standing(
                source=source,
                count=counts.get(clean(str(source.root)), Count()),
                report=self._reports.get(source.root),
                problem=self._problems.get(source.root, ""),
            )
            for source in sources
        ]

    def begin(self) -> None:
        """Looks at all folders again, in the background, and forgets what belongs to none."""
        self._run(self._begin())

    def refresh(self, folder: str) -> None:
        """Looks again, in the background, at the folders whose documents a session in ``folder`` finds."""
        self._wanted |= {_USER, self._host.graph(folder)}
        if not self._is_refreshing:
            self._is_refreshing = True
            self._run(self._refresh())

    async def close(self) -> None:
        """Ends what runs in the background. May be called twice."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _run(self, work: Coroutine[None, None, Report | None]) -> asyncio.Task[Report | None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _begin(self) -> None:
        try:
            async with self._turn:
                sources = await asyncio.to_thread(self._sources.load)
                await self._rows.forget_all_but([source.root for source in sources])
        except (KgError, TimeoutError) as failure:
            log.warning("The folders of documents are not looked at: %s", failure)
            return
        for source in sources:
            await self._try(source)

    async def _refresh(self) -> None:
        try:
            while self._wanted:
                wanted, self._wanted = self._wanted, set()
                for source in await asyncio.to_thread(self._sources.load):
                    if self._graph(source) in wanted:
                        await self._try(source)
        except KgError as failure:
            log.warning("The folders of documents are not looked at: %s", failure)
        finally:
            self._is_refreshing = False

    async def _try(self, source: Source) -> None:
        """Looks at a folder; what fails is told with its standing, and whatever was indexed stays."""
        try:
            await self._look(source)
        except (KgError, EmbedderFailed, TimeoutError) as failure:
            self._problems[source.root] = str(failure)
            log.warning("The documents of %s were not looked at: %s", source.root, failure)

    def _graph(self, source: Source) -> str:
        return _USER if source.everywhere else self._host.graph(str(source.root))

    async def _look(self, source: Source) -> Report:
        """Brings what is indexed of a folder to what is there. Raises KgError, EmbedderFailed or TimeoutError."""
        async with self._turn:
            report = Report(graph=self._graph(source))
            if source not in await asyncio.to_thread(self._sources.load):
                return report
            listing = await asyncio.to_thread(listed, source.root)
            known = await self._rows.known(source.root)
            if known and not listing.names:
                raise KgError(
                    Code.CONFLICT,
                    f"There is no Markdown below {source.root} any more; what was indexed of it stays. "
                    f"`kg pg docs remove {source.root}` forgets it.",
                )
            await self._rows.assign(source.root, report.graph)
            left_out = dict(listing.left_out)
            names = iter(listing.names)
            while part := list(islice(names, _SLICE)):
                documents, unread = await asyncio.to_thread(self._taken_apart, source.root, part, known)
                if documents:
                    await self._rows.write(documents, source.root, report.graph)
                    self._changed()
                changed = sum(document.path in known for document in documents)
                report = replace(
                    report,
                    new=report.new + len(documents) - changed,
                    changed=report.changed + changed,
                    unchanged=report.unchanged + len(part) - len(documents) - len(unread),
                )
                left_out |= dict.fromkeys(unread, _UNREAD)
            there = {clean(str(source.root / name)) for name in listing.names}
            gone = [path for path in known if path not in there]
            await self._rows.forget(gone)
            report = replace(report, gone=len(gone), left_out=MappingProxyType(left_out))
        self._changed()
        self._reports[source.root] = report
        self._problems.pop(source.root, None)
        return report

    def _taken_apart(
        self, root: Path, names: Sequence[str], known: Mapping[str, bytes]
    ) -> tuple[list[Document], list[str]]:
        """The documents that are new or changed, and the names of those that cannot be read. Blocking."""
        documents: list[Document] = []
        unread: list[str] = []
        for name in names:
            path = root / name
            try:
                data = read(root, name)
            except OSError:
                unread.append(name)
                continue
            if known.get(clean(str(path))) != digest(data, self._tokenizer.name):
                documents.append(taken_apart(path, name, data, self._tokenizer, self._host.without_secrets))
        return documents, unread


def _reasons(listing: Listing) -> str:
    """Some of the files that were left out, with the reasons."""
    named = "; ".join(f"{name}: {reason}" for name, reason in islice(listing.left_out.items(), 3))
    return f" Left out: {named}." if named else ""
