"""A level as a full read shows it, and one node as a read by id does."""

from __future__ import annotations

from kg_core.model import Change, Edge, Graph, Kind, Node, Status, Tier, Use
from kg_core.model.steps import at_once
from kg_core.render import MarkKind, Rank, fit, level_steps, node_blocks
from kg_core.render.level import active_block

USES = Edge(source="a", rel="uses", target="b", notes=("because\nof c",))
GRAPH = Graph.build(
    "project:x",
    nodes={
        "a": Node(id="a", gist="A"),
        "b": Node(id="b", gist="B"),
        "old": Node(id="old", gist="Hidden"),
    },
    use={"old": Use(tier=Tier.ARCHIVED)},
    edges={USES.key: USES},
)


def test_a_level_shows_gists_edges_and_archived_ids() -> None:
    text = fit(at_once(level_steps(GRAPH, None, title="Project")), None).text
    assert text == (
        "Project: 2 active, 1 archived\n  a: A\n    → uses → b\n  b: B\n"
        "  archived (kg_read with ids shows them):\n  old"
    )


def test_what_is_in_no_text_is_counted_where_a_person_might_miss_it() -> None:
    graph = GRAPH.apply(Change(graph=GRAPH.key, use={name: Use(tier=Tier.ORPHANED) for name in ("b", "old")}))
    text = fit(at_once(level_steps(graph, None, title="Project")), None).text
    assert text == "Project: 1 active, 0 archived, 2 more that a search finds\n  a: A"


def test_what_was_preloaded_is_shown_by_id_and_not_marked_again() -> None:
    block = active_block(GRAPH, "a", 0.5, is_preloaded=True)
    assert (block.text, block.marks) == ("  a (preloaded)", ())


def test_the_same_id_on_two_levels_keeps_its_edges_apart() -> None:
    user = Graph.build("user", nodes={"a": Node(id="a", gist="Of the user")})
    levels = level_steps(user, user, title="User"), level_steps(GRAPH, user, title="Project")
    blocks = [block for steps in levels for block in at_once(steps)]
    assert len({block.name for block in blocks if block.rank is Rank.GIST}) == 3


def test_a_read_by_id_shows_all_that_is_kept_as_single_lines() -> None:
    node = Node(
        id="a",
        gist="A\nforged: line",
        notes=("first\nline", "second"),
        touches=("src/a.py",),
        tags=("x", "y"),
        kind=Kind.DERIVED,
        locked=True,
        observer="me",
        conflicts=({"gist": "theirs"},),
    )
    graph = Graph.build(GRAPH.key, nodes={**GRAPH.nodes, "a": node}, edges=GRAPH.edges)
    [block] = node_blocks(node, graph, None)
    assert block.text.splitlines() == [
        "a (project:x, active, locked, derived)",
        "  gist: A forged: line",
        "  notes:",
        "    - first line",
        "    - second",
        "  touches:",
        "    - src/a.py",
        "  tags: x, y",
        "  observer: me",
        "  edges:",
        "    a --uses--> b",
        "      - because of c",
        "  set aside by a merge (the next put closes it):",
        '    - {"gist": "theirs"}',
    ]
    assert {mark.kind for mark in block.marks} == {MarkKind.SEEN, MarkKind.READ}
    assert {mark.version for mark in block.marks} == {node.version}


def test_a_read_names_what_supersedes_a_node() -> None:
    edge = Edge(source="new", rel="supersedes", target="old")
    old, new = Node(id="old", gist="O"), Node(id="new", gist="N", status=Status.PROPOSED)
    graph = Graph.build("user", nodes={"old": old, "new": new}, edges={edge.key: edge})
    assert node_blocks(old, graph, graph)[0].text.startswith("old (user, active, superseded by new)")
    assert node_blocks(new, graph, graph)[0].text.startswith("new (user, active, proposed)")


def test_a_user_node_shows_the_edges_that_projects_keep_and_no_dormant_ones() -> None:
    user = Graph.build("user", nodes={"rule": Node(id="rule", gist="R")})
    edges = [Edge(source="a", rel="follows", target="user:rule"), Edge(source="a", rel="needs", target="gone")]
    project = Graph.build("project:x", nodes={"a": Node(id="a", gist="A")}, edges={edge.key: edge for edge in edges})
    assert "    a --follows--> user:rule" in node_blocks(user.nodes["rule"], user, user, [project])[0].text
    assert "gone" not in node_blocks(project.nodes["a"], project, user)[0].text
