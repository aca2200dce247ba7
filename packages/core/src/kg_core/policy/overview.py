"""What a session is told of a project's map when it starts: the rules that hold everywhere, and the components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kg_core.policy.shares import RULES, TREE
from kg_core.render.block import Block, Mark, MarkKind
from kg_core.render.rules import component_line, rule_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kg_core.model import GraphKey
    from kg_core.model.projectmap import Component, ProjectMap, Rule
    from kg_plugin_api import Limit

_RULES: Final = "Rules that hold everywhere in this code base:"
_TREE: Final = "Its components ({tool} with path or component gives their rules):"
_PASSED_OVER: Final = 50
"""After so many lines that did not fit nobody looks for a shorter one."""


def rule_mark(graph: GraphKey, rule: Rule) -> Mark:
    """What becomes true when a rule has been shown."""
    return Mark(MarkKind.RULE, graph, rule.component, rule.version)


def overview(project_map: ProjectMap, graph: GraphKey, limit: Limit, tool: str) -> list[Block]:
    """The rules without a component and the tree of components, within their shares of ``limit`` together: what one of
    them leaves of its share the other may use. ``tool`` tells the rest. Each line measures with its line break.

    What does not fit is skipped, and counted in a line; of the rules the most demanding come first. It looks at as many
    lines as may fit and some more, however large the map is.
    """
    share = int(limit.maximum * (RULES + TREE))
    everywhere = project_map.rules_of.get("", ())
    rules = _Section(
        Block(text=_RULES),
        lambda: (Block(text=rule_line(rule), marks=(rule_mark(graph, rule),)) for rule in everywhere),
        len(everywhere),
        ("rule", "rules"),
        tool,
    )
    tree = _Section(
        Block(text=_TREE.format(tool=tool)),
        lambda: (Block(text=component_line(component, depth)) for component, depth in walked(project_map)),
        len(project_map.components),
        ("component", "components"),
        tool,
    )
    kept_free = min(tree.needs(limit), int(limit.maximum * TREE))
    shown = rules.within(share - kept_free, limit)
    return [*shown, *tree.within(share - measured(shown, limit), limit)]


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


@dataclass(frozen=True, slots=True)
class _Section:
    """A heading with lines, which are only made as far as they are looked at."""

    heading: Block
    lines: Callable[[], Iterator[Block]]
    count: int
    nouns: tuple[str, str]
    tool: str

    def needs(self, limit: Limit) -> int:
        """What the whole section measures, or more than the limit; nothing without lines."""
        if not self.count:
            return 0
        total = measured([self.heading], limit)
        for line in self.lines():
            total += measured([line], limit)
            if total > limit.maximum:
                break
        return total

    def within(self, share: int, limit: Limit) -> list[Block]:
        """As much as fits into ``share``, and a line that counts what did not; nothing without lines."""
        if not self.count:
            return []
        if self.needs(limit) <= min(share, limit.maximum):
            return [self.heading, *self.lines()]
        room = share - measured([self.heading, self._rest(self.count)], limit)
        kept: list[Block] = []
        passed_over = 0
        for line in self.lines():
            cost = measured([line], limit)
            if cost <= room:
                kept.append(line)
                room -= cost
            else:
                passed_over += 1
                if passed_over == _PASSED_OVER:
                    break
        closing = self._rest(self.count - len(kept))
        if kept:
            return [self.heading, *kept, closing]
        return [closing] if measured([closing], limit) <= share else []

    def _rest(self, count: int) -> Block:
        return Block(text=f"  ({count} more {self.nouns[count > 1]}: {self.tool})")
