"""What a model reads, and what it costs. Pure; no clock, no I/O.

The text and the number that the budget counts come from the same lines.
"""

from kg_core.render.block import Block, Mark, MarkKind, Rank
from kg_core.render.charge import active_cost, archived_charge, archived_cost, charge, edge_cost
from kg_core.render.components import reading_order, reading_order_steps
from kg_core.render.fit import Fitted, fit, marks_of
from kg_core.render.grapheme import cut, prefix
from kg_core.render.level import block_name, gist_block, level_steps
from kg_core.render.lines import archived_line, edge_line, node_line, preloaded_line, relation
from kg_core.render.live import Presence, home, presence, shown_edges
from kg_core.render.neutral import one_line
from kg_core.render.pages import Page, paged
from kg_core.render.reading import node_blocks
from kg_core.render.standing import all_replacements, replacements, standing

__all__ = [
    "Block",
    "Fitted",
    "Mark",
    "MarkKind",
    "Page",
    "Presence",
    "Rank",
    "active_cost",
    "all_replacements",
    "archived_charge",
    "archived_cost",
    "archived_line",
    "block_name",
    "charge",
    "cut",
    "edge_cost",
    "edge_line",
    "fit",
    "gist_block",
    "home",
    "level_steps",
    "marks_of",
    "node_blocks",
    "node_line",
    "one_line",
    "paged",
    "prefix",
    "preloaded_line",
    "presence",
    "reading_order",
    "reading_order_steps",
    "relation",
    "replacements",
    "shown_edges",
    "standing",
]
