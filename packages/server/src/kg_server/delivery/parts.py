"""What a session starts with in parts, where a client limits the text of each hook: every hook fetches one of them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from kg_core.render import Page, fit, paged
from kg_server.contexts import Recent
from kg_server.delivery.duplicates import WINDOW

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kg_core.model import Millis
    from kg_core.render import Block, Fitted
    from kg_plugin_api import Limit, StartSource
    from kg_server.contexts import ContextKey

PATIENCE: Final = 1.5
"""Seconds that the hook of a further part waits for that of the first, which all of them run beside."""
_LIFE: Millis = 10_000
"""How long the parts of one start are kept."""
_REMEMBERED: Final = 256
_LEAST: Final = 4
"""So long may a single character be; a part that has no more room beside its notes is none."""


@dataclass(slots=True)
class _Begun:
    """The parts of one start that were not fetched yet, by their number."""

    context: str
    source: StartSource
    at: Millis
    pages: dict[int, Page] = field(default_factory=dict)

    def answers(self, part: int, source: StartSource, now: Millis) -> bool:
        """Whether it is this start that asks for ``part``, and not a later one whose first part is still to come.

        A part that was fetched is asked for again by a hook that is registered twice, within its window, or by a start
        of its own.
        """
        age = now - self.at
        return source is self.source and 0 <= age < (_LIFE if part in self.pages else WINDOW)


class Parts:
    """The further parts of sessions that are starting. Each is handed out once."""

    def __init__(self) -> None:
        self._begun: Recent[ContextKey, _Begun] = Recent(_REMEMBERED)
        self._awaited: dict[ContextKey, asyncio.Future[None]] = {}

    def begin(self, start: ContextKey, context: str, source: StartSource, pages: Sequence[Page], now: Millis) -> None:
        """The first part is on its way; ``pages`` are the others, mostly none."""
        self._begun.set(start, _Begun(context, source, now, dict(enumerate(pages, start=2))))
        awaited = self._awaited.pop(start, None)
        if awaited is not None:
            awaited.set_result(None)

    async def take(
        self, start: ContextKey, part: int, source: StartSource, now: Millis, patience: float = PATIENCE
    ) -> tuple[str, Page] | None:
        """A part and the context that it is for; ``None`` when there is none, or none has begun after ``patience``.

        A session that starts again is given nothing of its earlier start.
        """
        begun = self._begun.get(start)
        if begun is None or not begun.answers(part, source, now):
            before = begun
            await self._beginning(start, patience)
            begun = self._begun.get(start)
            if begun is before:
                return None
        page = begun.pages.pop(part, None) if begun is not None and begun.source is source else None
        return None if begun is None or page is None else (begun.context, page)

    async def _beginning(self, start: ContextKey, patience: float) -> None:
        awaited = self._awaited.get(start)
        if awaited is None:
            awaited = self._awaited[start] = asyncio.get_running_loop().create_future()
        try:
            await asyncio.wait((awaited,), timeout=patience)
        finally:
            if self._awaited.get(start) is awaited:
                del self._awaited[start]


def fit_parts(blocks: Sequence[Block], room: Limit, most: int) -> tuple[Fitted, tuple[Page, ...]]:
    """Blocks fitted to ``most`` texts of ``room``: the first, and the others as far as they are needed, each of which
    says which part it is, and under which heading it goes on.
    """
    headings = {block.text for block in blocks if block.heads}
    notes = [_note(most, most), max(headings, key=room.measure, default="")]
    page = replace(room, maximum=room.maximum - sum(room.measure(note) + 1 for note in notes))
    if page.maximum < _LEAST:
        return fit(blocks, room), ()
    whole = replace(page, maximum=page.maximum * most)
    fitted = fit(blocks, whole)
    pages = paged(fitted.blocks, page)
    share = 1
    while len(pages) > most:  # what is more than they hold is left out by fitting, which says so; one page is enough
        surplus = share * sum(page.measure(each.text) + 1 for each in pages[most:])
        whole = replace(whole, maximum=max(page.maximum, whole.maximum - surplus))
        fitted = fit(blocks, whole)
        pages = paged(fitted.blocks, page)
        share *= 2
    if not pages:  # too little room even for one line of a part
        return fit(blocks, room), ()
    first, *more = _noted(pages, headings)
    return replace(fitted, text=first.text, marks=first.marks), tuple(more)


def _noted(pages: Sequence[Page], headings: Collection[str]) -> list[Page]:
    """Each page but the first under the number of its part, and under the heading that is in force where it begins."""
    noted: list[Page] = []
    heading = ""
    for number, page in enumerate(pages, start=1):
        lines = page.text.split("\n")
        above = [_note(number, len(pages))] if number > 1 else []
        above += [heading] if number > 1 and heading and lines[0] not in headings else []
        noted.append(replace(page, text="\n".join([*above, *lines])))
        heading = next((line for line in reversed(lines) if line in headings), heading)
    return noted


def _note(part: int, parts: int) -> str:
    return f"(Part {part} of {parts} of what this session starts with.)"
