"""The lines of a level, which edges are shown, and what they cost."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_core.model import Edge, EdgeKey, Graph, Node, Status, Tier, Use
from kg_core.model.steps import at_once
from kg_core.render import (
    all_replacements,
    archived_line,
    charge,
    edge_line,
    level_steps,
    node_line,
    one_line,
    preloaded_line,
    reading_order,
    standing,
)
from kg_plugin_api import Unit

TIERS = st.sampled_from(list(Tier))
TEXT = st.text(max_size=30)


def edge(source: str, rel: str, target: str) -> Edge:
    return Edge(source=source, rel=rel, target=target)


def graph(
    gists: dict[str, str], edges: list[Edge] | None = None, tiers: dict[str, Tier] | None = None, key: str = "project:x"
) -> Graph:
    return Graph.build(
        key,
        nodes={node_id: Node(id=node_id, gist=gist) for node_id, gist in gists.items()},
        use={node_id: Use(tier=tier) for node_id, tier in (tiers or {}).items()},
        edges={each.key: each for each in edges or []},
    )


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    ids = draw(st.lists(st.sampled_from([f"n{number}" for number in range(9)]), unique=True))
    ends = st.sampled_from([*ids, "src/a.py", "~/b", "user:known", "user:gone", "nothing"])
    keys = draw(st.lists(st.builds(EdgeKey, ends, st.sampled_from(["uses", "explains"]), ends), max_size=20))
    return graph(
        {node_id: draw(TEXT) for node_id in ids},
        [edge(*key) for key in keys],
        {node_id: draw(TIERS) for node_id in ids},
    )


USER = graph({"known": "K"}, key="user")


def test_each_line_has_its_form() -> None:
    node = Node(id="deploy", gist="Tag first.")
    assert node_line(node) == "  deploy: Tag first."
    assert node_line(node, Status.RETRACTED) == "  deploy (retracted): Tag first."
    assert preloaded_line("deploy") == "  deploy (preloaded)"
    assert archived_line("deploy") == "  deploy"
    assert edge_line(edge("a", "uses", "b"), under_source=True) == "    → uses → b"
    assert edge_line(edge("a", "uses", "b"), under_source=False) == "    ← uses ← a"


@pytest.mark.parametrize(
    "kept",
    [
        "👩‍👩‍👧 family",
        "می‌خواهم",
        "שלום \u200f עולם",
        "مرحبا",
        "\ufeffafter a mark",
        "❤️ heart",
        "葛\U000e0100飾",
        "🏳️‍🌈 and 🏴‍☠️ and 👩🏽‍💻",
        "נעשה ב־C++\u200e ולא אחרת",
        "\u061cرقم 1\u200f.",
        "क्‍ष और क्‌ष",
        "ภาษาไทย",
        "tabs are not, spaces  are kept",
    ],
)
def test_text_of_any_script_stays_as_it_is(kept: str) -> None:
    assert one_line(kept) == kept


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("a\n  b: forged", "a b: forged"),
        ("a\r\nb", "a b"),
        ("a\u2028# heading", "a # heading"),
        ("a\x85b\x0bc\x0cd\te", "a b c d e"),
        ("a\u202eb\u2066c", "abc"),
        ("plain\U000e0041\U000e0042", "plain"),
        ("a\x00\x1b[31mb", "a[31mb"),
        ("x\ufe0f\ufe0e\ufe0f", "x\ufe0f"),
        ("ig\u200bno\u2060re", "ignore"),
        ("soft\u00adhyphen and\u3164filler", "softhyphen andfiller"),
        ("a\u200c\u200d\u200c\u200db \u0645\u06cc\u200c\u200d\u200e\u062e", "ab \u0645\u06cc\u200c\u062e"),
        ("pass\u200dword 1\ufeff2", "password 12"),
        ("half \ud83d", "half \ufffd"),
        ("\n\n", ""),
    ],
)
def test_what_could_forge_a_line_or_hide_text_is_neutralised(stored: str, shown: str) -> None:
    assert one_line(stored) == shown


INVISIBLE = st.sampled_from(
    "\u00ad\u034f\u180e\u200b\u200c\u200d\u200e\u200f\u061c\ufeff\u2060\u2064\u202e\u2066\ufe0f\U000e0041"
)
WORDS = st.sampled_from(["ignore", "the rules", "می", "خواهم", "שלום", "👩", "👧", "日本", "\n", " "])


@given(st.lists(st.one_of(INVISIBLE, WORDS), max_size=30).map("".join))
def test_what_hides_in_a_line_is_at_most_one_character_between_two_that_show(text: str) -> None:
    shown = one_line(text)
    assert not re.search("[\u061c\u200c-\u200f\ufeff]{2}|\ufe0f{2}|[a-z][\u061c\u200c-\u200f\ufeff][a-z]", shown)
    assert not re.search("[\u00ad\u034f\u180e\u200b\u2060\u2064\u202e\u2066\U000e0041\n]", shown)
    assert one_line(shown) == shown


@given(st.text(st.characters(codec=None)))
def test_one_line_is_one_line_once_and_for_all_and_never_longer(text: str) -> None:
    shown = one_line(text)
    assert len(shown.splitlines()) <= 1
    assert one_line(shown) == shown
    assert all(unit.measure(shown) <= unit.measure(text) for unit in Unit)
    shown.encode("utf-8")


def test_an_edge_stands_under_its_source_or_else_under_its_target() -> None:
    shown = lines(graph({"a": "A", "b": "B"}, [edge("a", "uses", "b")]))
    assert shown == ["  a: A", "    → uses → b", "  b: B"]
    archived = lines(graph({"a": "A", "b": "B"}, [edge("a", "uses", "b")], {"a": Tier.ARCHIVED}))
    assert archived == ["  b: B", "    ← uses ← a", "  a"]


@pytest.mark.parametrize(
    ("source", "target", "is_shown"),
    [
        ("active", "active", True),
        ("active", "archived", True),
        ("archived", "active", True),
        ("archived", "archived", False),
        ("active", "orphaned", False),
        ("active", "nothing", False),
        ("active", "src/a.py", True),
        ("~/notes", "active", True),
        ("archived", "src/a.py", False),
        ("active", "user:known", True),
        ("active", "user:gone", False),
        ("active", "user:sunk", False),
        ("src/a.py", "src/b.py", False),
    ],
)
def test_an_edge_is_shown_when_no_end_is_gone_and_one_is_active(source: str, target: str, *, is_shown: bool) -> None:
    tiers = {"active": Tier.ACTIVE, "archived": Tier.ARCHIVED, "orphaned": Tier.ORPHANED}
    level = graph(dict.fromkeys(tiers, "gist"), [edge(source, "rel", target)], tiers)
    user = graph({"known": "K", "sunk": "S"}, tiers={"sunk": Tier.ORPHANED}, key="user")
    assert any("rel" in line for line in lines(level, user)) is is_shown


def test_without_the_user_graph_its_nodes_count_as_existing() -> None:
    assert "    → rel → user:gone" in lines(graph({"a": "A"}, [edge("a", "rel", "user:gone")]))


def test_parallel_relations_and_self_loops_are_lines_of_their_own() -> None:
    shown = lines(graph({"a": "A", "b": "B"}, [edge("a", "x", "b"), edge("a", "y", "b"), edge("a", "self", "a")]))
    assert shown == ["  a: A", "    → self → a", "    → x → b", "    → y → b", "  b: B"]


def test_what_a_superseding_edge_points_at_says_so() -> None:
    level = graph({"new": "N", "old": "O"}, [edge("new", "supersedes", "old")])
    assert standing(level, "old") is Status.SUPERSEDED
    assert standing(level, "new") is Status.CURRENT
    assert "  old (superseded): O" in lines(level)
    assert standing(graph({"old": "O"}, [edge("gone", "supersedes", "old")]), "old") is Status.CURRENT
    assert standing(graph({"old": "O"}, [edge("old", "supersedes", "old")]), "old") is Status.CURRENT


def test_what_supersedes_a_lesson_is_followed_nearest_first_and_around_a_circle_once() -> None:
    ends = [("b", "a"), ("c", "b"), ("d", "a"), ("a", "c")]
    level = graph(dict.fromkeys("abcd", "x"), [edge(newer, "supersedes", older) for newer, older in ends])
    assert all_replacements(level, "a") == ["b", "d", "c"]


@given(graphs())
def test_what_is_rendered_is_what_is_charged(level: Graph) -> None:
    rendered = "\n".join([*lines(level, USER), ""])
    assert charge(level, USER) == len(rendered)


def test_archived_lines_are_charged_up_to_their_own_budget() -> None:
    ids = [f"{'x' * 95}-{number:03d}" for number in range(100)]
    level = graph(dict.fromkeys(ids, "gist"), tiers=dict.fromkeys(ids, Tier.ARCHIVED))
    assert charge(level, None) == 6_600


def test_components_are_read_largest_first_and_hubs_first() -> None:
    level = graph(
        dict.fromkeys(["lone", "leaf-a", "leaf-b", "hub", "pair-a", "pair-b"], "gist"),
        [edge("leaf-a", "r", "hub"), edge("hub", "r", "leaf-b"), edge("pair-b", "r", "pair-a")],
    )
    assert reading_order(level, level.nodes) == ["hub", "leaf-a", "leaf-b", "pair-a", "pair-b", "lone"]


@given(graphs())
def test_every_node_is_read_once(level: Graph) -> None:
    assert sorted(reading_order(level, level.nodes)) == sorted(level.nodes)


def lines(level: Graph, user: Graph | None = None) -> list[str]:
    """The lines of a level without its headings."""
    blocks = at_once(level_steps(level, user, title="T"))
    return [block.text for block in blocks[1:] if not block.text.startswith("  archived (")]
