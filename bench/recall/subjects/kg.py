"""kg's own engine, asked as the server asks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kg_core.model import Use
from kg_core.policy import Index, item, ranked, recall, request
from kg_core.render import standing
from kg_plugin_api import SearchRequest
from subjects.subject import DEPTH, Answer

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from dataset import Key, Question
    from kg_core.model import Graph
    from kg_plugin_api import SearchResults

SEARCH_LIMIT: Final = 15
"""Hits that ``kg_search`` asks for."""


class Kg:
    """The ranking of ``kg_search``, and the decision of the prompt hook."""

    title = "kg"
    has_hook = True

    def __init__(self, graphs: Mapping[str, Graph]) -> None:
        self._graphs = graphs
        self._index = Index()
        for graph in graphs.values():
            self._index.upsert(
                item(graph.key, node, Use(), standing(graph, node_id)) for node_id, node in graph.nodes.items()
            )

    def ask(self, asked: Question, known: Collection[Key] = ()) -> Answer:
        """Searches with the whole text, and decides what the text would bring to mind as a prompt. ``known`` is in
        front of the model already.
        """
        graphs = [self._graphs[key] for key in asked.graphs]
        searching = SearchRequest(text=asked.text, graphs=asked.graphs, limit=SEARCH_LIMIT)
        hits = ranked(self._search(searching), graphs, searching).hits[:DEPTH]
        event = request(asked.text, asked.graphs)
        blocks = recall(asked.text, self._search(event), graphs, known).blocks
        return Answer(
            ranked=tuple((hit.graph, hit.id) for hit in hits),
            injected=tuple((mark.graph, mark.id) for block in blocks for mark in block.marks),
            characters=len("\n".join(block.text for block in blocks)),
        )

    def _search(self, request: SearchRequest) -> SearchResults:
        return self._index.search(request)
