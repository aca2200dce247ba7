"""What a session is told of a project's map when it starts: the rules that hold everywhere, and the components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kg_core.policy.shares import RULES, TREE
from kg_core.render.block import Block, Mark, MarkKind
from kg_core.render.rules import component_line, rule_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kg_core.model import GraphKey
    from kg_core.model.projectmap import Component, ProjectMap, Rule
    from kg_plugin_api import Limit

_RULES: Final = "Rules that hold everywhere in this code base:"
_TREE: Final = "Its components ({tool} with path or component gives their rules):"


def rule_mark(graph: GraphKey, rule: Rule) -> Mark:
    """What becomes true when a rule has been shown."""
    return Mark(MarkKind.RULE, graph, rule.component, rule.version)


def overview(project_map: ProjectMap, graph: GraphKey, limit: Limit, tool: str) -> list[Block]:
    """The rules without a component and the tree of components, within their shares of ``limit`` together: what one of
    them leaves of its share the other may use. ``tool`` tells the rest. Each line measures with its line break.

    What does not fit is skipped, and counted in a line; of the rules the most demanding come first.
    """
    share = int(limit.maximum * (RULES + TREE))
    rules = [Block(text=rule_line(rule), marks=(rule_mark(graph, rule),)) for rule in project_map.rules_of.get("", ())]
    tree = [Block(text=component_line(component, depth)) for component, depth in walked(project_map)]
    titled = [Block(text=_RULES)], [Block(text=_TREE.format(tool=tool))]
    needed = measured([*titled[1], *tree], limit) if tree else 0
    shown = _within(titled[0], rules, share - min(needed, int(limit.maximum * TREE)), limit, f"rule{{s}}: {tool}")
    left = share - measured(shown, limit)
    return [*shown, *_within(titled[1], tree, left, limit, f"component{{s}}: {tool}")]


def measured(blocks: Sequence[Block], limit: Limit) -> int:
    """What blocks measure, each with its line break."""
    return sum(limit.measure(block.text) + 1 for block in blocks)


def walked(project_map: ProjectMap) -> Iterator[tuple[Component, int]]:
    """Every component below the one that it belongs to, with its depth."""
    ahead = [(component, 0) for component in reversed(project_map.children(""))]
    while ahead:
        component, depth = ahead.pop()
        yield component, depth
        ahead += [(below, depth + 1) for below in reversed(project_map.children(component.slug))]


def _within(heading: list[Block], lines: list[Block], share: int, limit: Limit, rest: str) -> list[Block]:
    """The heading, as many of the lines as fit in order, and a line that counts the others; nothing without a line."""
    if not lines:
        return []
    if measured([*heading, *lines], limit) <= share:
        return [*heading, *lines]
    room = share - measured([*heading, _more(len(lines), rest)], limit)
    kept: list[Block] = []
    for line in lines:
        cost = measured([line], limit)
        if cost <= room:
            kept.append(line)
            room -= cost
    closing = _more(len(lines) - len(kept), rest)
    if kept:
        return [*heading, *kept, closing]
    return [closing] if measured([closing], limit) <= share else []


def _more(count: int, rest: str) -> Block:
    return Block(text=f"  ({count} more {rest.replace('{s}', '' if count == 1 else 's')})")
