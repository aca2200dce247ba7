"""Texts for clients that take them one packet at a time: kept in order, handed out again until acknowledged."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from kg_core.render import Mark, MarkKind, paged
from kg_server.delivery.frame import within_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kg_core.model import Millis
    from kg_core.render import Block, Page
    from kg_plugin_api import Limit, Queued

MOST_PAGES: Final = 64
MOST_CHARACTERS: Final = 1024 * 1024
_BETWEEN: Final = "\n\n"
_MORE: Final = "(More follows with the next step.)"
_INTRODUCTION: Final = Mark(MarkKind.PRELOADED, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Packet:
    """What goes out now, under the id by which its arrival is acknowledged."""

    id: str
    text: str


@dataclass(slots=True)
class _Queue:
    """The pages that wait for one context, and how many of them are in the packet that is out."""

    pages: list[Page] = field(default_factory=list)
    packet: Packet | None = None
    taken: int = 0


class Queues:
    """The queues of all contexts. A full one refuses a new text and never drops an old one. In memory alone: what a
    crash forgets is offered again.
    """

    def __init__(self, commit: Callable[[str, Sequence[Mark], Millis], None]) -> None:
        self._commit = commit
        self._queues: dict[str, _Queue] = {}

    def add(self, context: str, pages: Sequence[Page]) -> bool:
        """Appends a text in pages, or says that there is no room. A preload always has room, and goes first."""
        queue = self._queues.setdefault(context, _Queue())
        if any(_INTRODUCTION in page.marks for page in pages):
            queue.pages[queue.taken : queue.taken] = pages
            return True
        waiting = sum(len(page.text) for page in [*queue.pages, *pages])
        if len(queue.pages) + len(pages) > MOST_PAGES or waiting > MOST_CHARACTERS:
            return False
        queue.pages += pages
        return True

    def packet(self, context: str, limit: Limit) -> Packet | None:
        """The packet that is out, again, or the next one; ``None`` when nothing waits. No page exceeds ``limit``."""
        queue = self._queues.get(context)
        if queue is None or not queue.pages:
            return None
        if queue.packet is None:
            texts: list[str] = []
            while queue.taken < len(queue.pages):
                more = [_MORE] if queue.taken + 1 < len(queue.pages) else []
                if texts and not limit.holds(_BETWEEN.join([*texts, queue.pages[queue.taken].text, *more])):
                    break
                texts.append(queue.pages[queue.taken].text)
                queue.taken += 1
            if queue.taken < len(queue.pages):
                texts.append(_MORE)
            queue.packet = Packet(id=secrets.token_hex(8), text=_BETWEEN.join(texts))
        return queue.packet

    def reserved(self, context: str) -> tuple[Mark, ...]:
        """Marks of what waits: others treat them as shown."""
        queue = self._queues.get(context)
        return () if queue is None else tuple(mark for page in queue.pages for mark in page.marks)

    def acknowledge(self, delivery: str, *, arrived: bool, now: Millis) -> bool:
        """Lets the marks of an arrived packet come true. One that did not arrive is handed out again as it is."""
        for context, queue in self._queues.items():
            if queue.packet is None or queue.packet.id != delivery:
                continue
            if arrived:
                marks = [mark for page in queue.pages[: queue.taken] for mark in page.marks]
                del queue.pages[: queue.taken]
                queue.packet, queue.taken = None, 0
                self._commit(context, marks, now)
            return True
        return False

    def rewind(self, context: str) -> None:
        """The model's earlier text is gone: what is out no longer counts, and a preload that waits is out of date."""
        queue = self._queues.get(context)
        if queue is not None:
            queue.packet, queue.taken = None, 0
            queue.pages = [page for page in queue.pages if _INTRODUCTION not in page.marks]
            if not queue.pages:
                del self._queues[context]


def pages_for(delivery: Queued, blocks: Sequence[Block]) -> list[Page]:
    """Blocks in pages of which each fits a packet, beside its headers and the word that more follows."""
    packet = within_frame(delivery.packet)
    room = packet.maximum - delivery.framing - packet.measure(_BETWEEN + _MORE)
    return paged(blocks, replace(packet, maximum=room))
