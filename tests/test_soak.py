"""A rough day in a minute leaves nothing lost, wrong or behind; and what the soak judges by does bite."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from kg_server.carrier.calls import NO_ANSWER, NO_ANSWER_TO_A_WRITE, NO_SERVER

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "bench"))

from soak.book import GONE, Book, Lesson, Link, State, Stored, lost_turns  # noqa: E402 - found from here on
from soak.files import stored  # noqa: E402
from soak.record import Record, as_json, lines, violations  # noqa: E402
from soak.schedule import KILL_EVERY, What, schedule  # noqa: E402
from soak.sizes import LIMITS, Sample  # noqa: E402
from soak.trouble import ANNOUNCED, Complaint, Trouble, Window  # noqa: E402

DOWN, FULL = Window(Trouble.DOWN, 20.0, 22.0), Window(Trouble.FULL, 30.0, 40.0)
FULL_DISK = "Not saved: the disk is full: journal (No space left on device)."


@pytest.mark.parametrize(
    "minutes",
    [
        pytest.param(1, id="1 minute", marks=pytest.mark.slow),
        pytest.param(10, id="10 minutes", marks=pytest.mark.nightly),
    ],
)
def test_a_hundred_sessions_lose_nothing_on_a_rough_day(tmp_path: Path, minutes: int) -> None:
    found = tmp_path / "found.json"
    script = [sys.executable, str(ROOT / "bench" / "soak.py")]
    options = ["--minutes", str(minutes), "--seed", str(minutes), "--json", str(found)]

    done = subprocess.run(
        [*script, *options], env=os.environ, capture_output=True, text=True, timeout=minutes * 60 + 240, check=False
    )

    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    counts = json.loads(found.read_text(encoding="utf-8"))["counts"]
    assert counts["sessions"] == 100
    assert counts["kills"] >= 2 * minutes  # each 20 s, but for those that meet a server that is still starting
    assert counts["full disks"] == 2
    assert counts["payloads of 20 MB"] == 1
    assert counts["edits of files"] > 20 * minutes
    assert counts["acknowledged writes"] > 300 * minutes


def told() -> Book:
    """A writer that has one lesson, an edge to another, a vote, a task and a turn."""
    one = Lesson("user", 0, frozenset({State("one", "First.", ("A case.",))}), ids={"one", "once"}, has_vote=True)
    two = Lesson("user", 1, frozenset({State("two", "Second.")}), ids={"two"})
    gone = Lesson("user", 2, frozenset({State(GONE)}), ids={"three", GONE})
    return Book(
        "writer",
        [one, two, gone],
        {Link(0, "leads-to", 1): frozenset({True})},
        {"task": frozenset({"Begun."})},
        [("shared", 3)],
    )


HELD = Stored(
    {
        "one": State("one", "First.", ("A case.",)),
        "two": State("two", "Second."),
        "shared": State("shared", "Turn 4 was taken by another."),
    },
    frozenset({("one", "leads-to", "two")}),
    {"task": "Begun."},
    frozenset({"one"}),
)


def record(**changed: object) -> Record:
    """A run in which nothing was wrong, but for what is ``changed``."""
    right = Record(
        seconds=60.0,
        seed=0,
        disk="none",
        books=[told()],
        stored={"user": HELD},
        complaints=[],
        windows=[DOWN, FULL],
        samples=[Sample(0.0, {"journal": 1}), Sample(60.0, {"journal": LIMITS["journal"]})],
        counts={},
        slowest_return=1.0,
        left_processes={},
    )
    return replace(right, **changed)  # type: ignore[arg-type]


def without(node_id: str) -> Stored:
    return replace(HELD, lessons={key: state for key, state in HELD.lessons.items() if key != node_id})


def test_a_run_in_which_nothing_was_wrong_passes() -> None:
    assert violations(record()) == []
    assert list(lines(record()))[-1] == "0 violations"
    assert as_json(record())["violations"] == []


@pytest.mark.parametrize(
    ("held", "sentence"),
    [
        (without("one"), "user has State(id=''"),
        (replace(HELD, lessons={**HELD.lessons, "one": State("one", "Older.", ("A case.",))}), "Older."),
        (replace(HELD, lessons={**HELD.lessons, "one": State("one", "First.")}), "notes=()"),
        (replace(HELD, lessons={**HELD.lessons, "once": State("once", "First.")}), "are one lesson twice"),
        (replace(HELD, lessons={**HELD.lessons, "three": State("three", "Third.")}), "three"),
        (replace(HELD, edges=frozenset()), "the edge one leads-to two"),
        (replace(HELD, votes=frozenset()), "the vote for one"),
        (replace(HELD, tasks={}), "the task task"),
        (without("shared"), "without turn 3"),
        (replace(HELD, lessons={**HELD.lessons, "shared": State("shared", "Turn 2 of old.")}), "without turn 3"),
    ],
)
def test_what_was_acknowledged_and_is_not_in_the_files_is_told(held: Stored, sentence: str) -> None:
    found = violations(record(stored={"user": held}))

    assert any(one.startswith("lost: writer: ") and sentence in one for one in found), found


def test_a_write_whose_answer_was_cut_off_may_have_happened_or_not() -> None:
    book = told()
    book.lessons[1].cut_off(State("second", "Second."))
    renamed = replace(HELD, lessons={**without("two").lessons, "second": State("second", "Second.")})

    assert violations(record(books=[book])) == []
    assert violations(record(books=[book], stored={"user": renamed})) == []
    assert violations(record(books=[book], stored={"user": without("two")})) != []


def test_a_turn_that_two_were_told_they_had_is_told() -> None:
    books = [Book("one", turns=[("shared", 3)]), Book("two", turns=[("shared", 3)])]

    assert [loss.sentence for loss in lost_turns(books, {"user": HELD})] == ["turn 3 of shared was given to one too"]


@pytest.mark.parametrize(
    ("sentence", "at"),
    [
        ("kg_search failed inside kg (KeyError). Go on without it.", 21.0),
        ("JSON-RPC error: kg mcp failed; its error output says how.", 21.0),
        ("The memory server refused the request (status 500). Run `kg doctor`.", 21.0),
        (FULL_DISK, 10.0),
        ("The memory server did not answer this call; it may have taken effect all the same.", 10.0),
    ],
)
def test_an_error_that_nobody_announced_is_told(sentence: str, at: float) -> None:
    (found,) = violations(record(complaints=[Complaint("someone", "kg_search", sentence, at, at + 0.1)]))

    assert found.startswith("unannounced: someone: kg_search")
    assert sentence[:40] in found


def test_an_announced_error_is_counted_and_passes_while_its_trouble_lasts() -> None:
    run = record(complaints=[Complaint("someone", "kg_put_node", FULL_DISK, at, at + 1.0) for at in (29.5, 35.0, 39.9)])

    assert violations(run) == []
    assert as_json(run)["announced errors"] == {"a write met a full disk": 3}


@pytest.mark.parametrize("sentence", [NO_ANSWER, NO_ANSWER_TO_A_WRITE, NO_SERVER])
def test_each_sentence_of_the_shim_is_announced_while_the_server_is_down_and_only_then(sentence: str) -> None:
    complaints = [Complaint("someone", "kg_sync", sentence, at, at + 0.1) for at in (21.0, 10.0)]

    (found,) = violations(record(complaints=complaints))

    assert found.startswith("unannounced: someone: kg_sync at 10.0")


def test_no_announcement_covers_another_and_none_covers_everything() -> None:
    names = [announced.name for announced in ANNOUNCED]
    assert len(set(names)) == len(names)
    assert not [announced.name for announced in ANNOUNCED if announced.pattern.match("It failed.")]


def test_a_file_that_grows_beyond_its_limit_and_what_is_left_over_are_told() -> None:
    samples = [Sample(at, {"journal": 1, "resident": 1}) for at in (0.0, 60.0)]
    samples.insert(1, Sample(30.0, {"journal": LIMITS["journal"] + 1, "resident": 2 * LIMITS["resident"]}))
    run = record(
        samples=samples, left_processes={4711: "kg_server serve"}, left_files=["user.json.tmp"], failures=["A."]
    )

    unbounded = [one for one in violations(run) if one.startswith("unbounded: ")]
    assert [one.split()[1] for one in unbounded] == ["journal", "resident"]
    assert {"left: process 4711: kg_server serve", "left: file user.json.tmp", "A."} <= set(violations(run))


def test_a_lesson_taken_out_of_the_real_files_is_told(tmp_path: Path) -> None:
    kept = {"one": {"gist": "First.", "notes": ["A case."]}, "two": {"gist": "Second."}, "shared": {"gist": "Turn 3."}}
    edge = {"from": "one", "rel": "leads-to", "to": "two"}
    graph = {"nodes": kept, "edges": [edge], "progress": {"task": {"state": {"text": "Begun."}}}}
    use = {"use": {"one": {"stamps": [{"at": "2026-01-01T00:00:00.000Z", "kind": "endorsement"}]}}}
    (tmp_path / "user.use.json").write_text(json.dumps(use), encoding="utf-8")
    kept["shared"] = {"gist": "Turn 3 was taken."}

    (tmp_path / "user.json").write_text(json.dumps(graph), encoding="utf-8")
    assert violations(record(stored=stored(tmp_path))) == []

    del kept["two"]
    (tmp_path / "user.json").write_text(json.dumps(graph), encoding="utf-8")
    assert len(violations(record(stored=stored(tmp_path)))) == 1


@pytest.mark.parametrize("seconds", [60.0, 600.0])
@pytest.mark.parametrize("seed", range(5))
def test_the_schedule_kills_every_twenty_seconds_and_fills_the_disk_once_beside_and_once_around_a_kill(
    seconds: float, seed: int
) -> None:
    steps = schedule(seconds, seed)
    kills = [step.at for step in steps if step.what is What.KILL]
    begins, ends = ([step.at for step in steps if step.what is what] for what in (What.FULL, What.FREE))
    full = list(zip(begins, ends, strict=True))

    assert kills == [KILL_EVERY * (number + 1) for number in range(len(kills))]
    assert len(kills) >= seconds / KILL_EVERY - 1
    assert [any(begin < kill < end for kill in kills) for begin, end in full] == [False, True]
    clocks = [step.value for step in steps if step.what is What.CLOCK]
    assert clocks[0] > 24 * 3600 > 0 > clocks[1]
    assert clocks[2] == 0
    assert schedule(seconds, seed) == steps
