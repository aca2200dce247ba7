"""What others wrote meanwhile: the three newest lessons and a count, once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kg_core.model import Status, Tier
from kg_core.render import Block, Mark, MarkKind, Rank, node_line, standing
from kg_plugin_api import EventKind
from kg_server.contexts import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_core.model import Graph, GraphKey, Node
    from kg_core.store import Entry
    from kg_plugin_api import Event
    from kg_server.contexts import Registry
    from kg_server.delivery.source import View

SHOWN = 3
_LONG = 50
_MOST = 1_000
"""Lessons of others of which it is worth finding out which are news; of more there are too many to tell of any."""
_HEADING = "Written by others meanwhile (change such a lesson rather than add its twin):"
_NAME = "others"
_KINDS = frozenset({EventKind.SESSION_START, EventKind.SUBAGENT_START, EventKind.PROMPT, EventKind.AFTER_TOOL})


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """Lessons of others that this context has not seen, newest first, and the spans of the journal it has been told of
    once they have arrived.

    ``is_cut`` says that it is too much to tell, or that older entries are no longer kept.
    """

    lessons: tuple[tuple[Graph, Node], ...]
    spans: tuple[Span, ...]
    is_cut: bool = False

    @property
    def marks(self) -> tuple[Mark, ...]:
        """What becomes true when the news has arrived."""
        return tuple(Mark(MarkKind.PUSHED, "", "", str(span)) for span in self.spans)


def news(view: View) -> News:
    """The content that others wrote since the last news: no renames, no promotions, no maintenance.

    What another text is bringing is not told twice, but stays untold as far as this text goes: that one may get lost.
    """
    span = Span(view.known.pushed.floor, view.sequence)
    if view.entries is None:
        return News(lessons=(), spans=(span,), is_cut=True)
    found: dict[tuple[GraphKey, str], tuple[int, ...]] = {}
    on_their_way: set[int] = set()
    for entry in view.entries:
        _follow(entry, found)
        if entry.sequence in view.known.pushed and entry.sequence not in view.context.ledger.pushed:
            on_their_way.add(entry.sequence)
        if entry.by == view.context.id:
            for key in _contents(entry, view):  # what it wrote over, it has been shown
                found.pop(key, None)
        elif not entry.maintenance and entry.sequence not in view.known.pushed:
            for key in _contents(entry, view):
                found[key] = (*found.pop(key, ()), entry.sequence)
            if len(found) > _MOST:
                return News(lessons=(), spans=(span,), is_cut=True)
    lessons: list[tuple[Graph, Node]] = []
    arrived = replace(view, known=view.context.ledger)
    for key in reversed(found):
        lesson = _worth_telling(*key, view)
        if lesson is not None:
            lessons.append(lesson)
        elif _worth_telling(*key, arrived) is not None:
            on_their_way.update(found[key])
    return News(lessons=tuple(lessons), spans=_without(span, sorted(on_their_way)))


def news_blocks(view: View, tool_prefix: str) -> list[Block]:
    """The news as blocks; nothing when there is none."""
    told = news(view)
    if told.is_cut:
        text = f"Much was written since; {tool_prefix}kg_read shows the memory as it is now."
        return [Block(text=text, marks=told.marks)]
    if not told.lessons:
        return []
    blocks = [_told(graph, node, value=2.0 - at / SHOWN) for at, (graph, node) in enumerate(told.lessons[:SHOWN])]
    first = blocks[0]
    blocks[0] = replace(first, text=f"{_HEADING}\n{first.text}", marks=(*told.marks, *first.marks), name=_NAME)
    more = len(told.lessons) - SHOWN
    if more > 0:
        text = f"  and {more} more: {tool_prefix}kg_sync lists them."
        blocks.append(Block(text=text, rank=Rank.GIST, value=1.0, parent=_NAME))
    return blocks


def pass_over(view: View, registry: Registry) -> None:
    """Notes that the entries so far hold no news for this context, when there are many, so that no later look at the
    journal costs more and more.
    """
    if view.entries is not None and len(view.entries) >= _LONG:
        told = news(view)
        if not told.lessons and not told.is_cut:
            registry.learn(view.context.id, told.marks, view.now)


class OthersWrites:
    """Tells of others' writes with every event whose reply reaches the model."""

    def blocks(self, event: Event, view: View) -> Sequence[Block]:
        """The news, or nothing."""
        return news_blocks(view, view.harness.tool_prefix) if event.kind in _KINDS else ()


def _told(graph: Graph, node: Node, value: float) -> Block:
    text = node_line(node, standing(graph, node.id))
    marks = (Mark(MarkKind.SEEN, graph.key, node.id, node.version),)
    return Block(text=text, rank=Rank.GIST, value=value, marks=marks, parent=_NAME)


def _without(span: Span, left_out: Sequence[int]) -> tuple[Span, ...]:
    """The spans that are left of one without some of its sequences, which come in order."""
    spans: list[Span] = []
    after = span.after
    for sequence in left_out:
        spans.append(Span(after, sequence - 1))
        after = sequence
    return tuple(part for part in (*spans, Span(after, span.last)) if part.after < part.last)


def _follow(entry: Entry, found: dict[tuple[GraphKey, str], tuple[int, ...]]) -> None:
    for change in entry.changes:
        for old, new in change.renamed.items():
            if (change.graph, old) in found:
                found[change.graph, new] = found.pop((change.graph, old))


def _contents(entry: Entry, view: View) -> list[tuple[GraphKey, str]]:
    """The nodes of this context's levels whose content the entry changed."""
    return [
        (change.graph, node_id)
        for change in entry.changes
        if view.graph(change.graph) is not None
        for node_id, node in change.nodes.items()
        if node is not None and node_id not in change.renamed.values() and entry.is_news(change.graph, node)
    ]


def _worth_telling(key: GraphKey, node_id: str, view: View) -> tuple[Graph, Node] | None:
    graph = view.graph(key)
    node = graph.nodes.get(node_id) if graph is not None else None
    if graph is None or node is None:
        return None
    is_news = not view.known.has_viewed(key, node)
    is_shown = graph.tier(node_id) is Tier.ACTIVE and standing(graph, node_id) is Status.CURRENT
    return (graph, node) if is_news and is_shown else None
