"""The journal: torn tails, damage, rotation and retention."""

from __future__ import annotations

import asyncio
import errno
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_core.store import Entry, Home, Places, Settings, Store
from kg_core.store.journal import SEGMENT_BYTES, Journal
from kg_core.store.lines import Header, SnapshotMark, body, frame, parse
from kg_core.store.recovery import recover
from kg_plugin_api import Code, KgError

NOW = 1_790_000_000_000
FOLDER = Path("/memory-home/memory/journal")
HOME = Home(Path("/memory-home"))


def entry(sequence, by="c"):
    return Entry(sequence=sequence, at=NOW, by=by, changes=())


def journal(volatile, **more):
    return Journal(volatile.VolatileFiles(), FOLDER, **more)


def recovered(files):
    segments = [(FOLDER / name, files.read(FOLDER / name)) for name in files.names(FOLDER) if name.endswith(".jsonl")]
    return asyncio.run(recover(segments))


def sequences(files):
    return [each.sequence for each in recovered(files).entries]


def append(journal, *batches):
    for batch in batches:
        journal.append([body(entry(sequence)) for sequence in batch], NOW)


def only_segment(files):
    (name,) = files.names(FOLDER)
    return FOLDER / name


def test_a_line_is_json_with_a_checksum_of_the_rest():
    line = frame(7, body(entry(8, by="ü\ud800")))
    assert line.startswith(b'{"sum":"')
    (parsed,) = parse(line)
    assert parsed.value == entry(8, by="ü\ud800")
    assert parsed.batch == 7
    for at in range(len(line) - 1):
        (broken,) = parse(line[:at] + bytes([line[at] ^ 1]).replace(b"\n", b"x") + line[at + 1 :])
        assert broken is None


def test_what_was_appended_is_recovered(volatile):
    log = journal(volatile)
    append(log, [1, 2], [3])
    log.mark(SnapshotMark(graph="user", sequence=3, content="abc"))
    found = recovered(log.files)
    assert [each.sequence for each in found.entries] == [1, 2, 3]
    assert found.marks["user"][0].content == "abc"
    assert found.durable == 3
    assert not found.damaged


def test_a_torn_tail_is_dropped_and_the_rest_replayed(volatile):
    log = journal(volatile)
    append(log, [1], [2], [3, 4])
    path = only_segment(log.files)
    whole = log.files.read(path)
    third = whole.index(b'"sequence":3')
    for end in range(third, len(whole)):
        log.files.put(path, whole[:end])
        found = recovered(log.files)
        assert [each.sequence for each in found.entries] in ([1, 2], [1, 2, 3], [1, 2, 3, 4])
        assert not found.damaged


def test_a_hole_in_a_batch_that_was_never_acknowledged_drops_the_batch_quietly(volatile):
    log = journal(volatile)
    append(log, [1], [2, 3, 4])
    path = only_segment(log.files)
    log.files.put(path, log.files.read(path).replace(b'"sequence":2', b"\0\0\0\0\0\0\0\0\0\0\0\0"))
    found = recovered(log.files)
    assert [each.sequence for each in found.entries] == [1]
    assert not found.damaged


@pytest.mark.parametrize("lost", [1, 2, 3])
def test_damage_among_acknowledged_entries_keeps_all_others(volatile, lost):
    log = journal(volatile)
    append(log, [1], [2, 3], [4])
    path = only_segment(log.files)
    log.files.put(path, log.files.read(path).replace(b'"sequence":%d' % lost, b'"sequence":9'))
    found = recovered(log.files)
    assert [each.sequence for each in found.entries] == [number for number in (1, 2, 3, 4) if number != lost]
    assert path in found.damaged
    assert found.gap == lost


def test_the_first_sequence_of_a_segment_voids_what_a_failed_batch_left(volatile):
    log = journal(volatile)
    append(log, [1])
    left = frame(2, body(entry(2, by="failed")))
    path = only_segment(log.files)
    log.files.put(path, log.files.read(path) + left)
    log.close()
    append(log, [2])
    found = recovered(log.files)
    assert [each.by for each in found.entries] == ["c", "c"]
    assert not found.damaged
    assert not found.missing


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_failed_append_leaves_nothing_that_a_start_would_take_for_an_entry(volatile, code):
    for fault in range(1, 12):
        log = journal(volatile)
        append(log, [1])
        log.files.faults = {log.files.count + fault: code}
        told, named = [1], []
        for sequence in (2, 3, 4):
            try:
                append(log, [log.durable + 1])
            except OSError as error:
                named.append(str(error.filename))
            else:
                told.append(log.durable)
            assert log.durable == len(told), sequence
        assert all(name.startswith(str(FOLDER)) for name in named)
        assert sequences(log.files.after_crash()) == told


