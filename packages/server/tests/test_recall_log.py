"""The recall log on disk: bounded, private, and without anybody's words."""

from __future__ import annotations

import asyncio
import json
import logging
import stat
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_core.policy import Candidate, Decision, Reason, Source
from kg_server.recall_log import Arrival, Entry, Moment, RecallLog, explained, told
from kg_server.recall_log import log as module

if TYPE_CHECKING:
    from pathlib import Path

NOW = 1_800_000_000_000
SECRET = "AKIA" + "QWERTYUIOPASDFGH"


def moment(at: int = NOW, session: str = "s-1", project: str = "project:shop") -> Moment:
    return Moment(at=at, harness="claude", session=session, context="abcd2345", event="prompt", project=project)


def decision(reason: Reason = Reason.WEAK, node_id: str = "cache-key", source: Source = Source.PROMPT) -> Decision:
    candidate = Candidate(graph="project:shop", id=node_id, reason=reason, strength=0.48, score=3.2)
    return Decision(source=source, reason=reason, candidates=(candidate,), threshold=0.65)


def records(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "recall.jsonl"


def test_a_silent_decision_is_one_line_with_its_reason_and_numbers(path: Path) -> None:
    async def scenario() -> None:
        log = RecallLog(path, lambda: NOW)
        log.note(moment(), [decision()])
        await log.write()

    asyncio.run(scenario())
    (record,) = records(path)
    assert (record["outcome"], record["reason"], record["arrival"]) == ("silent", "weak", "nothing")
    assert record["threshold"] == 0.65
    assert record["candidates"] == [
        {"graph": "project:shop", "id": "cache-key", "reason": "weak", "strength": 0.48, "score": 3.2, "how": ""}
    ]


@pytest.mark.parametrize(("arrived", "arrival"), [(True, "arrived"), (False, "lost")])
def test_what_was_injected_is_written_once_it_is_known_whether_it_arrived(
    path: Path, arrived: bool, arrival: str
) -> None:
    async def scenario() -> None:
        log = RecallLog(path, lambda: NOW)
        log.note_sent(moment(), [decision(Reason.SHOWN)], "d-1", NOW + 5_000)
        await log.write()
        assert not path.exists()
        log.settle("d-1", arrived=arrived)
        log.settle("d-1", arrived=not arrived)
        log.settle("unknown", arrived=True)
        await log.write()

    asyncio.run(scenario())
    assert [record["arrival"] for record in records(path)] == [arrival]


def test_what_nobody_acknowledges_is_lost_after_its_deadline_and_sent_when_the_server_ends_before(path: Path) -> None:
    async def scenario() -> None:
        now = NOW
        log = RecallLog(path, lambda: now)
        log.note_sent(moment(), [decision(Reason.SHOWN)], "d-1", NOW + 5_000)
        log.note_sent(moment(), [decision(Reason.SHOWN)], "d-2", NOW + 50_000)
        now = NOW + 5_001
        await log.write()
        assert [record["arrival"] for record in records(path)] == ["lost"]
        await log.close()

    asyncio.run(scenario())
    assert [record["arrival"] for record in records(path)] == ["lost", "sent"]


@pytest.mark.parametrize("arrival", [Arrival.LOST, Arrival.QUEUED])
def test_what_left_by_no_delivery_was_lost_or_waits(path: Path, arrival: Arrival) -> None:
    async def scenario() -> None:
        log = RecallLog(path, lambda: NOW)
        log.note(moment(), [decision(Reason.SHOWN), decision()], arrival)
        await log.write()

    asyncio.run(scenario())
    assert [record["arrival"] for record in records(path)] == [arrival, "nothing"]


def test_only_the_owner_reads_the_file(path: Path) -> None:
    async def scenario() -> None:
        log = RecallLog(path, lambda: NOW)
        for _ in range(2):
            log.note(moment(), [decision()])
            await log.write()
            assert stat.S_IMODE(path.stat().st_mode) == 0o600

    asyncio.run(scenario())


def test_the_file_never_exceeds_its_bound_and_keeps_the_newest(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 8_192)

    async def scenario() -> None:
        log = RecallLog(path, lambda: NOW)
        for number in range(200):
            log.note(moment(NOW + number), [decision(node_id=f"lesson-{number}")])
            if number % 7 == 0:
                await log.write()
                assert path.stat().st_size <= 8_192
        await log.close()

    asyncio.run(scenario())
    ids = [record["candidates"][0]["id"] for record in records(path)]  # type: ignore[index]
    assert ids == [f"lesson-{number}" for number in range(200 - len(ids), 200)]
    assert len(ids) > 5
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in path.parent.iterdir()] == ["recall.jsonl"]


def test_a_burst_larger_than_the_bound_leaves_the_newest(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 2_048)

    async def scenario() -> None:
        log = RecallLog(path, lambda: NOW)
        log.note(moment(), [decision(node_id=f"lesson-{number}") for number in range(100)])
        await log.write()

    asyncio.run(scenario())
    assert path.stat().st_size <= 2_048
    assert records(path)[-1]["candidates"][0]["id"] == "lesson-99"  # type: ignore[index]


