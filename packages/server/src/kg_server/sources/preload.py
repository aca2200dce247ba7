"""The preload: the core of memory, in front of every model that starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.model.steps import at_once
from kg_core.policy import LevelView, preload_blocks, prospects
from kg_core.policy.overview import overview
from kg_core.render import Block, Mark, MarkKind
from kg_server.texts.preload import head
from kg_server.texts.titles import level_title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_core.model.steps import Steps
    from kg_core.policy import Prospects
    from kg_plugin_api import Event, Unit
    from kg_server.delivery.source import View


class Preload:
    """Offers the preload until the context has been introduced to its memory; what it was given before is left out."""

    def blocks(self, event: Event, view: View) -> Sequence[Block]:
        """The whole preload, sized to the room, or nothing."""
        del event
        if view.is_introduced:
            return ()
        is_empty = not any(graph.nodes for graph in view.graphs)
        opening = Block(text=head(view.harness.tool_prefix, is_empty=is_empty), marks=(Mark(MarkKind.PRELOADED, ""),))
        found = view.prospects or at_once(looked_through(view, view.room.unit))
        rules = overview(view.map.map, view.context.project, view.room, f"{view.harness.tool_prefix}kg_rules")
        return preload_blocks(found, view.room, head=[opening], rules=rules)


def looked_through(view: View, unit: Unit) -> Steps[Prospects]:
    """What the preload of a view chooses from, in small steps. It depends on all of memory."""
    levels = [LevelView(level_title(graph), graph) for graph in view.graphs if graph.key not in view.known.full]
    return prospects(levels, view.user, unit, view.now)
