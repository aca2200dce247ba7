"""Paths are looked for only between hits that can be connected, and that changes none of them."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from kg_core.model import Edge, Graph
from kg_core.policy import paths
from kg_plugin_api import SearchHit

PROJECT = "project:x"
COUNT = 14
numbers = st.integers(0, COUNT - 1)
links = st.lists(st.tuples(numbers, numbers), max_size=18)
across = st.lists(st.tuples(numbers, numbers), max_size=4)


def level(values, key, pairs, into_user=()):
    edges = [Edge(source=f"n-{one}", rel="uses", target=f"n-{other}") for one, other in pairs]
    edges += [Edge(source=f"n-{one}", rel="uses", target=f"user:n-{other}") for one, other in into_user]
    nodes = {f"n-{number}": values.node(f"n-{number}") for number in range(COUNT)}
    return Graph.build(key, nodes=nodes, edges={edge.key: edge for edge in edges})


def hit(graph, number):
    return SearchHit(key=f"{graph}\x1fn-{number}", graph=graph, id=f"n-{number}", score=1.0)


@given(
    own=links,
    users=links,
    into=across,
    tops=st.lists(st.tuples(st.sampled_from(["user", PROJECT]), numbers), max_size=6, unique=True),
    left_out=st.sets(numbers, max_size=3),
)
def test_the_paths_are_those_that_a_search_from_every_hit_finds(values, own, users, into, tops, left_out):
    graphs = [level(values, "user", users), level(values, PROJECT, own, into)]
    hits = [hit(graph, number) for graph, number in tops]

    def admits(graph, node_id):
        return graph.key == "user" or node_id not in {f"n-{number}" for number in left_out}

    found = paths.connections(hits, graphs, admits)

    with patch.object(paths, "_may_meet", lambda *_: True):
        assert found == paths.connections(hits, graphs, admits)


def test_hits_that_cannot_be_connected_cost_what_is_around_them_alone(values):
    chain = [(number, number + 1) for number in range(COUNT - 1)]
    graph = level(values, PROJECT, chain)
    looked_at = []

    def admits(_, node_id):
        looked_at.append(node_id)
        return True

    assert paths.connections([hit(PROJECT, 0), hit(PROJECT, COUNT - 1)], [graph], admits) == paths.Connections()

    assert set(looked_at) == {"n-0", "n-1", "n-2", "n-13", "n-12", "n-11"}
