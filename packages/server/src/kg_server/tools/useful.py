"""kg_useful: say which lessons helped, or, in a maintenance session, which ones to keep in sight."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from kg_core.model import Change, Tier
from kg_core.policy import credits as rules
from kg_plugin_api import Code, KgError
from kg_server.counting import counted
from kg_server.tools.arguments import Arguments, Ids, Level
from kg_server.tools.plan import Call, Plan, said

if TYPE_CHECKING:
    from collections.abc import Callable

    from kg_core.model import Graph, GraphKey, Use


class Useful(Arguments):
    """Arguments of kg_useful."""

    ids: Annotated[Ids, Field(description="Ids of nodes that helped.", min_length=1, max_length=rules.ENDORSEMENTS)]
    level: Annotated[Level | None, Field(description="Needed only when an id exists on both levels.")] = None
    credits: Annotated[
        int, Field(description="Maintenance sessions only: 1 to 3 credits for each.", ge=0, le=rules.CREDITS)
    ] = 0


@dataclass(slots=True)
class _Votes:
    """What one call changes, and what it skips with the reason."""

    changed: dict[GraphKey, dict[str, Use]] = field(default_factory=dict)
    given: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def changes(self) -> tuple[Change, ...]:
        return tuple(Change(graph=key, use=use) for key, use in self.changed.items())


def plan(arguments: Useful, call: Call) -> Plan:
    """Stamps each node once per context; what cannot be stamped is named and stops nothing else."""
    if call.context.maintenance:
        return _credit(arguments, call)
    if arguments.credits:
        raise KgError(
            Code.REFUSED, "Only a maintenance session gives credits. Call it without credits to say what helped."
        )
    return _endorse(arguments, call)


def _endorse(arguments: Useful, call: Call) -> Plan:
    votes = _Votes()
    who = "subagent" if call.context.key.agent else "session"
    given = rules.endorsements(call.pending.searched(), call.by)

    def judge(node_id: str, use: Use) -> Use | None:
        nonlocal given
        if rules.has_voted(use, call.by):
            votes.skipped.append(f"Skipped {node_id!r}: this {who} has marked it already.")
        elif given >= rules.ENDORSEMENTS:
            votes.skipped.append(f"Skipped {node_id!r}: a {who} marks at most {rules.ENDORSEMENTS} nodes.")
        else:
            given += 1
            return rules.endorsed(use, call.by, call.now)
        return None

    _vote(arguments, call, votes, judge)
    lines = [f"Marked as useful: {', '.join(votes.given)}."] if votes.given else []
    lines += votes.skipped
    if given > rules.ENDORSEMENTS_SUGGESTED and votes.given:
        few, most = rules.ENDORSEMENTS_SUGGESTED, rules.ENDORSEMENTS
        lines.append(f"That makes {given} in this {who}; {few} say more than {most}.")
    return replace(said(*lines, is_error=not votes.given), changes=votes.changes())


def _credit(arguments: Useful, call: Call) -> Plan:
    if not arguments.credits:
        raise KgError(
            Code.REFUSED,
            "A maintenance session does not endorse: what it reads is not its own work. To keep a lesson in sight that "
            f"is worth it, send credits, 1 to {rules.CREDITS} for each id.",
        )
    votes = _Votes()
    left = rules.CREDITS_OF_A_PASS - rules.credits_given(call.pending.searched(), call.by)
    back: list[str] = []

    def judge(node_id: str, use: Use) -> Use | None:
        nonlocal left
        if rules.is_credited(use, call.by):
            votes.skipped.append(f"Skipped {node_id!r}: this pass has credited it already.")
        elif arguments.credits > left:
            votes.skipped.append(f"Skipped {node_id!r}: {left} of {rules.CREDITS_OF_A_PASS} credits left in this pass.")
        else:
            left -= arguments.credits
            if use.tier is Tier.ORPHANED:
                back.append(node_id)
            return rules.credited(use, call.by, call.now, arguments.credits)
        return None

    _vote(arguments, call, votes, judge)
    lines = [f"Credited ({arguments.credits} each): {', '.join(votes.given)}."] if votes.given else []
    lines += [f"Archived again, from orphaned: {', '.join(back)}."] if back else []
    lines += [*votes.skipped, f"This pass has {counted(left, 'credit')} left."]
    return replace(said(*lines, is_error=not votes.given), changes=votes.changes())


def _vote(arguments: Useful, call: Call, votes: _Votes, judge: Callable[[str, Use], Use | None]) -> None:
    """Lets ``judge`` decide on each node that is there."""
    for text in dict.fromkeys(arguments.ids):
        try:
            graph, node = call.pending.locate(text, arguments.level)
        except KgError as error:
            votes.skipped.append(f"Skipped {text!r}: {error.sentence}")
            continue
        use = judge(node.id, _latest(votes, graph, node.id))
        if use is not None:
            votes.changed.setdefault(graph.key, {})[node.id] = use
            votes.given.append(node.id)


def _latest(votes: _Votes, graph: Graph, node_id: str) -> Use:
    """The use as this call leaves it: another spelling of an id may have been stamped before."""
    return votes.changed.get(graph.key, {}).get(node_id) or graph.use_of(node_id)
