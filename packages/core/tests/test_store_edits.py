"""Edits of the files of a memory from outside: merged with what is served, whoever was first."""

from __future__ import annotations

import asyncio
import errno
import json
import threading

import pytest

from kg_core.model import DAY, Change, Tombstone, Use, Written
from kg_core.store import Write
from kg_core.store.edits import STILL
from kg_core.store.journal import Journal

NOW = 1_790_000_000_000


@pytest.fixture
def at_once(monkeypatch) -> None:
    """Nobody waits for the end of a file."""
    monkeypatch.setattr("kg_core.store.edits.STILL", 0.0)


def test_an_edit_while_serving_is_merged_into_what_is_served(home, values, stores):
    async def main():
        store = await stores.saved(home, values, values.node("kept"), values.node("edited"), values.node("removed"))
        stores.edited(home, lambda document: document["nodes"]["edited"].update(gist="by hand"))
        stores.edited(home, lambda document: document["nodes"].pop("removed"))
        stores.edited(home, lambda document: document["nodes"].update(added={"gist": "new"}))
        stores.edited(home, lambda document: document.update(more=1))
        heard = []
        store.subscribe(heard.append)
        await store.commit(values.put(values.node("ours")))
        await store.look()
        graph = store.durable("user")
        assert set(graph.nodes) == {"kept", "edited", "added", "ours"}
        assert graph.nodes["edited"].gist == "by hand"
        assert graph.nodes["added"].created > 0
        assert heard[-1].by == "edit"
        await store.close()
        document = json.loads(home.graph("user").read_text("utf-8"))
        assert set(document["nodes"]) == set(graph.nodes)
        assert document["more"] == 1

    asyncio.run(main())


def test_what_a_person_added_may_be_changed_and_taken_out_before_the_file_was_written_anew(home, values, stores):
    async def main():
        store = await stores.saved(home, values, values.node("kept"))
        stores.edited(home, lambda document: document["nodes"].update(changed={"gist": "new"}, removed={"gist": "new"}))
        await store.look()
        stores.edited(home, lambda document: document["nodes"]["changed"].update(gist="newer"))
        stores.edited(home, lambda document: document["nodes"].pop("removed"))
        await store.look()
        graph = store.durable("user")
        assert set(graph.nodes) == {"kept", "changed"}
        assert graph.nodes["changed"].gist == "newer"
        assert graph.nodes["changed"].conflicts == ()
        await store.close()

    asyncio.run(main())


def test_an_edit_that_a_deletion_on_its_way_made_needless_is_kept_when_the_deletion_is_lost(
    home, values, stores, monkeypatch
):
    async def main():
        store = await stores.saved(
            home, values, values.node("kept"), values.node("edited", written=Written(at=NOW, by="a", author="a"))
        )
        stores.edited(home, lambda document: document["nodes"]["edited"].update(gist="by hand"))
        is_merged = threading.Event()

        def full(*_):
            is_merged.wait(10)
            raise OSError(errno.ENOSPC, "no space left on device")

        with monkeypatch.context() as disk:
            disk.setattr(Journal, "append", full)
            tombstones = {"edited": Tombstone(by="test", at=NOW + 1)}
            gone = Change(graph="user", nodes={"edited": None}, tombstones=tombstones)
            deletion = store.commit(Write(by="test", at=NOW, changes=(gone,)))
            taking = asyncio.create_task(store._edits.take_over(store._graphs["user"]))
            await asyncio.wait([taking], timeout=0.5)
            is_merged.set()
            await asyncio.gather(taking, deletion, return_exceptions=True)
        await store.look()
        assert store.durable("user").nodes["edited"].gist == "by hand"
        await store.close()

    asyncio.run(main())


@pytest.mark.usefixtures("at_once")
def test_a_restart_settles_what_a_damaged_edit_left_where_nothing_of_it_is_missed(home, values, stores):
    async def main():
        store = await stores.saved(home, values, values.node("kept"))
        home.graph("user").write_text("{ torn", encoding="utf-8")
        await store.look()
        (problem,) = store.problems()
        assert "`kg restart`" in problem.sentence
        await store.close()

        again = await stores.opened(home)
        graph = await again.load("user")
        assert again.problems() == ()
        assert set(graph.nodes) == {"kept"}
        await again.close()

    asyncio.run(main())


