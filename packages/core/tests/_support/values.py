"""Values of memory for tests: small builders, and strategies for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from kg_core.model import (
    Change,
    Edge,
    EdgeKey,
    Graph,
    Kind,
    Node,
    Progress,
    Stamp,
    StampKind,
    Status,
    Tier,
    Tombstone,
    Use,
    Written,
)
from kg_core.store import Write

NOW = 1_790_000_000_000


def node(node_id: str, gist: str = "", **fields) -> Node:
    return Node(id=node_id, gist=gist or f"the gist of {node_id}", **{"created": NOW, **fields})


def put(*nodes: Node, graph: str = "user", at: int = NOW, by: str = "test", **fields) -> Write:
    return Write(by=by, at=at, changes=(Change(graph=graph, nodes={each.id: each for each in nodes}, **fields),))


def edge(source: str, rel: str, target: str, **fields) -> dict[EdgeKey, Edge]:
    made = Edge(source=source, rel=rel, target=target, **fields)
    return {made.key: made}


times = st.integers(1, 4_000_000_000_000)
maybe_times = st.one_of(st.just(0), times)
texts = st.text(max_size=12)
"""Any code points, halves of surrogate pairs included."""
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(texts, inner, max_size=2)),
    max_leaves=4,
)
unknown = st.dictionaries(texts.map(lambda name: "x-" + name), json_values, max_size=2)
written = st.builds(Written, at=maybe_times, by=texts, author=texts, extra=unknown)
ids = st.sampled_from(["alpha", "beta", "gamma", "delta", "部署方案", "صيانة"])


def nodes_of(ids_strategy=ids):
    tuples = st.lists(texts, max_size=2).map(tuple)
    return st.builds(
        Node,
        id=ids_strategy,
        gist=texts,
        notes=tuples,
        touches=tuples,
        tags=tuples,
        status=st.sampled_from(Status),
        kind=st.sampled_from(Kind),
        observer=texts,
        observed=texts,
        locked=st.booleans(),
        created=maybe_times,
        written=st.one_of(st.none(), written),
        conflicts=st.lists(st.fixed_dictionaries({"gist": texts}), max_size=1).map(tuple),
        extra=unknown,
    )


nodes = nodes_of()
edges = st.builds(
    Edge,
    source=ids,
    rel=st.sampled_from(["uses", "supersedes"]),
    target=st.one_of(ids, st.sampled_from(["src/a.py", "user:alpha"])),
    notes=st.lists(texts, max_size=2).map(tuple),
    created=maybe_times,
    by=texts,
    extra=unknown,
)
uses = st.builds(
    Use,
    tier=st.sampled_from(Tier),
    orphaned_at=maybe_times,
    activity_at=maybe_times,
    read_at=maybe_times,
    stamps=st.lists(st.builds(Stamp, times, st.sampled_from(StampKind), texts), max_size=2).map(tuple),
    credited=st.lists(times, max_size=2).map(tuple),
    recurrence=st.lists(texts, max_size=2).map(tuple),
    gist_changes=st.lists(times, max_size=2).map(tuple),
    inbound=st.dictionaries(ids, st.integers(1, 9), max_size=2).map(lambda counts: tuple(counts.items())),
    extra=unknown,
)
tombstones = st.builds(Tombstone, at=times, by=texts, extra=unknown)
progresses = st.builds(
    Progress, state=st.dictionaries(texts, json_values, max_size=2), at=times, by=texts, extra=unknown
)


@st.composite
def graphs(draw, key: str = "user") -> Graph:
    held = {each.id: each for each in draw(st.lists(nodes, max_size=4))}
    return Graph.build(
        key,
        nodes=held,
        edges={each.key: each for each in draw(st.lists(edges, max_size=3))},
        use={each: draw(uses) for each in held},
        tombstones=draw(st.dictionaries(ids.filter(lambda name: name not in held), tombstones, max_size=2)),
        progress=draw(st.dictionaries(texts, progresses, max_size=1)),
    )