def test_segments_are_rotated_and_old_ones_dropped_when_nobody_needs_them(volatile):
    log = journal(volatile, kept_bytes=100 << 20)
    big = "x" * (SEGMENT_BYTES // 2)
    for sequence in range(1, 9):
        log.append([body(entry(sequence, by=big))], NOW)
    count = len(log.segments)
    assert count >= 3
    assert log.retire(snapshotted=8, watermark=None, now=NOW) == 0
    assert log.retire(snapshotted=2, watermark=8, now=NOW) == 2
    assert len(log.segments) == count - 1
    assert log.retire(snapshotted=8, watermark=8, now=NOW) == log.segments[0].first - 1
    assert len(log.segments) == 1
    assert sequences(log.files)[-1] == 8


def test_entries_stay_seven_days_and_sixteen_mebibytes_at_most_but_never_less_than_the_files_lack(volatile):
    def filled(**more):
        log = journal(volatile, **more)
        for sequence in range(1, 9):
            log.append([body(entry(sequence, by="x" * (SEGMENT_BYTES // 2)))], NOW)
        return log

    log = filled(kept_for=1_000)
    assert log.retire(snapshotted=0, watermark=0, now=NOW + 2_000) == 0
    assert log.retire(snapshotted=8, watermark=0, now=NOW + 2_000) > 0
    log = filled(kept_bytes=2 << 20)
    log.retire(snapshotted=8, watermark=0, now=NOW)
    assert sum(segment.size for segment in log.segments) <= (2 << 20) + 2 * SEGMENT_BYTES


def test_a_header_names_every_content_a_file_may_have(volatile):
    log = journal(volatile)
    append(log, [1])
    log.mark(SnapshotMark(graph="user", sequence=1, content="old"))
    log.mark(SnapshotMark(graph="user", sequence=1, content="new", done=False))
    log.close()
    append(log, [2])
    newest = FOLDER / log.files.names(FOLDER)[-1]
    header = next(parse(log.files.read(newest)))
    assert isinstance(header.value, Header)
    assert [(mark.content, mark.done) for mark in header.value.marks] == [("old", True), ("new", False)]
    log.mark(SnapshotMark(graph="user", sequence=2, content="new"))
    assert [mark.content for mark in recovered(log.files).marks["user"]] == ["new"]


def test_a_journal_of_a_later_version_is_not_touched(volatile):
    files = volatile.VolatileFiles()
    files.put(FOLDER / "0000000000000001.jsonl", frame(1, body(Header(first=1, format=99))))
    with pytest.raises(KgError) as caught:
        asyncio.run(Store.open(HOME, files=files, places=Places(Path("/x"), ())))
    assert caught.value.code is Code.READ_ONLY


def test_recovery_of_any_bytes_never_fails(volatile):
    log = journal(volatile)
    append(log, [1], [2, 3])
    whole = log.files.read(only_segment(log.files))

    @settings(max_examples=100)
    @given(st.lists(st.tuples(st.integers(0, len(whole)), st.integers(0, 40), st.binary(max_size=6)), max_size=4))
    def holds(cuts):
        data = whole
        for at, length, added in cuts:
            data = data[:at] + added + data[at + length :]
        found = asyncio.run(recover([(FOLDER / "0000000000000001.jsonl", data)]))
        numbers = [each.sequence for each in found.entries]
        assert numbers == sorted(set(numbers))
        assert set(numbers) <= {1, 2, 3}

    holds()


def test_a_damaged_segment_is_kept_byte_for_byte_and_reported_once(volatile, values):
    async def main():
        files = volatile.VolatileFiles()

        async def opened():
            return await Store.open(HOME, files=files, places=Places(Path("/x"), ()), settings=Settings())

        store = await opened()
        await store.load("user")
        for number in range(4):
            await store.commit(values.put(values.node(f"n{number}")))
        for task in store._tasks:
            task.cancel()
        await asyncio.wait(store._tasks)
        await store._disk.close()
        files.locks.clear()
        path = only_segment(files)
        damaged = files.read(path).replace(b"the gist of n1", b"the jest of n1")
        files.put(path, damaged)
        store = await opened()
        assert set((await store.load("user")).nodes) == {"n0", "n2", "n3"}
        (problem,) = store.problems()
        assert problem.kind == "damaged"
        (kept,) = [name for name in files.names(FOLDER) if ".corrupt-" in name]
        assert kept in problem.sentence
        assert files.read(FOLDER / kept) == damaged
        assert store.since(0) is None
        await store.close()
        store = await opened()
        assert set((await store.load("user")).nodes) == {"n0", "n2", "n3"}
        assert not store.problems()
        await store.close()

    asyncio.run(main())
