"""The preload: the core of memory, in front of every model that starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.policy import LevelView, preload_blocks
from kg_core.policy.overview import overview
from kg_core.render import Block, Mark, MarkKind
from kg_server.texts.preload import head
from kg_server.tools.showing import level_title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_plugin_api import Event
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
        new = (graph for graph in view.graphs if graph.key not in view.known.full)
        levels = [LevelView(level_title(graph), graph) for graph in new]
        rules = overview(view.map.map, view.context.project, view.room, f"{view.harness.tool_prefix}kg_rules")
        return preload_blocks(levels, view.user, view.room, view.now, head=[opening], rules=rules)