@pytest.mark.usefixtures("at_once")
def test_a_sound_edit_settles_what_a_damaged_one_left(home, values, stores):
    async def main():
        store = await stores.saved(home, values, values.node("kept"))
        home.graph("user").write_text("{ torn", encoding="utf-8")
        await store.look()
        await store.snapshot()
        (problem,) = store.problems()
        assert "Copy what you miss back into user.json" in problem.sentence

        stores.edited(home, lambda document: document["nodes"].update(added={"gist": "new"}))
        await store.look()

        assert store.problems() == ()
        assert set(store.durable("user").nodes) == {"kept", "added"}
        await store.close()

    asyncio.run(main())


NO_LIST = {
    "an empty object": "{}",
    "null": '{"format": 1, "nodes": null, "edges": []}',
    "only other members": '{"format": 1, "edges": [], "more": 1}',
}
AN_EMPTY_LIST = ['{"format": 1, "nodes": {}, "edges": []}', '{"nodes": []}']


@pytest.mark.parametrize("is_serving", [True, False])
@pytest.mark.parametrize("text", NO_LIST.values(), ids=NO_LIST)
def test_a_file_that_says_nothing_of_nodes_deletes_none(home, values, text, is_serving, stores):
    async def main():
        await stores.written(home, values, values.node("kept"), values.node("also"))
        store = await stores.opened(home)
        if is_serving:
            await store.load("user")
        home.graph("user").write_text(text, encoding="utf-8")
        graph = await store.load("user")
        await store.look()
        await store.snapshot()

        assert set(store.durable("user").nodes) == {"kept", "also"}, graph
        (problem,) = store.problems()
        assert "says nothing of nodes" in problem.sentence
        (corrupt,) = home.graph("user").parent.glob("user.json.corrupt*")
        assert corrupt.read_text("utf-8") == text
        assert set(json.loads(home.graph("user").read_text("utf-8"))["nodes"]) == {"kept", "also"}
        await store.close()

    asyncio.run(main())


@pytest.mark.parametrize("part", [0.0, 0.5, 0.9])
def test_a_file_that_somebody_is_writing_is_waited_for(home, values, stores, monkeypatch, part):
    now = 1_000.0
    monkeypatch.setattr("kg_core.store.edits.monotonic", lambda: now)

    async def main():
        nonlocal now
        store = await stores.saved(home, values, values.node("alpha"), values.node("beta"))
        document = json.loads(home.graph("user").read_bytes())
        document["nodes"]["gamma"] = {"gist": "copied from another machine"}
        whole = json.dumps(document, indent=2).encode()
        with home.graph("user").open("wb", buffering=0) as file:
            half = round(len(whole) * part)
            file.write(whole[:half])
            for _ in range(2):
                await store.look()
                now += STILL - 0.1
            file.write(whole[half : half + 3])
            await store.commit(values.put(values.node("ours")))
            await store.look()
            assert not await store.snapshot()
            assert store.problems() == ()
            file.write(whole[half + 3 :])
        await store.look()

        assert store.problems() == ()
        assert set(store.durable("user").nodes) == {"alpha", "beta", "gamma", "ours"}
        assert await store.snapshot()
        assert set(json.loads(home.graph("user").read_bytes())["nodes"]) == {"alpha", "beta", "gamma", "ours"}
        await store.close()

    asyncio.run(main())


def test_a_file_that_nobody_goes_on_writing_is_taken_for_damaged(home, values, stores, monkeypatch):
    now = 1_000.0
    monkeypatch.setattr("kg_core.store.edits.monotonic", lambda: now)

    async def main():
        nonlocal now
        store = await stores.saved(home, values, values.node("alpha"))
        whole = home.graph("user").read_bytes()
        home.graph("user").write_bytes(whole[:-40])
        await store.look()
        assert store.problems() == ()
        now += STILL
        await store.look()

        assert [problem.kind for problem in store.problems()] == ["damaged"]
        assert await store.snapshot()
        assert home.graph("user").read_bytes() == whole
        await store.close()

    asyncio.run(main())


