"""Which lessons the use of a file brings to mind, and why it brings none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kg_core.model import Edge, EdgeKey, Graph, Node, Status, Tier, Use
from kg_core.policy import FileUse, Reason, TouchIndex, recall_files
from kg_core.policy.filerecall import MOST, PER_MINUTE
from kg_core.render import MarkKind

if TYPE_CHECKING:
    from kg_core.policy.recall import Recalled

NOW = 1_800_000_000_000
FILE = "src/auth/token.py"


def node(name: str, *touches: str, **fields: object) -> Node:
    return replace(Node(id=name, gist=f"The gist of {name}.", touches=touches or (FILE,)), **fields)


def level(*nodes: Node, key: str = "project:shop", **fields: object) -> Graph:
    return Graph.build(key, nodes={each.id: each for each in nodes}, **fields)


def recalled(
    *graphs: Graph,
    files: tuple[str, ...] = (FILE,),
    former: tuple[str, ...] = (),
    known: set[tuple[str, str]] | None = None,
    told: dict[str, int] | None = None,
) -> Recalled:
    indexes = {graph.key: TouchIndex() for graph in graphs}
    for graph in graphs:
        indexes[graph.key].update(graph)
    uses = [FileUse(name=name, spellings=(name, f"/home/user/shop/{name}"), former=former) for name in files]
    return recall_files(uses, graphs, indexes, known or set(), told or {}, NOW)


def ids(found: Recalled) -> list[str]:
    return [mark.id for block in found.blocks for mark in block.marks if mark.kind is MarkKind.SEEN]


def test_a_file_brings_the_lessons_that_touch_it_under_its_name() -> None:
    found = recalled(level(node("token-expiry"), node("elsewhere", "src/other.py")))

    assert [block.text for block in found.blocks] == [
        "Lessons on src/auth/token.py:\n  token-expiry: The gist of token-expiry."
    ]
    assert found.decision.reason is Reason.SHOWN
    assert found.decision.about == FILE
    assert [(each.id, each.how, each.reason) for each in found.decision.candidates] == [
        ("token-expiry", "exact", Reason.SHOWN)
    ]


def test_both_levels_answer_and_the_best_ways_to_meet_come_first() -> None:
    user = level(node("any-python", "*.py"), node("here", "/home/user/shop/src/auth/token.py"), key="user")
    project = level(node("the-folder", "src/auth/"), node("renamed", "src/old.py"), node("the-file"))

    found = recalled(user, project, former=("src/old.py",))

    assert sorted(ids(found)[:2]) == ["here", "the-file"]
    assert ids(found)[2:] == ["renamed"]
    assert [each.how for each in found.decision.candidates] == ["exact", "exact", "renamed", "glob", "directory"]
    assert [each.reason for each in found.decision.candidates[3:]] == [Reason.OUTSCORED] * 2


def test_at_most_three_come_the_active_and_the_latest_first() -> None:
    nodes = [node(f"lesson-{number}", created=number) for number in range(5)]
    found = recalled(level(*nodes, use={"lesson-4": Use(tier=Tier.ARCHIVED), "lesson-0": Use(activity_at=9)}))

    assert ids(found) == ["lesson-0", "lesson-3", "lesson-2"]
    assert len(ids(found)) == MOST


def test_what_the_model_has_in_view_is_passed_over() -> None:
    graph = level(node("seen"), node("new"))

    assert ids(recalled(graph, known={(graph.key, "seen")})) == ["new"]
    silent = recalled(graph, known={(graph.key, "seen"), (graph.key, "new")})
    assert silent.blocks == ()
    assert silent.decision.reason is Reason.IN_VIEW


@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.PROPOSED, Status.RETRACTED])
def test_what_does_not_hold_never_comes(status: Status) -> None:
    found = recalled(level(node("doubtful", status=status)))

    assert found.blocks == ()
    assert found.decision.reason is Reason.NOT_CURRENT


def corrections(*pairs: tuple[str, str]) -> dict[EdgeKey, Edge]:
    edges = [Edge(source=new, rel="supersedes", target=old) for new, old in pairs]
    return {edge.key: edge for edge in edges}


def test_a_correction_stands_in_for_what_it_corrects_though_it_names_no_file() -> None:
    nodes = [node("old"), node("newer", "elsewhere.py"), replace(node("newest"), touches=())]
    found = recalled(level(*nodes, edges=corrections(("newer", "old"), ("newest", "newer"))))

    assert ids(found) == ["newest"]
    assert [(each.id, each.how) for each in found.decision.candidates] == [("newest", "exact")]


def test_corrections_that_do_not_hold_or_go_in_circles_bring_nothing() -> None:
    doubtful = level(node("old"), node("new", "x.py", status=Status.RETRACTED), edges=corrections(("new", "old")))
    circle = level(node("old"), node("new"), edges=corrections(("new", "old"), ("old", "new")))

    for graph in (doubtful, circle):
        found = recalled(graph)
        assert (found.blocks, found.decision.reason) == ((), Reason.NOT_CURRENT)


def test_what_all_have_forgotten_never_comes() -> None:
    assert recalled(level(node("old"), use={"old": Use(tier=Tier.ORPHANED)})).blocks == ()


def test_an_archived_lesson_still_comes() -> None:
    assert ids(recalled(level(node("old"), use={"old": Use(tier=Tier.ARCHIVED)}))) == ["old"]


def test_a_folder_whose_lessons_do_not_hold_hides_no_lesson_of_the_folder_above() -> None:
    graph = level(node("near", "src/auth", status=Status.RETRACTED), node("far", "src"))

    assert ids(recalled(graph)) == ["far"]


def test_a_file_that_brought_lessons_brings_no_more() -> None:
    graph = level(node("first"), node("second", "src/b.py"))
    mark = next(mark for mark in recalled(graph).blocks[0].marks if mark.kind is MarkKind.FILE)

    again = recalled(graph, told={mark.id: NOW - 1_000_000})
    other = recalled(graph, told={mark.id: NOW - 1_000_000}, files=(FILE, "src/b.py"))

    assert (again.blocks, again.decision.reason) == ((), Reason.THROTTLED)
    assert ids(other) == ["second"]
    assert mark.id not in {FILE, "first"}


def test_an_agent_that_looks_around_is_told_a_few_times_a_minute() -> None:
    told = {f"file-{number}": NOW - number for number in range(PER_MINUTE)}

    assert recalled(level(node("a")), told=told).decision.reason is Reason.THROTTLED
    later = dict.fromkeys(told, NOW - 60_000)
    assert recalled(level(node("a")), told=later).decision.reason is Reason.SHOWN
    future = dict.fromkeys(told, NOW + 60_000)
    assert recalled(level(node("a")), told=future).decision.reason is Reason.SHOWN


def test_nothing_is_said_of_a_file_that_no_lesson_touches() -> None:
    found = recalled(level(node("a", "lib/src/auth/token.py"), node("b", "token.py"), node("c", "src/auth/token.pyi")))

    assert (found.blocks, found.decision.reason) == ((), Reason.NOTHING_FOUND)


def test_a_folder_that_a_file_left_speaks_for_it_only_when_the_folder_is_gone() -> None:
    graph = level(node("left", "src/legacy"))
    index = TouchIndex()
    index.update(graph)

    def told(remaining: frozenset[str]) -> list[str]:
        use = FileUse(name=FILE, spellings=(FILE,), former=("src/legacy/token.py",), remaining=remaining)
        return ids(recall_files([use], [graph], {graph.key: index}, set(), {}, NOW))

    assert told(frozenset({"src", "src/legacy"})) == []
    assert told(frozenset({"src"})) == ["left"]


def test_an_index_that_is_not_whole_yet_tells_what_it_has_and_does_not_pass_for_silence() -> None:
    graph = level(node("known"), node("not-yet", "src/b.py"))
    index = TouchIndex()
    index.update(graph, ["known"])
    index.is_whole = False

    def told(name: str) -> Recalled:
        return recall_files([FileUse(name=name, spellings=(name,))], [graph], {graph.key: index}, set(), {}, NOW)

    assert (ids(told(FILE)), told(FILE).decision.degraded) == (["known"], True)
    assert (told("src/b.py").decision.reason, told("src/b.py").decision.degraded) == (Reason.DEGRADED, True)
    index.update(graph, ["not-yet"])
    index.is_whole = True
    assert told("src/c.py").decision.reason is Reason.NOTHING_FOUND


def test_several_files_are_named_in_one_heading_and_none_of_them_can_forge_a_line() -> None:
    graph = level(node("one", "a\nb.py"), node("two", "c.py"))

    text = "\n".join(block.text for block in recalled(graph, files=("a\nb.py", "c.py", "d.py")).blocks)

    heading, *lines = text.split("\n")
    assert heading.startswith("Lessons on a")
    assert heading.endswith("b.py, c.py:")
    assert len(lines) == 2
