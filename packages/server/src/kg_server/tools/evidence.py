"""What a tool does about evidence: it makes conclusions of lessons, and refuses circles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kg_core.model import DERIVED_FROM, USER, USER_PREFIX, Change, Edge, EdgeKey, EndKind, Kind, end_kind
from kg_core.policy.derivation import check, conclusions, place_of, premises, unknown
from kg_core.policy.paths import Place
from kg_core.render import one_line
from kg_core.render.block import Mark, MarkKind
from kg_plugin_api import Code, KgError
from kg_server.tools.content import single_line
from kg_server.tools.edges import resolved_end
from kg_server.tools.levels import lookup

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from kg_core.model import Graph, GraphKey, Node
    from kg_server.tools.plan import Call


_NAMED: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """What makes a lesson a conclusion, what is said of it, and what its writer knows by it."""

    changes: tuple[Change, ...] = ()
    lines: tuple[str, ...] = ()
    learned: tuple[Mark, ...] = ()


def at_hand(call: Call) -> dict[GraphKey, Graph]:
    """Every graph that this call can look into, as the next write meets it."""
    levels = [*call.pending.searched(), *call.loaded.values()]
    maintain = call.pending.maintain
    return {graph.key: graph for graph in (*levels, *([maintain] if maintain is not None else []))}


def needed(call: Call, edges: Iterable[tuple[GraphKey, EdgeKey]]) -> tuple[GraphKey, ...]:
    """The graphs, beside those of the context, that must be at hand to tell whether evidence is a circle."""
    levels = at_hand(call)
    found = set(call.loaded)
    for graph, key in edges:
        conclusion, premise = place_of(graph, key.source), place_of(graph, key.target)
        if conclusion is not None and premise is not None:
            found |= unknown(conclusion, premise, levels)
    return tuple(sorted(found))


def refuse_circles(call: Call, changes: Sequence[Change]) -> None:
    """Raises REFUSED when the changes would let a lesson rest on itself."""
    check(changes, at_hand(call))


def has_evidence(call: Call, graph: GraphKey, node_id: str) -> bool:
    """Whether any evidence begins or ends in a lesson of this name, be it there or not."""
    place, levels = Place(graph, node_id), at_hand(call)
    return bool(premises(place, levels) or conclusions(place, levels))


def rested(call: Call, graph: GraphKey, node_id: str) -> tuple[str, ...]:
    """A sentence on the conclusions that rest on a lesson which does not hold any more; none when there are none."""
    return fallen(graph, node_id, at_hand(call))


def fallen(
    graph: GraphKey, node_id: str, levels: Mapping[GraphKey, Graph], gone: Collection[Place] = ()
) -> tuple[str, ...]:
    """The same for what ``levels`` hold, without the conclusions that are ``gone`` themselves."""
    steps = conclusions(Place(graph, node_id), levels)
    names = list(dict.fromkeys(step.place.id for step in steps if step.place not in gone))
    if not names:
        return ()
    shown = ", ".join(repr(one_line(name)) for name in names[:_NAMED])
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return (f"What was concluded from it may fall too: {shown}{more}.",)


def evidence(call: Call, graph: Graph, node_id: str, texts: Iterable[str]) -> dict[GraphKey, dict[EdgeKey, Edge]]:
    """The edges from a lesson of ``graph`` to the lessons that ``texts`` name, new ones alone, by the graph that holds
    them. Raises NOT_FOUND for a premise that is not there, INVALID for a file and for the lesson itself.
    """
    found: dict[GraphKey, dict[EdgeKey, Edge]] = {}
    for text in texts:
        if end_kind(single_line(text)) is EndKind.PATH:
            raise KgError(Code.INVALID, f"{text!r} is a file; derived_from names lessons. Files belong into touches.")
        holder, key = _piece(call, graph, node_id, text)
        if place_of(holder.key, key.target) == Place(graph.key, node_id):
            raise KgError(Code.INVALID, f"{node_id!r} cannot be derived from itself.")
        if key not in holder.edges:
            made = Edge(source=key.source, rel=key.rel, target=key.target, created=call.now, by=call.by)
            found.setdefault(holder.key, {})[key] = made
    return found


def concluded(call: Call, graph: GraphKey, key: EdgeKey) -> Conclusion:
    """What a new edge makes of its source: evidence makes a stated lesson a conclusion, but for one that is locked.

    Its words stay, and so do their time and their author.
    """
    place = place_of(graph, key.source) if key.rel == DERIVED_FROM else None
    level = at_hand(call).get(place.graph) if place is not None else None
    node = level.nodes.get(place.id) if level is not None and place is not None else None
    if level is None or node is None or node.kind is Kind.DERIVED or node.locked:
        return Conclusion()
    made = replace(node, kind=Kind.DERIVED)
    return Conclusion(
        changes=(Change(graph=level.key, nodes={node.id: made}),),
        lines=(f"{node.id!r} counts as a conclusion from now on.",),
        learned=_still_known(call, level.key, node, made),
    )


def _piece(call: Call, graph: Graph, node_id: str, text: str) -> tuple[Graph, EdgeKey]:
    """The edge to one premise, and the graph that holds it: the project's, where a user's lesson rests on one of it."""
    project = call.pending.project
    end = single_line(text)
    if graph.key == USER and project is not None and lookup(graph, end.removeprefix(USER_PREFIX)) is None:
        premise = lookup(project, end)
        if premise is not None:
            return project, EdgeKey(USER_PREFIX + node_id, DERIVED_FROM, premise.id)
    return graph, EdgeKey(node_id, DERIVED_FROM, resolved_end(graph, call.pending.user, text))


def _still_known(call: Call, graph: GraphKey, before: Node, after: Node) -> tuple[Mark, ...]:
    """What the context knows of a lesson whose words did not change."""
    kinds: Mapping[MarkKind, bool] = {
        MarkKind.SEEN: call.known.has_viewed(graph, before),
        MarkKind.READ: call.known.has_read(graph, before),
    }
    return tuple(Mark(kind, graph, after.id, after.version) for kind, is_known in kinds.items() if is_known)
