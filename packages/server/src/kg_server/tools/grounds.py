"""What a search says of the conclusions that it found: how deep it went and why, and what they rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kg_core.policy import Depth
from kg_core.render import Block, Mark, MarkKind, Rank, node_line, relation, standing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_core.model import Graph, GraphKey
    from kg_core.policy import Deep
    from kg_core.policy.grounds import Grounds

_GROUNDS: Final = "grounds"


def grounds_blocks(deep: Deep, levels: Mapping[GraphKey, Graph], *, is_asked: bool) -> list[Block]:
    """The depth that was chosen, where that was asked or made a difference; then premises, by their gists, and the
    evidence between all lessons of the answer.
    """
    blocks: list[Block] = []
    if deep.reason and (is_asked or deep.depth is not Depth.EXPLICIT):
        blocks.append(Block(text=f"Depth {deep.depth}: {deep.reason}."))
    if deep.grounds.edges:
        blocks.append(Block(text="What the conclusions rest on:", rank=Rank.EDGE, value=0.3, name=_GROUNDS))
    for place in deep.grounds.places:
        node = levels[place.graph].nodes[place.id]
        mark = Mark(MarkKind.SEEN, place.graph, place.id, node.version)
        text = node_line(node, standing(levels[place.graph], place.id))
        blocks.append(Block(text=text, rank=Rank.EDGE, value=0.2, marks=(mark,), parent=_GROUNDS))
    blocks += [
        Block(text=f"    {relation(edge)}", rank=Rank.EDGE, value=0.2, parent=_GROUNDS)
        for _, edge in deep.grounds.edges
    ]
    return [*blocks, *(Block(text=sentence) for sentence in limits_told(deep.grounds))]


def limits_told(grounds: Grounds) -> list[str]:
    """What of the premises is not shown, and why."""
    told = []
    if grounds.withheld:
        told.append(f"Premises that this search leaves out by status, level, tag or view: {grounds.withheld}.")
    if grounds.is_cut:
        told.append("There is more below: search by the last premises, or read them.")
    return told