def test_a_store_that_ends_while_a_file_is_written_loses_nothing(home, values, stores):
    async def main():
        store = await stores.saved(home, values, values.node("alpha"))
        whole = home.graph("user").read_bytes()
        home.graph("user").write_bytes(whole[: len(whole) // 2])
        await store.commit(values.put(values.node("ours")))
        await store.close()
        home.graph("user").write_bytes(whole)

        graph, problems = await stores.loaded(home)
        assert set(graph.nodes) == {"alpha", "ours"}
        assert problems == ()

    asyncio.run(main())


@pytest.mark.usefixtures("at_once")
def test_the_message_on_a_broken_file_ends_once_the_whole_one_is_saved_again(home, values, stores):
    async def main():
        store = await stores.saved(home, values, values.node("alpha"), values.node("beta"))
        whole = home.graph("user").read_bytes()
        broken = whole[: len(whole) // 2]
        for text in (broken, broken):  # saved twice, before anything takes its place
            home.graph("user").write_bytes(text)
            await store.look()
        assert [problem.kind for problem in store.problems()] == ["damaged"]
        await store.snapshot()
        await store.look()
        assert [problem.kind for problem in store.problems()] == ["damaged"], "nobody has looked after it"
        assert home.graph("user").read_bytes() == whole

        home.graph("user").write_bytes(whole)
        await store.look()

        assert store.problems() == ()
        assert set(store.durable("user").nodes) == {"alpha", "beta"}
        await store.close()

    asyncio.run(main())


@pytest.mark.parametrize("is_serving", [True, False])
@pytest.mark.parametrize("text", AN_EMPTY_LIST)
def test_an_empty_list_deletes_all_of_them(home, values, text, is_serving, stores):
    async def main():
        await stores.written(home, values, values.node("gone"), values.node("too"))
        store = await stores.opened(home)
        if is_serving:
            await store.load("user")
        home.graph("user").write_text(text, encoding="utf-8")
        await store.load("user")
        await store.look()

        assert not store.durable("user").nodes
        assert store.problems() == ()
        await store.close()

    asyncio.run(main())


def test_an_edit_and_a_write_of_one_node_are_both_kept(home, values, stores):
    async def main():
        store = await stores.saved(home, values, values.node("alpha", "old"))
        stores.edited(home, lambda document: document["nodes"]["alpha"].update(gist="theirs"))
        await store.commit(values.put(values.node("alpha", "ours")))
        await store.look()
        alpha = store.durable("user").nodes["alpha"]
        assert alpha.gist == "ours"
        assert alpha.conflicts[0]["gist"] == "theirs"
        assert [problem.kind for problem in store.problems()] == ["conflict"]
        await store.snapshot()
        assert [problem.kind for problem in store.problems()] == ["conflict"]
        await store.commit(values.put(values.node("alpha", "decided")))
        assert not store.problems()
        await store.snapshot()
        assert not store.problems()
        await store.close()

    asyncio.run(main())


MARKERS = """{"format": 1, "nodes": {
  "alpha": {
<<<<<<< HEAD
    "gist": "as the desk has it"
=======
    "gist": "as the laptop has it"
>>>>>>> laptop
  }, "omega": {"gist": "of both"}}, "edges": []}
"""
TWICE = '{"nodes": {"alpha": {"gist": "as the desk has it"}, "alpha": {"gist": "as the laptop has it"}}}'
STORED = json.dumps({"nodes": {"alpha": {"gist": "one", "conflicts": [{"gist": "as the laptop has it"}]}}})


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("is_serving", [True, False])
@pytest.mark.parametrize("text", [MARKERS, TWICE, STORED], ids=["markers", "twice", "stored"])
def test_two_versions_are_told_however_they_came_until_a_write_decides(home, values, stores, text, is_serving):
    def told(store):
        return [problem.sentence for problem in store.problems() if problem.kind == "conflict"]

    async def main():
        await stores.written(home, values, values.node("alpha", "before"), values.node("omega"))
        if is_serving:
            store = await stores.opened(home)
            await store.load("user")
            home.graph("user").write_text(text, encoding="utf-8")
            await store.look()
        else:
            home.graph("user").write_text(text, encoding="utf-8")
            store = await stores.opened(home)
            await store.load("user")
        await store.snapshot()
        (sentence,) = told(store)
        assert "user.json has two versions of alpha: each was changed in two places." in sentence
        await store.close()

        store = await stores.opened(home)
        await store.load("user")
        assert told(store) == [sentence], "after a restart too"
        await store.commit(values.put(values.node("alpha", "decided")))
        await store.snapshot()
        assert told(store) == []
        await store.close()

    asyncio.run(main())


def test_of_very_many_with_two_versions_some_are_named(home, values, stores):
    async def main():
        aside = {"gist": "one", "conflicts": [{"gist": "other"}]}
        home.graph("user").parent.mkdir(parents=True)
        home.graph("user").write_text(json.dumps({"nodes": {f"n{number:03}": aside for number in range(150)}}))
        store = await stores.opened(home)
        await store.load("user")
        (problem,) = store.problems()
        assert "n000, n001, n002, n003, n004; and 145 more" in problem.sentence
        await store.close()

    asyncio.run(main())


def test_an_edit_made_while_no_server_ran_is_merged_with_the_unsnapshotted_journal(home, values, stores):
    async def main():
        store = await stores.saved(home, values, values.node("alpha"), values.node("beta"))
        await store.commit(values.put(values.node("journalled")))
        for task in store._tasks:
            task.cancel()
        await asyncio.wait(store._tasks)
        store._lock.release()
        stores.edited(home, lambda document: document["nodes"].pop("beta"))
        stores.edited(home, lambda document: document["nodes"].update(added={"gist": "new"}))
        graph, _ = await stores.loaded(home)
        assert set(graph.nodes) == {"alpha", "journalled", "added"}

    asyncio.run(main())


def test_an_edit_without_any_backup_left_loses_neither_side(home, values, stores):
    async def main():
        store = await stores.saved(home, values, values.node("alpha", "old"), values.node("beta"))
        await store.commit(values.put(values.node("alpha", "ours"), values.node("journalled")))
        for task in store._tasks:
            task.cancel()
        await asyncio.wait(store._tasks)
        store._lock.release()
        for path in home.base("user").iterdir():
            path.unlink()
        stores.edited(home, lambda document: document["nodes"]["alpha"].update(gist="theirs"))
        graph, _ = await stores.loaded(home)
        assert set(graph.nodes) == {"alpha", "beta", "journalled"}
        assert graph.nodes["alpha"].gist == "ours"
        assert graph.nodes["alpha"].conflicts[0]["gist"] == "theirs"

    asyncio.run(main())


def test_an_old_checkout_brings_nothing_deleted_back(home, values, stores):
    async def main():
        store = await stores.opened(home)
        await store.load("user")
        lesson = values.node("alpha", written=Written(at=NOW, by="c", author="c"))
        await store.commit(values.put(lesson, values.node("beta")))
        await store.snapshot()
        old = home.graph("user").read_bytes()
        await store.commit(
            Write(
                by="c",
                at=NOW + 1,
                changes=(
                    Change(graph="user", nodes={"alpha": None}, tombstones={"alpha": Tombstone(at=NOW + 1, by="c")}),
                ),
            )
        )
        await store.snapshot()
        home.graph("user").write_bytes(old)
        await store.look()
        assert set(store.durable("user").nodes) == {"beta"}
        assert "alpha" in store.durable("user").tombstones
        await store.close()

    asyncio.run(main())


def test_an_old_file_put_back_while_no_server_ran_is_an_edit_like_any_other(home, values, stores):
    async def main():
        await stores.written(home, values, values.node("alpha", "old"))
        old = home.graph("user").read_bytes()
        await stores.written(home, values, values.node("alpha", "new"), values.node("beta"))
        home.graph("user").write_bytes(old)
        graph, _ = await stores.loaded(home)
        assert set(graph.nodes) == {"alpha"}
        assert graph.nodes["alpha"].gist == "old"
        assert home.graph("user").read_bytes() == old

    asyncio.run(main())


def test_a_tombstone_is_kept_for_a_year(home, values, stores):
    async def main():
        store = await stores.served(home, clock=lambda: NOW)
        old, young = NOW - 370 * DAY, NOW - 364 * DAY
        lessons = [
            values.node(f"n{days}", written=Written(at=NOW - days * DAY, by="c", author="c")) for days in range(3)
        ]
        await store.commit(
            values.put(*lessons, tombstones={"old": Tombstone(at=old, by="c"), "young": Tombstone(at=young, by="c")})
        )
        assert store.unsnapshotted() == ("user",)
        await store.snapshot()
        assert set(store.durable("user").tombstones) == {"young"}
        assert '"old"' not in home.graph("user").read_text("utf-8")
        assert store.unsnapshotted() == ()
        await store.close()

    asyncio.run(main())


def test_a_lesson_that_is_deleted_again_while_it_is_looked_for_old_deletions_is_not_forgotten(
    home, values, stores, monkeypatch
):
    monkeypatch.setattr("kg_core.policy.forgetting.MANY", 1)
    monkeypatch.setattr("kg_core.store.slices.SLICE", 0)
    again = Tombstone(at=NOW, by="c")

    async def main():
        store = await stores.served(home, clock=lambda: NOW)
        lessons = [
            values.node(f"n{days}", written=Written(at=NOW - days * DAY, by="c", author="c")) for days in range(3)
        ]
        await store.commit(values.put(*lessons, tombstones={"gone": Tombstone(at=NOW - 370 * DAY, by="c")}))
        snapshot = asyncio.create_task(store.snapshot())
        await asyncio.sleep(0)
        await store.commit(values.put(tombstones={"gone": again}))
        await snapshot
        assert dict(store.durable("user").tombstones) == {"gone": again}
        await store.close()

    asyncio.run(main())


def test_a_clock_that_is_years_ahead_for_a_while_forgets_no_deletion(home, values, stores):
    now = NOW

    async def main():
        nonlocal now
        store = await stores.served(home, clock=lambda: now)
        lessons = [
            values.node(f"n{days}", written=Written(at=NOW - days * DAY, by="c", author="c")) for days in range(30)
        ]
        await store.commit(values.put(*lessons, tombstones={"gone": Tombstone(at=NOW - DAY, by="c")}))
        for days in (1_000, 1_001):
            now = NOW + days * DAY
            await store.commit(values.put(values.node("new", written=Written(at=now, by="c", author="c"))))
            await store.snapshot()
        assert set(store.durable("user").tombstones) == {"gone"}
        await store.close()

    asyncio.run(main())


@pytest.mark.parametrize("is_serving", [True, False])
def test_a_case_that_a_person_adds_to_the_file_is_one_vote_for_its_lesson(home, values, is_serving, stores):
    def add_case(document):
        document["nodes"]["case"] = {"gist": "it came again"}
        document["edges"] = [*document.get("edges", ()), {"from": "case", "rel": "instance-of", "to": "lesson"}]

    async def main():
        store = await stores.saved(home, values, values.node("lesson"))
        if not is_serving:
            await store.close()
        stores.edited(home, add_case)
        if not is_serving:
            store = await stores.opened(home)
            await store.load("user")
        await store.look()
        await store.snapshot()
        use = store.durable("user").use_of("lesson")
        assert [stamp.kind.value for stamp in use.stamps] == ["recurrence"]
        assert len(use.recurrence) == 1

        stores.edited(home, lambda document: document["edges"].clear())
        await store.look()
        assert not store.durable("user").edges
        stores.edited(
            home, lambda document: document.update(edges=[{"from": "case", "rel": "instance-of", "to": "lesson"}])
        )
        await store.look()
        assert store.durable("user").edges
        assert store.durable("user").use_of("lesson") == use
        await store.close()

    asyncio.run(main())


def test_a_lesson_and_its_case_of_one_edit_are_equally_old(home, values, stores):
    async def main():
        store = await stores.saved(home, values, values.node("kept"))
        many = {f"n{number:04}": {"gist": "one of many"} for number in range(1_200)}  # more than one part of a merge
        relation = {"from": "n1199", "rel": "instance-of", "to": "n0000"}
        stores.edited(home, lambda document: document["nodes"].update(many))
        stores.edited(home, lambda document: document.update(edges=[relation]))
        await store.look()
        graph = store.durable("user")
        assert len(graph.edges) == 1
        assert len({node.created for node_id, node in graph.nodes.items() if node_id != "kept"}) == 1
        assert not graph.use_of("n0000").stamps
        await store.close()

    asyncio.run(main())


def test_a_hand_made_edge_into_the_users_memory_is_counted_there(home, values, stores):
    async def main():
        store = await stores.opened(home)
        await store.load("user")
        await store.load("project:shop")
        await store.commit(values.put(values.node("rule")))
        await store.commit(values.put(values.node("alpha"), graph="project:shop"))
        await store.snapshot()
        relation = {"from": "alpha", "rel": "needs", "to": "user:rule"}
        stores.edited(home, lambda document: document.update(edges=[relation]), "project:shop")
        await store.look()
        assert store.durable("user").use_of("rule").inbound == (("shop", 1),)
        stores.edited(home, lambda document: document.update(edges=[]), "project:shop")
        await store.look()
        assert store.durable("user").use_of("rule").inbound == ()
        await store.close()

    asyncio.run(main())


@pytest.mark.parametrize("is_serving", [True, False])
def test_a_lesson_that_a_person_edits_is_as_recent_as_the_edit(home, values, is_serving, stores):
    async def main():
        now = NOW
        written = Written(at=NOW, by="c", author="c")
        lessons = [values.node(name, created=NOW, written=written) for name in ("edited", "left")]
        store = await stores.served(home, clock=lambda: now)
        await store.commit(values.put(*lessons, use={each.id: Use(activity_at=NOW) for each in lessons}))
        await store.snapshot()
        if not is_serving:
            await store.close()
        now = NOW + DAY
        stores.edited(home, lambda document: document["nodes"]["edited"].update(gist="by hand"))
        if is_serving:
            await store.look()
        else:
            store = await stores.served(home, clock=lambda: now)
        graph = store.durable("user")
        assert graph.nodes["edited"].gist == "by hand"
        assert graph.use_of("edited").activity_at == NOW + DAY
        assert graph.use_of("left").activity_at == NOW
        await store.close()

    asyncio.run(main())
