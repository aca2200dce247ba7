"""What waits for one context: texts in pages, kept in order, of which one packet at a time is out. No I/O."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from kg_core.render import Mark, MarkKind, Page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kg_plugin_api import Limit
    from kg_server.linelog import Record

BETWEEN: Final = "\n\n"
MORE: Final = "(More of this follows after your next tool call; kg_sync is one that will do.)"
"""Ends a packet that is not the last one: a client hands out the next one before its model's next step."""
_INTRODUCTION: Final = Mark(MarkKind.PRELOADED, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Packet:
    """What goes out now, under the id by which its arrival is acknowledged."""

    id: str
    text: str


@dataclass(slots=True)
class Text:
    """A text, by its number, and how many of its pages are known to have arrived."""

    number: int
    pages: tuple[Page, ...]
    arrived: int = 0

    @property
    def is_preload(self) -> bool:
        """Whether it introduces the model to its memory."""
        return any(_INTRODUCTION in page.marks for page in self.pages)

    @property
    def waiting(self) -> tuple[Page, ...]:
        """The pages that have not arrived."""
        return self.pages[self.arrived :]


@dataclass(slots=True)
class Waiting:
    """The queue of one context.

    A text of which a part has arrived is kept whole until all of it has: a compaction takes that part away again.
    """

    texts: list[Text] = field(default_factory=list)
    packet: Packet | None = None
    taken: dict[int, int] = field(default_factory=dict)
    """Of each text in the packet, by its number, how many pages have arrived once the packet has."""
    last: int = 0
    """The number of the newest text."""

    def add(self, pages: Sequence[Page]) -> Text:
        """Appends a text. A preload goes first, behind what is out."""
        self.last += 1
        text = Text(self.last, tuple(pages))
        is_first = text.is_preload
        self.texts.insert(sum(each.number in self.taken for each in self.texts) if is_first else len(self.texts), text)
        return text

    def next(self, limit: Limit) -> Packet | None:
        """The packet that is out, again, or the next one; ``None`` when nothing waits. No page exceeds ``limit``."""
        if self.packet is None:
            texts: list[str] = []
            total = sum(len(text.waiting) for text in self.texts)
            before = {text.number: text.arrived for text in self.texts}
            taken: dict[int, int] = {}
            for number, page in [(text.number, page) for text in self.texts for page in text.waiting]:
                more = [MORE] if len(texts) + 1 < total else []
                if texts and not limit.holds(BETWEEN.join([*texts, page.text, *more])):
                    break
                texts.append(page.text)
                taken[number] = taken.get(number, before[number]) + 1
            if texts:
                self._take(secrets.token_hex(8), taken)
        return self.packet

    def arrive(self) -> tuple[Mark, ...]:
        """The packet has arrived: what becomes true by that."""
        marks: list[Mark] = []
        for text in self.texts:
            arrived = self.taken.get(text.number, text.arrived)
            marks += (mark for page in text.pages[text.arrived : arrived] for mark in page.marks)
            text.arrived = arrived
        self.texts = [text for text in self.texts if text.waiting]
        self.packet, self.taken = None, {}
        return tuple(marks)

    def rewind(self) -> None:
        """The model's earlier text is gone: what is out no longer counts, what had arrived in part waits from its
        beginning, and a preload that waits is out of date. A full read is none any more: it names by their ids alone
        the lessons that the earlier text had shown.
        """
        self.packet, self.taken = None, {}
        self.texts = [text for text in self.texts if not text.is_preload]
        for text in self.texts:
            text.arrived = 0
            text.pages = tuple(replace(page, marks=_without_full(page)) for page in text.pages)

    def reserved(self) -> tuple[Mark, ...]:
        """Marks of what waits."""
        return tuple(mark for text in self.texts for page in text.waiting for mark in page.marks)

    def records(self, context: str) -> Iterator[Record]:
        """The log records that restore this queue."""
        for text in self.texts:
            yield self.text_record(context, text)
        if self.packet is not None:
            yield self.packet_record(context, self.packet)

    def text_record(self, context: str, text: Text) -> Record:
        """The log record of a text at the place that it has now."""
        pages = [
            [page.text, [[mark.kind, mark.graph, mark.id, mark.version] for mark in page.marks]] for page in text.pages
        ]
        place = self.texts.index(text)
        return {
            "op": "text",
            "context": context,
            "number": text.number,
            "place": place,
            "arrived": text.arrived,
            "pages": pages,
        }

    def packet_record(self, context: str, packet: Packet) -> Record:
        """The log record of a packet that is out."""
        return {
            "op": "packet",
            "context": context,
            "id": packet.id,
            "taken": [list(each) for each in self.taken.items()],
        }

    def replay(self, record: Record) -> None:
        """What a log record did. Raises ValueError, KeyError or TypeError on one that makes no sense."""
        match record["op"]:
            case "text":
                text = Text(
                    int(record["number"]), tuple(_page(*page) for page in record["pages"]), int(record["arrived"])
                )
                self.texts.insert(int(record["place"]), text)
                self.last = max(self.last, text.number)
            case "packet":
                self._take(str(record["id"]), {int(number): int(pages) for number, pages in record["taken"]})
            case "arrived":
                self.arrive()
            case "rewind":
                self.rewind()
            case operation:
                raise ValueError(f"unknown operation {operation!r}")

    def _take(self, packet_id: str, taken: dict[int, int]) -> None:
        """Lets a packet with the first pages of texts out."""
        chosen = [page.text for text in self.texts for page in text.pages[text.arrived : taken.get(text.number, 0)]]
        is_all = all(taken.get(text.number, text.arrived) == len(text.pages) for text in self.texts)
        self.packet = Packet(id=packet_id, text=BETWEEN.join([*chosen, *([] if is_all else [MORE])]))
        self.taken = taken


def _without_full(page: Page) -> tuple[Mark, ...]:
    return tuple(mark for mark in page.marks if mark.kind is not MarkKind.FULL)


def _page(text: str, marks: Sequence[Sequence[str]]) -> Page:
    return Page(text, tuple(Mark(MarkKind(kind), graph, node, version) for kind, graph, node, version in marks))
