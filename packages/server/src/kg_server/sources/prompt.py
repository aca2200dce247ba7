"""Prompt recall: what a person's prompt brings to mind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.policy import question, recall
from kg_plugin_api import EventKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_core.render import Block
    from kg_plugin_api import Event
    from kg_server.delivery.source import View


class PromptRecall:
    """Offers the lessons that a prompt names, unless they are in front of the model already."""

    def blocks(self, event: Event, view: View) -> Sequence[Block]:
        """At most four lessons and the path between them; nothing without evidence."""
        if not recalls(event) or not view.results.hits:
            return ()
        known = frozenset(
            (graph.key, hit.id)
            for graph in view.graphs
            for hit in view.results.hits
            if hit.graph == graph.key and (node := graph.nodes.get(hit.id)) and view.known.has_viewed(graph.key, node)
        )
        return recall(event.prompt, view.results, view.graphs, known)


def recalls(event: Event) -> bool:
    """Whether an event asks for recall: a prompt that a person gave to the main agent."""
    return event.kind is EventKind.PROMPT and not event.machine and not event.agent and bool(question(event.prompt))
