"""Files that are damaged, lost, of another time or not to be read: nothing is dropped, and it is said."""

from __future__ import annotations

import asyncio
import json
import shutil

import pytest

from kg_core.store import Home, OsFiles
from kg_core.store.reading import read_graph
from kg_plugin_api import Code, KgError


@pytest.mark.parametrize("lost", [40, 400])
def test_a_truncated_file_is_kept_and_its_content_restored_from_backup_and_journal(
    home, values, lost, stores, monkeypatch
):
    monkeypatch.setattr("kg_core.store.loading.STILL", 0.0)

    async def main():
        await stores.written(home, values, *(values.node(f"n{number}") for number in range(20)))
        whole = home.graph("user").read_bytes()
        home.graph("user").write_bytes(whole[:-lost])
        graph, problems = await stores.loaded(home)
        assert len(graph.nodes) == 20
        assert [problem.kind for problem in problems] == ["damaged"]
        (kept,) = home.memory.glob("user.json.corrupt-*")
        assert kept.read_bytes() == whole[:-lost]
        assert kept.name in problems[0].sentence
        assert home.graph("user").read_bytes() == whole

    asyncio.run(main())


@pytest.mark.parametrize("part", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("with_journal", [True, False])
def test_a_file_that_somebody_is_writing_at_the_start_is_waited_for(
    home, values, stores, monkeypatch, part, with_journal
):
    monkeypatch.setattr("kg_core.store.loading._AGAIN", 0.0)

    rest = b""

    class Copying(OsFiles):
        """Somebody goes on with the copy whenever it has been looked at."""

        def read(self, path):
            nonlocal rest
            data = super().read(path)
            if path == home.graph("user") and rest:
                with path.open("ab") as file:
                    file.write(rest[:50])
                rest = rest[50:]
            return data

    async def main():
        nonlocal rest
        await stores.written(home, values, values.node("alpha"))
        document = json.loads(home.graph("user").read_bytes())
        document["nodes"]["gamma"] = {"gist": "copied from another machine"}
        whole = json.dumps(document, indent=2).encode()
        half = round(len(whole) * part)
        if not with_journal:
            shutil.rmtree(home.journal)
        home.graph("user").write_bytes(whole[:half])
        rest = whole[half:]

        store = await stores.opened(home, files=Copying())
        await store.load("user")

        assert store.problems() == ()
        assert set(store.durable("user").nodes) == {"alpha", "gamma"}
        assert not list(home.memory.glob("*.corrupt-*"))
        await store.close()

    asyncio.run(main())


def test_a_store_that_ends_meanwhile_ends_when_the_file_has_been_read(home, values, stores, monkeypatch):
    monkeypatch.setattr("kg_core.store.loading._PATIENCE", 0.3)

    async def main():
        await stores.written(home, values, values.node("alpha"))
        home.graph("user").write_bytes(home.graph("user").read_bytes()[:-40])
        store = await stores.opened(home)
        loading = asyncio.create_task(store.load("user"))
        await asyncio.sleep(0)
        await store.close()
        assert set((await loading).nodes) == {"alpha"}

    asyncio.run(main())


def test_a_file_that_somebody_writes_on_and_on_is_waited_for_no_longer_than_that(home, values, stores, monkeypatch):
    monkeypatch.setattr("kg_core.store.loading._PATIENCE", 0.0)

    async def main():
        await stores.written(home, values, values.node("alpha"))
        home.graph("user").write_bytes(home.graph("user").read_bytes()[:-40])
        graph, problems = await stores.loaded(home)
        assert set(graph.nodes) == {"alpha"}
        assert [problem.kind for problem in problems] == ["damaged"]

    asyncio.run(main())


def test_a_damaged_file_without_backup_or_journal_serves_what_can_be_read(home, values, stores):
    async def main():
        await stores.written(home, values, *(values.node(f"n{number}") for number in range(20)))
        whole = home.graph("user").read_bytes()
        for folder in (home.journal, home.base("user")):
            for path in folder.iterdir():
                path.unlink()
        home.graph("user").write_bytes(whole.replace(b'"the gist of n5"', b'"the gist of n5'))
        graph, problems = await stores.loaded(home)
        assert set(graph.nodes) == {f"n{number}" for number in range(20)} - {"n5"}
        assert [problem.kind for problem in problems] == ["damaged"]

    asyncio.run(main())


@pytest.mark.parametrize(
    ("edge", "named"),
    [
        ({"from": "a", "rel": "uses"}, 'edges {"from": "a", "rel": "uses"} is no record'),
        ("é" * 100, f'edges "{"é" * 59}… is no record'),
    ],
)
def test_a_record_in_a_list_that_says_nothing_is_told_by_how_it_begins(edge: object, named: str) -> None:
    data = json.dumps({"format": 1, "nodes": {}, "edges": [edge]}).encode()

    assert asyncio.run(read_graph("user", data)).damage == named


def test_two_documents_in_one_file_are_both_read(home, values, stores):
    async def main():
        await stores.written(home, values, values.node("alpha"))
        one = home.graph("user").read_bytes()
        both = one + one.replace(b"alpha", b"beta")
        home.graph("user").write_bytes(both)
        graph, problems = await stores.loaded(home)
        assert set(graph.nodes) == {"alpha", "beta"}
        assert [problem.kind for problem in problems] == ["damaged"]
        (kept,) = home.memory.glob("user.json.corrupt-*")
        assert kept.read_bytes() == both

    asyncio.run(main())


def test_conflict_markers_drop_nothing(home, values, stores):
    async def main():
        await stores.written(home, values, values.node("alpha", "base"), values.node("omega"))
        text = home.graph("user").read_text("utf-8")
        line = '      "gist": "base",\n'
        assert line in text
        conflict = (
            '<<<<<<< HEAD\n      "gist": "mine",\n||||||| old\n      "gist": "base",\n=======\n'
            '      "gist": "yours",\n>>>>>>> branch\n'
        )
        home.graph("user").write_text(text.replace(line, conflict), encoding="utf-8")
        graph, problems = await stores.loaded(home)
        alpha = graph.nodes["alpha"]
        assert {alpha.gist, *(each["gist"] for each in alpha.conflicts)} == {"mine", "yours"}
        assert "omega" in graph.nodes
        assert "conflict markers" in problems[0].sentence
        json.loads(home.graph("user").read_text("utf-8"))

    asyncio.run(main())


def test_conflict_markers_around_two_new_nodes_keep_both(home, stores):
    side = '    "{0}": {{\n      "gist": "{0}"\n    }}\n'
    text = (
        '{\n  "format": 1,\n  "nodes": {\n<<<<<<< HEAD\n'
        + side.format("mine")
        + "=======\n"
        + side.format("yours")
        + '>>>>>>> branch\n  },\n  "edges": []\n}\n'
    )
    home.memory.mkdir(parents=True)
    home.graph("user").write_text(text, encoding="utf-8")
    graph, _ = asyncio.run(stores.loaded(home))
    assert set(graph.nodes) == {"mine", "yours"}


def test_a_newer_format_is_only_read(home, values, stores):
    async def main():
        home.memory.mkdir(parents=True)
        text = '{"format": 99, "nodes": {"a": {"gist": "g"}}, "future": true}'
        home.graph("user").write_text(text, encoding="utf-8")
        store = await stores.opened(home)
        assert set((await store.load("user")).nodes) == {"a"}
        with pytest.raises(KgError) as caught:
            store.commit(values.put(values.node("b")))
        assert caught.value.code is Code.READ_ONLY
        assert str(home.graph("user")) in caught.value.sentence
        await store.snapshot()
        await store.close()
        assert home.graph("user").read_text("utf-8") == text
        assert [problem.kind for problem in store.problems()] == ["newer"]

    asyncio.run(main())


@pytest.mark.parametrize("is_removed", [False, True])
def test_a_file_of_a_newer_format_that_is_gone_again_is_written_and_told_of_no_more(home, values, is_removed, stores):
    async def main():
        store = await stores.saved(home, values, values.node("before"))
        ours = home.graph("user").read_bytes()
        home.graph("user").write_bytes(ours.replace(b'"format": 1', b'"format": 99'))
        await store.look()
        with pytest.raises(KgError, match="read-only"):
            store.commit(values.put(values.node("refused")))
        if is_removed:
            home.graph("user").unlink()
        else:
            home.graph("user").write_bytes(ours)
        await store.look()
        kinds = [problem.kind for problem in store.problems()]
        await store.commit(values.put(values.node("after")))
        await store.snapshot()
        assert kinds == (["missing"] if is_removed else [])
        assert set(json.loads(home.graph("user").read_text("utf-8"))["nodes"]) == {"before", "after"}
        await store.close()

    asyncio.run(main())


def test_an_older_memory_keeps_all_its_nodes_beside_new_ones(home, values, stores):
    home.memory.mkdir(parents=True)
    old = {"nodes": {f"n{number}": {"gist": "g"} for number in range(9)}, "edges": []}
    home.graph("user").write_text(json.dumps(old), encoding="utf-8")
    asyncio.run(stores.written(home, values, values.node("new")))
    assert len(asyncio.run(stores.loaded(home))[0].nodes) == 10


def test_opening_an_older_memory_again_and_again_changes_no_byte_of_it(home, stores):
    home.memory.mkdir(parents=True)
    old = json.dumps({"nodes": {"n": {"gist": "g", "mood": "old"}}, "edges": []}).encode()
    home.graph("user").write_bytes(old)
    for _ in range(3):
        graph, problems = asyncio.run(stores.loaded(home))
        assert (set(graph.nodes), problems) == ({"n"}, ())
    assert home.graph("user").read_bytes() == old


def test_a_file_that_vanished_is_restored(home, values, stores):
    async def main():
        await stores.written(home, values, values.node("alpha"))
        home.graph("user").unlink()
        store = await stores.opened(home)
        assert set((await store.load("user")).nodes) == {"alpha"}
        assert [problem.kind for problem in store.problems()] == ["missing"]
        await store.snapshot()
        assert home.graph("user").exists()
        home.graph("user").unlink()
        await store.look()
        await store.snapshot()
        assert home.graph("user").exists()
        await store.close()

    asyncio.run(main())


def test_a_memory_folder_copied_alone_opens_on_another_machine(home, values, tmp_path, stores):
    async def main():
        await stores.written(home, values, values.node("alpha"))
        other = Home(tmp_path / "other")
        other.memory.mkdir(parents=True)
        other.graph("user").write_bytes(home.graph("user").read_bytes())
        graph, problems = await stores.loaded(other)
        assert set(graph.nodes) == {"alpha"}
        assert not problems

    asyncio.run(main())


def test_a_second_record_of_one_id_is_set_aside_not_dropped(home, stores):
    home.memory.mkdir(parents=True)
    home.graph("user").write_text('{"nodes": {"a": {"gist": "one"}, "a": {"gist": "two"}}}', encoding="utf-8")
    graph, _ = asyncio.run(stores.loaded(home))
    assert graph.nodes["a"].gist == "one"
    assert graph.nodes["a"].conflicts[0]["gist"] == "two"


def test_an_unreadable_graph_file_is_an_error_that_names_it_and_stays(home, stores):
    async def main():
        home.graph("user").mkdir(parents=True)
        store = await stores.opened(home)
        with pytest.raises(KgError) as caught:
            await store.load("user")
        assert caught.value.code is Code.UNAVAILABLE
        assert str(home.graph("user")) in caught.value.sentence
        await store.close()

    asyncio.run(main())
    assert not list(home.graph("user").iterdir())
