"""File recall: the lessons that point at a file, once a tool has read or edited it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.policy import recall_files
from kg_plugin_api import EventKind
from kg_server.delivery.source import Offer

if TYPE_CHECKING:
    from kg_plugin_api import Event
    from kg_server.delivery.source import View


class FileRecall:
    """Offers the lessons that touch the files of an event, unless they are in front of the model already."""

    def offer(self, event: Event, view: View) -> Offer:
        """At most three lessons; of a file once, and not too often."""
        if event.kind is not EventKind.AFTER_TOOL or not view.uses:
            return Offer()
        found = recall_files(view.uses, view.graphs, view.touches, view.in_view, view.known.files, view.now)
        return Offer(blocks=found.blocks, decision=found.decision)
