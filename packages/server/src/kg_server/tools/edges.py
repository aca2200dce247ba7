"""Ends of edges as the tools accept them, and the count that a user node keeps of the projects' edges into it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kg_core.model import PROJECT_PREFIX, USER, USER_PREFIX, Change, EndKind, end_kind
from kg_core.model.limits import TOUCH_LENGTH
from kg_plugin_api import Code, KgError
from kg_server.tools.content import single_line
from kg_server.tools.levels import Levels, level_name, lookup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from kg_core.model import Edge, EdgeKey, Graph, Use
    from kg_server.tools.arguments import Level


def graph_for(levels: Levels, source: str, target: str, level: Level | None) -> Graph:
    """The graph that an edge belongs to: the one named, else the user's when nothing of the project is in it."""
    if level is not None:
        return levels.graph(level)
    if levels.project is None:
        return levels.user
    bare = [end for end in (source, target) if end_kind(single_line(end)) is EndKind.NODE]
    for end in bare:
        in_both = lookup(levels.user, end) is not None and lookup(levels.project, end) is not None
        if in_both and len(bare) == 1:
            raise KgError(
                Code.AMBIGUOUS,
                f"{end!r} exists on the levels 'user' and 'project'. Repeat the call with level='user' or "
                "level='project'.",
                {"id": end, "levels": ["user", "project"]},
            )
    return levels.project if any(lookup(levels.project, end) is not None for end in bare) else levels.user


def resolved_end(graph: Graph, user: Graph, text: str) -> str:
    """An end as it is stored: a node's own id, ``user:id`` across levels, or a path. Raises NOT_FOUND."""
    end = single_line(text)
    kind = end_kind(end)
    if kind is EndKind.PATH:
        if len(end) > TOUCH_LENGTH:
            raise KgError(Code.TOO_LARGE, f"A path has at most {TOUCH_LENGTH} characters.", {"length": len(end)})
        return end
    if kind is EndKind.NODE and (node := lookup(graph, end)) is not None:
        return node.id
    node = lookup(user, end.removeprefix(USER_PREFIX))
    if node is not None:
        return node.id if graph.key == USER else USER_PREFIX + node.id
    where = "'user'" if kind is EndKind.USER or graph.key == USER else f"{level_name(graph)} or 'user'"
    raise KgError(
        Code.NOT_FOUND,
        f"There is no node {end!r} on level {where}, and it is no file path (those contain '/' or '~'). "
        "Save the node first with kg_put_node, or find its id with kg_search.",
        {"end": end},
    )


def stored_end(graph: Graph, text: str) -> str:
    """An end as an existing edge may have it, be the node there or not."""
    end = single_line(text)
    if end_kind(end) is not EndKind.NODE or end in graph.incident:
        return end
    node = lookup(graph, end)
    if node is not None:
        return node.id
    crossing = USER_PREFIX + end
    return crossing if crossing in graph.incident else end


def inbound_counts(graph: Graph, edges: Mapping[EdgeKey, Edge | None], user: Graph) -> dict[str, Use]:
    """The use of user nodes whose number of edges from the project ``graph`` changes with ``edges``."""
    if not graph.key.startswith(PROJECT_PREFIX):
        return {}
    slug = graph.key.removeprefix(PROJECT_PREFIX)
    after = graph.apply(Change(graph=graph.key, edges=edges))
    changed: dict[str, Use] = {}
    for end in sorted(_user_ends(edges)):
        node_id = end.removeprefix(USER_PREFIX)
        if node_id not in user.nodes:
            continue
        use = user.use_of(node_id)
        count = len(after.incident.get(end, ()))
        others = [(name, number) for name, number in use.inbound if name != slug]
        inbound = tuple(sorted([*others, (slug, count)] if count else others))
        if inbound != use.inbound:
            changed[node_id] = replace(use, inbound=inbound)
    return changed


def with_counts(change: Change, graph: Graph, user: Graph) -> tuple[Change, ...]:
    """The change of a project graph with the change of the user graph's counts that it brings."""
    use = inbound_counts(graph, change.edges, user)
    return (change, Change(graph=USER, use=use)) if use else (change,)


def with_use(
    changes: tuple[Change, ...], graph: Graph, node_id: str, changed: Callable[[Use], Use]
) -> tuple[Change, ...]:
    """The changes with one more change of a node's use, on top of what they make of it."""
    for position, change in enumerate(changes):
        if change.graph == graph.key:
            use = change.use.get(node_id) or graph.use_of(node_id)
            extended = replace(change, use={**change.use, node_id: changed(use)})
            return (*changes[:position], extended, *changes[position + 1 :])
    return (*changes, Change(graph=graph.key, use={node_id: changed(graph.use_of(node_id))}))


def _user_ends(keys: Iterable[EdgeKey]) -> set[str]:
    return {end for key in keys for end in (key.source, key.target) if end.startswith(USER_PREFIX)}