def test_a_disk_that_cannot_be_written_is_said_once_and_stops_nothing(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.parent.write_text("no folder", encoding="utf-8")

    async def scenario() -> None:
        log = RecallLog(path, lambda: NOW)
        for _ in range(3):
            log.note(moment(), [decision()])
            await log.write()
        assert await log.newest(lambda _: True, 1) == []
        path.parent.unlink()
        log.note(moment(), [decision()])
        await log.write()

    with caplog.at_level(logging.WARNING):
        asyncio.run(scenario())
    assert len(caplog.records) == 1
    assert len(records(path)) == 1


def test_damaged_lines_are_passed_over(path: Path) -> None:
    async def scenario() -> list[Entry]:
        log = RecallLog(path, lambda: NOW)
        log.note(moment(), [decision()])
        await log.write()
        with path.open("ab") as file:
            file.write(b'{"at": 1}\n[]\n\xff\xfe\nnull\n{"at":"2026-01-01T00:00:00Z","source":"prompt"}\n{"torn')
        return await log.newest(lambda _: True, 9)

    assert len(asyncio.run(scenario())) == 1


def test_the_newest_of_each_source_are_told_and_what_is_on_its_way_among_them(path: Path) -> None:
    async def scenario() -> list[tuple[Source, int]]:
        log = RecallLog(path, lambda: NOW)
        log.note(moment(NOW), [decision(), decision(source=Source.FILE)])
        log.note(moment(NOW + 1), [decision(source=Source.FILE)])
        log.note_sent(moment(NOW + 2), [decision(Reason.SHOWN)], "d-1", NOW + 9_000)
        log.note(moment(NOW + 3, session="other"), [decision()])
        found = await log.newest(lambda entry: entry.is_of("s-"), 1)
        return [(entry.decision.source, entry.moment.at) for entry in found]

    assert asyncio.run(scenario()) == [(Source.PROMPT, NOW + 2), (Source.FILE, NOW + 1)]


def test_no_secret_in_a_name_reaches_the_disk(path: Path) -> None:
    named = Decision(
        source=Source.FILE,
        reason=Reason.SHOWN,
        candidates=(Candidate(graph="user", id=f"key-{SECRET}", how=SECRET),),
        about=f"{'a' * 250} {SECRET}",
    )

    async def scenario() -> None:
        log = RecallLog(path, lambda: NOW)
        log.note(moment(session=f"s {SECRET}"), [named])
        await log.write()

    asyncio.run(scenario())
    assert SECRET not in path.read_text(encoding="utf-8")
    assert SECRET[:8] not in path.read_text(encoding="utf-8")


CANDIDATES = st.builds(
    Candidate,
    graph=st.just("user"),
    id=st.from_regex(r"[a-z]{1,9}(-[a-z]{1,9}){0,3}", fullmatch=True),
    reason=st.sampled_from(Reason),
    strength=st.integers(0, 9_999).map(lambda n: n / 1_000),
    score=st.integers(0, 9_999).map(lambda n: n / 1_000),
    how=st.sampled_from(["", "exact", "glob"]),
)
ENTRIES = st.builds(
    Entry,
    moment=st.builds(moment, at=st.integers(1, 4_000_000_000_000), session=st.sampled_from(["", "s-1", "会话"])),
    decision=st.builds(
        Decision,
        source=st.sampled_from(Source),
        reason=st.sampled_from(Reason),
        candidates=st.lists(CANDIDATES, max_size=3).map(tuple),
        threshold=st.sampled_from([0.0, 0.65]),
        about=st.sampled_from(["", "src/auth/token.py", "docs/日本 語.md"]),
        degraded=st.booleans(),
    ),
    arrival=st.sampled_from(Arrival),
)


@given(ENTRIES)
def test_an_entry_is_read_as_it_was_written(entry: Entry) -> None:
    assert Entry.of(entry.line().rstrip(b"\n")) == entry


def test_a_session_of_which_nothing_is_known_is_named(path: Path) -> None:
    log = RecallLog(path, lambda: NOW)

    of_a_session, of_a_project = (asyncio.run(told(log, session, "", 1))["text"] for session in ("s-9", ""))

    assert of_a_session.startswith("Nothing is known of a session 's-9', or of one that begins so.")
    assert of_a_project.startswith("Nothing has been decided here yet.")


@given(ENTRIES)
def test_every_decision_has_words(entry: Entry) -> None:
    text = explained([entry])
    assert ("Silent: " in text) == (not entry.decision.is_injected)
    assert "None" not in text
    assert all(candidate.id in text for candidate in entry.decision.candidates)


@pytest.mark.parametrize("number", ["1" + "0" * 400, "1e999", "-1e999", "NaN", "[]", "{}", "null", '"x"'])
@pytest.mark.parametrize("key", ["at", "threshold", "strength", "score"])
def test_a_number_that_nobody_wrote_costs_no_more_than_its_line(path: Path, key: str, number: str) -> None:
    async def scenario() -> list[Entry]:
        log = RecallLog(path, lambda: NOW)
        log.note(moment(), [decision()])
        await log.write()
        (record,) = records(path)
        (candidate,) = record.pop("candidates")
        plain = ",".join(f'"{name}":{json.dumps(value)}' for name, value in record.items() if name != key)
        named = ",".join(f'"{name}":{json.dumps(value)}' for name, value in candidate.items() if name != key)
        odd = f'{{{plain},"{key}":{number},"candidates":[{{{named},"{key}":{number}}}]}}\n'
        path.write_text(odd + path.read_text(encoding="utf-8"), encoding="utf-8")
        found = await log.newest(lambda _: True, 2)
        explained(found)
        return found

    assert Entry(moment=moment(), decision=decision()) in asyncio.run(scenario())


def test_half_a_line_costs_no_other(path: Path) -> None:
    async def scenario() -> list[Entry]:
        log = RecallLog(path, lambda: NOW)
        path.parent.mkdir(mode=0o700)
        path.write_bytes(b'{"at":"2026-')
        log.note(moment(), [decision()])
        await log.write()
        return await log.newest(lambda _: True, 2)

    assert asyncio.run(scenario()) == [Entry(moment=moment(), decision=decision())]


def test_an_edit_that_was_held_back_is_told_as_that() -> None:
    held = replace(moment(), event="before_tool")
    rules = decision(Reason.SHOWN, "auth", Source.RULES)
    assert "held back once, with the rules of auth as the reason" in explained([Entry(moment=held, decision=rules)])
    assert "Rules of auth came with it." in explained([Entry(moment=moment(), decision=rules)])


def test_what_did_not_arrive_is_said_to_be_offered_again() -> None:
    entry = Entry(moment=moment(), decision=decision(Reason.SHOWN), arrival=Arrival.LOST)
    assert "so it is offered again" in explained([entry])


def judged(reason: Reason, *candidates: tuple[Reason, float]) -> list[str]:
    """The lines on a decision about lessons that were judged so, and have so much evidence."""
    found = [
        Candidate(graph="project:shop", id=f"n{number}", reason=each, strength=strength)
        for number, (each, strength) in enumerate(candidates)
    ]
    entry = Entry(
        moment=moment(),
        decision=Decision(source=Source.PROMPT, reason=reason, candidates=tuple(found), threshold=0.5),
    )
    return explained([entry]).splitlines()


@pytest.mark.parametrize(
    ("strength", "reason", "told"),
    [
        (0.498, Reason.WEAK, "0.4980 where 0.50 is needed, too little evidence"),
        (0.49999, Reason.WEAK, "0.499990 where 0.50 is needed, too little evidence"),
        (0.494, Reason.WEAK, "0.49 where 0.50 is needed, too little evidence"),
        (0.5, Reason.SHOWN, "0.50 where 0.50 is needed, shown"),
        (1.7e308, Reason.SHOWN, f"{1.7e308:.2f} where 0.50 is needed, shown"),
    ],
)
def test_evidence_that_is_not_enough_is_not_told_as_what_is_needed(strength: float, reason: Reason, told: str) -> None:
    assert judged(reason, (reason, strength))[2] == f"  n0: evidence {told}"


def test_what_came_with_a_better_one_is_not_told_as_if_its_evidence_were_enough() -> None:
    lines = judged(Reason.SHOWN, (Reason.SHOWN, 0.85), (Reason.SHOWN, 0.2), (Reason.IN_VIEW, 0.1))

    assert lines[2] == "  n0: evidence 0.85 where 0.50 is needed, shown"
    assert lines[3] == "  n1: evidence 0.20 where 0.50 is needed, shown beside what has enough"


def test_who_was_told_nothing_as_the_model_knows_it_already_is_not_advised_to_change_the_lesson() -> None:
    known = judged(Reason.WEAK, (Reason.IN_VIEW, 0.43), (Reason.OUTSCORED, 0.1))
    new = judged(Reason.WEAK, (Reason.IN_VIEW, 0.43), (Reason.WEAK, 0.2))

    assert known[-1].startswith("What fits it best is in front of the model already")
    assert new[-1].startswith("To change it, put the words")


@given(st.text(st.characters(codec=None)), st.text(st.characters(codec=None)))
def test_no_name_makes_a_line_of_its_own_or_a_line_without_bound(session: str, about: str) -> None:
    judged = Decision(source=Source.FILE, reason=Reason.WEAK, about=about)
    entry = Entry(moment=moment(session=session), decision=judged)
    assert entry.line().count(b"\n") == 1
    assert len(explained([entry]).splitlines()) <= 4
