"""Why a lesson is in sight or not, as a person reads it and as JSON-compatible facts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg_core.model import StampKind, Tier, to_iso
from kg_core.model.limits import BUDGET
from kg_core.policy import score
from kg_core.policy.why import Way, Why, why
from kg_core.render import one_line
from kg_core.store import Home
from kg_core.store.slices import in_turns
from kg_server.counting import counted
from kg_server.looking import levels_at, located
from kg_server.tools.levels import level_of

if TYPE_CHECKING:
    from kg_core.model import Graph, Millis, Use
    from kg_core.policy import Explanation, Factor
    from kg_core.policy.score import Ties
    from kg_server.memory import Memory

_VOTES: Final = {
    StampKind.ENDORSEMENT: "endorsement",
    StampKind.NOTE: "added case",
    StampKind.RECURRENCE: "later instance",
    StampKind.MAINTENANCE: "maintenance credit",
}
"""What a person calls the votes."""


async def explained(memory: Memory, cwd: str, text: str, level: str, now: Millis) -> dict[str, object]:
    """The standing of one lesson of the memory of ``cwd``: ``text`` for a person, and facts.

    Raises NOT_FOUND, or AMBIGUOUS when both levels have the id and ``level`` is empty. Changes nothing.
    """
    levels = await levels_at(memory, cwd)
    graph, node = located(levels, text, level)
    found = await in_turns(why(graph, node.id, levels.user, now))
    ties = score.ties(graph, node.id, graph.use_of(node.id), levels.user)
    return {**_facts(graph, node.id, found, ties), "text": "\n".join(_lines(graph, node.id, found, ties))}


def _facts(graph: Graph, node_id: str, found: Why, ties: Ties) -> dict[str, object]:
    explanation, use = found.explanation, graph.use_of(node_id)
    return {
        "id": node_id,
        "level": level_of(graph),
        "graph": graph.key,
        "tier": found.tier.value,
        "locked": found.locked,
        "fresh": found.fresh,
        "score": explanation.score,
        "place": explanation.place,
        "pool": {"size": explanation.pool, "contains": explanation.in_pool},
        "recency": {**_factor(explanation.recency), "at": to_iso(int(explanation.recency.raw))},
        "connectedness": {
            **_factor(explanation.connectedness),
            "in": {"active": ties.into, "archived": ties.into_archived},
            "out": {"active": ties.out, "archived": ties.out_archived},
            "ends": ties.ends,
        },
        "usefulness": {
            **_factor(explanation.usefulness),
            "stamps": dict(Counter(stamp.kind.value for stamp in use.stamps)),
        },
        "charge": {"level": found.charge, "archived_lines": found.archived, "budget": BUDGET},
        "ways_back": [{"action": way.action, "tier": way.tier.value} for way in found.ways],
    }


def _factor(factor: Factor) -> dict[str, object]:
    return {
        "raw": factor.raw,
        "percentile": factor.percentile,
        "weight": factor.weight,
        "contribution": factor.weight * factor.percentile,
    }


def _lines(graph: Graph, node_id: str, found: Why, ties: Ties) -> list[str]:
    lines = [
        f"{one_line(node_id)} ({level_of(graph)}): {_standing(found)}",
        *_table(graph.use_of(node_id), found, ties),
    ]
    lines.append(f"  The level costs {found.charge:,} of {BUDGET:,} characters.")
    if found.ways:
        lines.append("  What would bring it back:")
        lines += [f"    - {_way(way, graph, node_id)}" for way in found.ways]
    return lines


def _standing(found: Why) -> str:
    if found.tier is Tier.ORPHANED:
        return "orphaned: only search and reads by id reach it"
    if found.tier is Tier.ARCHIVED:
        return "archived: its id is shown, its gist is not"
    if found.locked:
        return "active, because a person locked it"
    if found.fresh:
        return "active, as one of the newest; it is not ranked yet"
    return "active"


def _table(use: Use, found: Why, ties: Ties) -> list[str]:
    explanation: Explanation = found.explanation
    stamps = Counter(_VOTES[stamp.kind] for stamp in use.stamps)
    if explanation.in_pool:
        rank = f"place {explanation.place} of {explanation.pool} among what is active or archived, without the newest"
    else:
        rank = f"it would be place {explanation.place} of {explanation.pool + 1} if it were ranked now"
    return [
        f"  score {explanation.score:.3f}, {rank}",
        _row("recency", explanation.recency, f"last activity {to_iso(int(explanation.recency.raw)) or 'unknown'}"),
        _row(
            "connectedness",
            explanation.connectedness,
            f"raw {explanation.connectedness.raw:.2f}: edges in {ties.into} active, {ties.into_archived} archived; "
            f"out {ties.out} active, {ties.out_archived} archived",
        ),
        _row(
            "usefulness",
            explanation.usefulness,
            f"raw {explanation.usefulness.raw:.2f}: "
            + (", ".join(counted(count, vote) for vote, count in sorted(stamps.items())) or "no votes"),
        ),
    ]


def _row(name: str, factor: Factor, detail: str) -> str:
    part = factor.weight * factor.percentile
    return f"  {name:<14}{factor.weight:.2f} × {factor.percentile:.2f} = {part:.3f}   {detail}"


def _way(way: Way, graph: Graph, node_id: str) -> str:
    comes = way.tier is Tier.ACTIVE
    match way.action:
        case "read":
            stays = "and it stays" if comes else f"but it would not last: compaction makes it {way.tier.value} again"
            return f"reading it by id: an agent's kg_read with ids {[node_id]!r}, at once, {stays}"
        case "endorse":
            effect = "with the next compaction" if comes else f"not by itself: it would still be {way.tier.value}"
            return f"one more vote: an agent's kg_useful, or a case added to it, {effect}"
        case _:
            path = Home(Path()).graph(graph.key)
            return f'locking it: "locked": true in {path.as_posix()} of the memory home, for as long as it is locked'
