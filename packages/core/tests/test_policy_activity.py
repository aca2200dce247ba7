"""When a lesson was last worked on, where its words came from elsewhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kg_core.model import Change, Graph, Node, Use, Written
from kg_core.policy.activity import worked_on
from kg_core.policy.score import changed_at

SAID, LATER, NOW = 1_000, 5_000, 9_000
LESSON = Node(id="lesson", gist="it is so", created=SAID, written=Written(at=SAID, by="ann", author="ann"))


def last_worked_on(node: Node | None, use: Use | None = None) -> int:
    """When the lesson was last worked on, once its words are those of ``node``."""
    before = Graph.build("user", nodes={"lesson": LESSON}, use={"lesson": use or Use(activity_at=SAID)})
    after = before.apply(worked_on(Change(graph="user", nodes={"lesson": node}), before, NOW, "restore"))
    return changed_at(after.nodes["lesson"], after.use_of("lesson"))


def test_words_that_a_person_changed_by_hand_are_new() -> None:
    assert last_worked_on(replace(LESSON, gist="it is not so")) == NOW
    assert last_worked_on(replace(LESSON, gist="it is not so", written=None)) == NOW


@pytest.mark.parametrize(("at", "expected"), [(LATER, LATER), (1, SAID)])
def test_words_of_a_write_elsewhere_are_as_old_as_it_and_never_older_than_ours(at: int, expected: int) -> None:
    assert last_worked_on(replace(LESSON, gist="so", written=Written(at=at, by="bob", author="bob"))) == expected


def test_words_that_were_put_back_are_new_whoever_wrote_them() -> None:
    assert last_worked_on(replace(LESSON, gist="so", written=Written(at=NOW, by="restore", author="ann"))) == NOW


def test_a_rewrite_by_maintenance_elsewhere_leaves_the_time_alone() -> None:
    tidied = replace(LESSON, gist="it is so.", written=Written(at=LATER, by="pass", author="ann"))

    assert last_worked_on(tidied) == SAID
    assert last_worked_on(tidied, Use()) == SAID


def test_a_lesson_that_says_the_same_is_no_newer_and_its_use_not_touched() -> None:
    before = Graph.build("user", nodes={"lesson": LESSON})
    same = Change(graph="user", nodes={"lesson": replace(LESSON, conflicts=({"gist": "other"},)), "new": LESSON})
    gone = Change(graph="user", nodes={"lesson": None})

    assert worked_on(same, before, NOW, "edit") is same
    assert worked_on(gone, before, NOW, "edit") is gone


def test_a_new_gist_is_counted_among_the_changes_of_it() -> None:
    before = Graph.build("user", nodes={"lesson": LESSON})
    change = Change(graph="user", nodes={"lesson": replace(LESSON, gist="other")}, use={"lesson": Use(read_at=7)})

    use = worked_on(change, before, NOW, "edit").use["lesson"]

    assert use == Use(read_at=7, activity_at=NOW, gist_changes=(NOW,))


def test_a_gist_that_maintenance_rewrote_elsewhere_changed_when_it_did() -> None:
    before = Graph.build("user", nodes={"lesson": LESSON})
    tidied = replace(LESSON, gist="it is so.", written=Written(at=LATER, by="pass", author="ann"))

    use = worked_on(Change(graph="user", nodes={"lesson": tidied}), before, NOW, "edit").use["lesson"]

    assert use == Use(activity_at=SAID, gist_changes=(LATER,))
