"""Texts for clients that take them one packet at a time: kept in order, handed out again until acknowledged.

They are kept in a log beside that of the contexts, so that what a model was promised outlives the server; once nothing
waits, the log is emptied.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kg_core.render import paged
from kg_plugin_api import Unit
from kg_server.delivery.frame import within_frame
from kg_server.delivery.waiting import BETWEEN, MORE, Packet, Text, Waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kg_core.model import Millis
    from kg_core.render import Block, Mark, Page
    from kg_plugin_api import Limit, Queued
    from kg_server.linelog import LineLog

MOST_TEXTS: Final = 64
MOST_BYTES: Final = 1024 * 1024


class Queues:
    """The queues of all contexts. A full one refuses a new text and never drops an old one."""

    def __init__(self, commit: Callable[[str, Sequence[Mark], Millis], None], log: LineLog) -> None:
        self._commit = commit
        self._log = log
        self._queues: dict[str, Waiting] = {}
        self._has_settled = False
        """Whether the log holds what no longer waits."""

    @property
    def problem(self) -> str:
        """What keeps the queues from being written, or empty."""
        return self._log.problem

    def restore(self, is_known: Callable[[str], bool]) -> None:
        """Reads what waits for contexts that are known; records that make no sense are left out."""
        for record in self._log.load():
            self._has_settled = True
            try:
                context = str(record["context"])
                self._queues.setdefault(context, Waiting()).replay(record)
            except (KeyError, TypeError, ValueError):
                self._log.skipped += 1
        self.sweep(is_known)

    def add(self, context: str, pages: Sequence[Page]) -> bool:
        """Appends a text in pages, or says that there is no room. A preload always has room, and goes first."""
        queue = self._queues.setdefault(context, Waiting())
        new = Text(0, tuple(pages))
        if not new.is_preload:
            size = sum(Unit.BYTES.measure(page.text) for text in (*queue.texts, new) for page in text.waiting)
            if len(queue.texts) + 1 > MOST_TEXTS or size > MOST_BYTES:
                return False
        self._log.append(queue.text_record(context, queue.add(pages)))
        return True

    def packet(self, context: str, limit: Limit) -> Packet | None:
        """The packet that is out, again, or the next one; ``None`` when nothing waits. No page exceeds ``limit``."""
        queue = self._queues.get(context)
        if queue is None:
            return None
        before, packet = queue.packet, queue.next(limit)
        if packet is not None and packet is not before:
            self._log.append(queue.packet_record(context, packet))
        return packet

    def reserved(self, context: str) -> tuple[Mark, ...]:
        """Marks of what waits: others treat them as shown."""
        queue = self._queues.get(context)
        return () if queue is None else queue.reserved()

    def acknowledge(self, delivery: str, *, arrived: bool, now: Millis) -> bool:
        """Lets the marks of an arrived packet come true. One that did not arrive is handed out again as it is."""
        for context, queue in self._queues.items():
            if queue.packet is None or queue.packet.id != delivery:
                continue
            if arrived:
                marks = queue.arrive()
                self._log.append({"op": "arrived", "context": context})
                self._has_settled = True
                self._commit(context, marks, now)
            return True
        return False

    def rewind(self, context: str) -> None:
        """The model's earlier text is gone: what waits begins anew, without a preload that is out of date."""
        queue = self._queues.get(context)
        if queue is not None:
            queue.rewind()
            self._log.append({"op": "rewind", "context": context})
            self._has_settled = True

    def sweep(self, is_known: Callable[[str], bool]) -> None:
        """Lets go of what waits for contexts that are gone."""
        for context in [context for context in self._queues if not is_known(context)]:
            del self._queues[context]
            self._has_settled = True

    async def compact(self) -> None:
        """Empties the log once nothing waits, and rewrites it when it has grown."""
        self._queues = {context: queue for context, queue in self._queues.items() if queue.texts}
        if self._log.wants_rewrite or (self._has_settled and not self._queues):
            self._has_settled = bool(self._queues)
            waiting = tuple(self._queues.items())
            await self._log.rewrite([record for context, queue in waiting for record in queue.records(context)])

    def close(self) -> None:
        """Closes the log."""
        self._log.close()


def pages_for(delivery: Queued, blocks: Sequence[Block]) -> list[Page]:
    """Blocks in pages of which each fits a packet, beside its headers and the word that more follows."""
    packet = within_frame(delivery.packet)
    room = packet.maximum - delivery.framing - packet.measure(BETWEEN + MORE)
    return paged(blocks, replace(packet, maximum=room))
