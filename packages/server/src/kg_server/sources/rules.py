"""The rules of a component, with the first of its files that a model takes in hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kg_core.model.projectmap import Severity
from kg_core.policy import NAMED, Candidate, Decision, Reason, Source
from kg_core.policy.overview import rule_mark
from kg_core.policy.rules import Applying, applying
from kg_core.render import Block, Mark, MarkKind, cut, one_line
from kg_core.render.rules import rule_line
from kg_plugin_api import EventKind, Unit
from kg_server.delivery.source import Offer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_core.model.projectmap import Rule
    from kg_plugin_api import Event
    from kg_server.delivery.source import View


MOST_OF_A_REPLY: Final = 0.9
"""One rule may take so much of a reply; a heading stands above it."""
_LONGEST_PATH: Final = 200


class Rules:
    """Offers the ``must`` rules of the components of a file, of those that they depend on, and those that hold
    everywhere, as far as the context has not been shown them.
    """

    def offer(self, event: Event, view: View) -> Offer:
        """The rules that are new, after a tool that names a file of the project; no business of it without a map."""
        if event.kind is not EventKind.AFTER_TOOL or not view.files or not view.map.map.rules:
            return Offer()
        found = applying(view.map.map, view.files)
        new = _new(found, view)
        decision = _decision(found, new, view)
        if not new:
            return Offer(decision=decision)
        return Offer(
            blocks=(Block(text=_heading(found, view)), *_shown(new, view), *_rest(found, view)), decision=decision
        )


@dataclass(frozen=True, slots=True)
class Hold:
    """An edit to be refused: the rules as the reason, and the marks that keep the next one from being refused too."""

    blocks: tuple[Block, ...]
    marks: tuple[Mark, ...]
    decision: Decision


def hold(view: View) -> Hold | None:
    """Why the edit of ``view.files`` is to wait: ``must`` rules of a component that this context has neither been shown
    nor been held back for. ``None`` lets it pass.
    """
    found = applying(view.map.map, view.files)
    held = [mark for component in found.components if (mark := _held(view, component.slug)) not in view.known.rules]
    new = _new(found, view)
    if not held or not any(rule.component for rule in new):
        return None
    blocks = (Block(text=_heading(found, view)), *_shown(new, view))
    return Hold(blocks, tuple(held), _decision(found, new, view))


def _new(found: Applying, view: View) -> list[Rule]:
    """The rules that must be kept and have not been shown."""
    everywhere = (rule for rule in view.map.map.rules_of.get("", ()) if rule.severity is Severity.MUST)
    musts = [*found.with_severity(Severity.MUST), *everywhere]
    return [rule for rule in musts if rule_mark(view.context.project, rule) not in view.known.rules]


def _held(view: View, slug: str) -> Mark:
    return Mark(MarkKind.HELD, view.context.project, slug)


def _heading(found: Applying, view: View) -> str:
    first = cut(one_line(view.files[0]), _LONGEST_PATH, Unit.CHARACTERS)
    files = first + (f" and {len(view.files) - 1} more" if len(view.files) > 1 else "")
    if not found.components:
        return f"Rules for {files}:"
    of = ", ".join(component.slug for component in found.components)
    near = ", ".join(component.slug for component in found.beside)
    return f"Rules for {files} (component {of}{f'; it depends on {near}' if near else ''}):"


def _shown(rules: Sequence[Rule], view: View) -> list[Block]:
    """The rules, one that no reply could bring cut to what one can: it would be offered for ever. `kg map check` tells
    of it.
    """
    longest = int(view.room.maximum * MOST_OF_A_REPLY)
    return [
        Block(text=cut(rule_line(rule), longest, view.room.unit), marks=(rule_mark(view.context.project, rule),))
        for rule in rules
    ]


def _rest(found: Applying, view: View) -> list[Block]:
    """A line on the rules that are only shown when they are asked for."""
    count = len(found.rules) - len(found.with_severity(Severity.MUST))
    if not count:
        return []
    return [Block(text=f"  ({count} more to consider: {view.harness.tool_prefix}kg_rules with the path)")]


def _decision(found: Applying, new: Sequence[Rule], view: View) -> Decision:
    shown = {rule.component for rule in new}
    musts = {rule.component for rule in found.with_severity(Severity.MUST)}
    candidates = tuple(
        Candidate(
            graph=view.context.project,
            id=component.slug,
            reason=Reason.SHOWN if component.slug in shown else Reason.IN_VIEW,
            how=how,
        )
        for how, components in (("path", found.components), ("depends_on", found.beside))
        for component in components
        if component.slug in musts
    )
    reason = Reason.SHOWN if new else Reason.IN_VIEW if candidates else Reason.NOTHING_FOUND
    return Decision(source=Source.RULES, reason=reason, candidates=candidates[:NAMED], about=view.files[0])
