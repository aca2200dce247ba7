"""What a write brings with it, whoever makes it: a tool, an import, a person's edit of a file.

A case that is tied to its lesson makes that more useful, and a user node keeps the number of each project's edges into
it. Both are uses, which content does not name; so they are worked out here, for every write.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kg_core.model import PROJECT_PREFIX, USER, USER_PREFIX, Change
from kg_core.policy.credits import recurred, recurrence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kg_core.model import Edge, Graph, GraphKey, Use


def consequences(
    changes: Sequence[Change], before: Mapping[GraphKey, Graph], after: Mapping[GraphKey, Graph]
) -> tuple[Change, ...]:
    """The uses that ``changes`` alter beside what they say, one change for each graph; none the second time.

    ``before`` and ``after`` are the graphs at hand without and with the changes. A graph that is not among them keeps
    its uses as they are.
    """
    if not any(change.nodes or change.edges for change in changes):
        return ()
    graphs = dict(after)
    uses: dict[GraphKey, dict[str, Use]] = {}

    def set_use(key: GraphKey, node_id: str, use: Use) -> None:
        if use != graphs[key].use_of(node_id):
            uses.setdefault(key, {})[node_id] = use
            graphs[key] = graphs[key].apply(Change(graph=key, use={node_id: use}))

    for project, end in _ends(changes, before, after):
        node_id = end.removeprefix(USER_PREFIX)
        if node_id in graphs[USER].nodes:
            set_use(USER, node_id, _counted(graphs[USER].use_of(node_id), project, end))
    for key, edge in _edges(changes, before, after):
        earned = recurrence(edge, graphs[key], graphs.get(USER))
        if earned is not None:
            level, node_id, stamp = earned
            set_use(level.key, node_id, recurred(level.use_of(node_id), stamp))
    return tuple(Change(graph=key, use=changed) for key, changed in uses.items())


def _edges(
    changes: Sequence[Change], before: Mapping[GraphKey, Graph], after: Mapping[GraphKey, Graph]
) -> Iterator[tuple[GraphKey, Edge]]:
    """The edges that were written, and those whose ends were, in the graphs at hand."""
    for change in changes:
        graph = after.get(change.graph)
        if graph is None:
            continue
        yield from ((change.graph, edge) for key in change.edges if (edge := graph.edges.get(key)) is not None)
        for node_id in _new(change, before, graph):
            yield from ((change.graph, edge) for edge in graph.edges_of(node_id))


def _ends(
    changes: Sequence[Change], before: Mapping[GraphKey, Graph], after: Mapping[GraphKey, Graph]
) -> Iterator[tuple[Graph, str]]:
    """The ends in the user's graph, each with a project whose edges into it may be more or fewer."""
    if USER not in after:
        return
    for change in changes:
        graph = after.get(change.graph)
        if graph is None:
            continue
        if graph.key.startswith(PROJECT_PREFIX):
            ends = {end for key in change.edges for end in (key.source, key.target) if end.startswith(USER_PREFIX)}
            yield from ((graph, end) for end in sorted(ends))
        elif graph.key == USER:
            for end in [USER_PREFIX + node_id for node_id in _new(change, before, graph)]:
                for project in after.values():
                    if project.key.startswith(PROJECT_PREFIX) and end in project.incident:
                        yield project, end


def _new(change: Change, before: Mapping[GraphKey, Graph], after: Graph) -> list[str]:
    """The nodes that were not there before the change."""
    known = before[change.graph].nodes
    return [node_id for node_id in change.nodes if node_id in after.nodes and node_id not in known]


def _counted(use: Use, project: Graph, end: str) -> Use:
    """The use of a user node with the number of edges that the project has into it."""
    slug, count = project.key.removeprefix(PROJECT_PREFIX), len(project.incident.get(end, ()))
    others = [(name, number) for name, number in use.inbound if name != slug]
    return replace(use, inbound=tuple(sorted([*others, (slug, count)] if count else others)))
