"""What a session starts with, within the limits of real clients."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_core.model import DAY, Edge, Graph, Node, Status, Tier, Use
from kg_core.model.steps import at_once
from kg_core.policy import LevelView, preload_blocks, prospects
from kg_core.policy.shares import Lesson, choose, ordered_steps, spent
from kg_core.render import Block, MarkKind, fit
from kg_plugin_api import Limit, Unit

NOW = 1_000 * DAY
CLAUDE = Limit(9_500, Unit.UTF16)
CODEX = Limit(9_000, Unit.BYTES)
HEAD = (Block(text="The core of memory."),)
GISTS = {
    "ascii": "Cache keys include the tenant id; a key without it leaks rows across tenants. ",
    "cjk": "缓存键必须包含租户编号，否则会泄漏其他租户的数据行。",
    "emoji": "👩‍👩‍👧 keys 🔑 include 🏢 the tenant 🇯🇵 id ❤️ always ",
}


def level(count: int, gist: str, *, key: str = "project:x", newest: int = 0) -> Graph:
    nodes = {
        f"{key[0]}{number:03d}": Node(id=f"{key[0]}{number:03d}", gist=f"{number} {gist}", created=number + newest)
        for number in range(count)
    }
    return Graph.build(key, nodes=nodes)


def shown(*graphs: Graph, limit: Limit = CLAUDE) -> tuple[str, list[str]]:
    levels = [LevelView(f"The {graph.key} level", graph) for graph in graphs]
    found = at_once(prospects(levels, graphs[0], limit.unit, NOW))
    fitted = fit(preload_blocks(found, limit, head=HEAD), limit)
    assert limit.holds(fitted.text)
    return fitted.text, [mark.id for mark in fitted.marks]


@pytest.mark.parametrize("limit", [CLAUDE, CODEX], ids=["utf16", "bytes"])
@pytest.mark.parametrize("gist", GISTS.values(), ids=GISTS)
def test_a_large_memory_fills_the_limit_and_never_exceeds_it(gist: str, limit: Limit) -> None:
    text, ids = shown(level(400, gist * 2, key="user"), level(400, gist * 3, newest=1_000), limit=limit)
    assert limit.measure(text) > 0.9 * limit.maximum
    assert {f"p{number}" for number in range(395, 400)} <= set(ids)
    assert "more lessons are not shown here" in text
    assert "No room here" not in text


@pytest.mark.parametrize("limit", [CLAUDE, CODEX], ids=["utf16", "bytes"])
@pytest.mark.parametrize("gist", GISTS.values(), ids=GISTS)
def test_one_gist_of_a_thousand_characters_is_in_whole_when_it_is_the_newest(gist: str, limit: Limit) -> None:
    project = level(200, gist)
    longest = Node(id="longest", gist=(gist * 40)[:1_000], created=NOW)
    project = Graph.build(project.key, nodes={**project.nodes, "longest": longest})
    text, ids = shown(level(200, gist, key="user"), project, limit=limit)
    assert longest.gist in text
    assert "longest" in ids


@pytest.mark.parametrize("limit", [CLAUDE, CODEX, Limit(400, Unit.BYTES)], ids=["utf16", "bytes", "tiny"])
def test_the_newest_is_cut_when_it_does_not_fit_and_then_not_marked(limit: Limit) -> None:
    project = Graph.build(
        "project:x",
        nodes={
            "huge": Node(id="huge", gist="部署 " * 20_000, created=9),
            "small": Node(id="small", gist="S", created=1),
        },
    )
    text, ids = shown(Graph(key="user"), project, limit=limit)
    assert "  huge: 部署" in text
    assert "…" in text
    assert ids == ["small"]


def test_both_levels_are_sections_of_their_own() -> None:
    user = Graph.build("user", nodes={"tabs": Node(id="tabs", gist="Tabs.", created=1)})
    uses = Edge(source="deploy", rel="follows", target="user:tabs")
    project = Graph.build(
        "project:x",
        nodes={
            "deploy": Node(id="deploy", gist="Tag first.", created=2),
            "retired": Node(id="retired", gist="R", created=0),
        },
        use={"retired": Use(tier=Tier.ARCHIVED)},
        edges={uses.key: uses},
    )
    text, _ = shown(user, project)
    assert text == (
        "The core of memory.\n"
        "The user level:\n  tabs: Tabs.\n"
        "The project:x level:\n  deploy: Tag first.\n    → follows → user:tabs\n"
        "  archived (kg_read with ids shows them):\n  retired"
    )


def test_without_lessons_there_is_no_section() -> None:
    assert shown(Graph(key="user"), Graph(key="project:x")) == ("The core of memory.", [])


def test_only_current_lessons_are_preloaded_and_no_edge_leads_to_others() -> None:
    nodes = {status.value: Node(id=status.value, gist="G", status=status, created=1) for status in Status}
    nodes["corrected"] = Node(id="corrected", gist="Wrong", created=5)
    edge = Edge(source="current", rel="supersedes", target="corrected")
    graph = Graph.build("user", nodes=nodes, edges={edge.key: edge})
    text, ids = shown(graph)
    assert ids == ["current"]
    assert "corrected" not in text


def test_what_is_shown_is_marked_as_preloaded_with_its_version() -> None:
    graph = level(1, "gist", key="user")
    found = at_once(prospects([LevelView("L", graph)], graph, CLAUDE.unit, NOW))
    blocks = preload_blocks(found, CLAUDE, head=HEAD)
    marks = [mark for block in blocks for mark in block.marks]
    assert [(mark.kind, mark.graph, mark.version) for mark in marks] == [
        (MarkKind.PRELOADED, "user", graph.nodes["u000"].version)
    ]


def test_the_same_memory_gives_the_same_text_whatever_order_it_was_built_in() -> None:
    graph = level(300, GISTS["ascii"])
    backwards = Graph.build(graph.key, nodes=dict(sorted(graph.nodes.items(), reverse=True)))
    assert shown(graph) == shown(backwards)


@pytest.mark.parametrize("size", [9_490, 9_499, 9_500, 9_501, 9_510, 50_000])
def test_a_memory_of_any_size_is_cut_at_the_border_of_a_lesson(size: int) -> None:
    gist = "x" * 90
    graph = level(size // 100, gist, key="user")
    text, ids = shown(graph)
    assert len(ids) == sum(line.endswith(gist) for line in text.splitlines())


def lesson(number: int, cost: int, *, is_fresh: bool, score: float = 0.5) -> Lesson:
    return Lesson(level=0, id=str(number), created=-number, is_fresh=is_fresh, score=score, cost=cost)


def chosen_of(lessons: list[Lesson], room: int, limit: int) -> list[Lesson]:
    return choose(at_once(ordered_steps(lessons)), room, limit)


@st.composite
def lesson_lists(draw: st.DrawFn) -> list[Lesson]:
    costs = draw(st.lists(st.integers(1, 600), min_size=1, max_size=30))
    return [
        lesson(number, cost, is_fresh=draw(st.booleans()), score=draw(st.floats(0, 1)))
        for number, cost in enumerate(costs)
    ]


@given(lesson_lists(), st.integers(0, 1_000))
def test_the_chosen_lessons_fit_and_the_newest_is_first(lessons: list[Lesson], room: int) -> None:
    chosen = chosen_of(lessons, room, 1_000)
    assert spent(chosen) <= room
    assert len({each.place for each in chosen}) == len(chosen)
    assert lessons[0] in chosen or lessons[0].cost > room


@given(lesson_lists())
def test_the_five_newest_are_in_when_together_they_fit_the_fresh_share_and_what_others_leave(
    lessons: list[Lesson],
) -> None:
    newest, others = lessons[:5], lessons[5:]
    left_by_rest = max(0, 450 - sum(each.cost for each in others))
    if spent(newest) <= 550 + left_by_rest:
        assert set(newest) <= set(chosen_of(lessons, 1_000, 1_000))


@given(lesson_lists())
def test_no_room_is_left_that_a_lesson_would_fit(lessons: list[Lesson]) -> None:
    chosen = chosen_of(lessons, 1_000, 1_000)
    left = 1_000 - spent(chosen)
    assert all(each.cost > left for each in lessons if each not in chosen)


def test_the_rest_goes_by_score() -> None:
    old = [lesson(number, 100, is_fresh=False, score=number / 10) for number in range(6, 10)]
    new = [lesson(number, 10, is_fresh=True) for number in range(5)]
    chosen = chosen_of([*new, *old], 250, 1_000)
    assert [each.id for each in chosen[5:]] == ["9", "8"]
    assert chosen_of([*new, *(replace(each, score=0.0) for each in old)], 250, 1_000)[5].id == "6"
