"""Edits where a snapshot was cut short or about to be: each is judged by the oldest file that it can have come from."""

from __future__ import annotations

import asyncio
import errno
import json
import shutil

import pytest

from kg_core.store import Home, OsFiles
from kg_core.store.journal import Journal
from kg_core.store.snapshots import Snapshots


class NoNewFile(OsFiles):
    """A disk on which no content file takes the place of the old one."""

    def rename(self, source, target):
        if target.name == "user.json":
            raise OSError(errno.EIO, "no")
        super().rename(source, target)


def test_an_edit_undoes_nothing_although_a_snapshot_was_about_to_be_the_file(home, values, stores):
    async def main():
        await stores.written(home, values, values.node("kept"), values.node("ours", "old"))
        store = await stores.opened(home, files=NoNewFile())
        await store.load("user")
        await store.commit(values.put(values.node("added"), values.node("ours", "new")))
        assert not await store.snapshot()
        await store.close()
        stores.edited(home, lambda document: document["nodes"]["kept"].update(gist="by hand"))
        graph, _ = await stores.loaded(home)
        assert {node.id: node.gist for node in graph.nodes.values()} == {
            "kept": "by hand",
            "ours": "new",
            "added": "the gist of added",
        }

    asyncio.run(main())


def test_a_second_edit_is_one_of_the_first_although_the_server_died_before_it_wrote_the_file(home, values, stores):
    async def main():
        await stores.written(home, values, values.node("kept"), values.node("removed"))
        store = await stores.opened(home, files=NoNewFile())
        await store.load("user")
        await store.commit(values.put(values.node("ours"), values.node("removed", "newer")))
        stores.edited(
            home, lambda document: document["nodes"].update(changed={"gist": "by hand"}, gone={"gist": "by hand"})
        )
        await store.look()
        await store.commit(values.put(values.node("later")))
        await store.close()
        assert "later" not in json.loads(home.graph("user").read_text("utf-8"))["nodes"]
        stores.edited(home, lambda document: document["nodes"]["changed"].update(gist="by hand again"))
        stores.edited(home, lambda document: document["nodes"].pop("gone"))
        graph, _ = await stores.loaded(home)
        assert set(graph.nodes) == {"kept", "removed", "ours", "changed", "later"}
        assert graph.nodes["changed"].gist == "by hand again"
        assert graph.nodes["removed"].gist == "newer"
        assert not any(node.conflicts for node in graph.nodes.values())

    asyncio.run(main())


def test_an_edit_before_a_snapshot_is_never_overwritten(home, values, stores):
    async def main():
        store = await stores.saved(home, values, values.node("kept"))
        stores.edited(home, lambda document: document["nodes"].update(added={"gist": "new"}))
        await store.commit(values.put(values.node("ours")))
        await store.snapshot()
        assert set(json.loads(home.graph("user").read_text("utf-8"))["nodes"]) == {"kept", "added", "ours"}
        await store.close()

    asyncio.run(main())


def test_an_edit_made_before_a_snapshot_that_a_crash_cut_short_removes_nothing(
    home, values, tmp_path, monkeypatch, stores
):
    def refuse(*_):
        raise OSError(errno.EIO, "the disk refuses")

    async def main():
        store = await stores.saved(home, values, values.node("alpha"), values.node("gone"))
        await store.commit(values.put(values.node("beta")))
        with monkeypatch.context() as patch:
            patch.setattr(Snapshots, "_put_in_place", refuse)
            assert not await store.snapshot()
        stores.edited(home, lambda document: document["nodes"]["alpha"].update(gist="by hand"))
        stores.edited(home, lambda document: document["nodes"].pop("gone"))
        crashed = Home(tmp_path / "as-the-crash-left-it")
        shutil.copytree(home.root, crashed.root)
        await store.close()

        graph, problems = await stores.loaded(crashed)

        assert set(graph.nodes) == {"alpha", "beta"}
        assert graph.nodes["alpha"].gist == "by hand"
        assert problems == ()

    asyncio.run(main())


def test_a_file_that_a_person_makes_before_the_first_snapshot_is_an_edit_like_any_other(home, values, tmp_path, stores):
    async def main():
        store = await stores.opened(home)
        await store.load("user")
        await store.commit(values.put(values.node("alpha")))
        crashed = Home(tmp_path / "as-the-crash-left-it")
        shutil.copytree(home.root, crashed.root)
        await store.close()
        crashed.graph("user").write_text('{"format": 1, "nodes": {"beta": {"gist": "by hand"}}}', encoding="utf-8")

        store = await stores.opened(crashed)
        await store.load("user")

        assert set(store.durable("user").nodes) == {"alpha", "beta"}
        (entry,) = store.since(store.sequence - 1)
        assert (entry.by, list(entry.changes[0].nodes)) == ("edit", ["beta"])
        await store.close()

    asyncio.run(main())


@pytest.mark.parametrize("says_so_again", [True, False], ids=["said later", "never said"])
def test_a_file_whose_journal_never_said_that_it_took_its_place_keeps_what_its_old_copy_needs(
    home, values, tmp_path, monkeypatch, says_so_again, stores
):
    """The copy that the journal knows to have been the file grows into it by entries alone, so those must stay."""
    mark = Journal.mark
    monkeypatch.setattr("kg_core.store.loading.STILL", 0.0)

    def mark_no_end(journal, found):
        if found.done and found.graph == "user":
            raise OSError(errno.EIO, "the disk refuses")
        mark(journal, found)

    async def main():
        await stores.written(home, values, values.node("alpha"))
        store = await stores.opened(home)
        await store.load("user")
        await store.commit(values.put(values.node("beta")))
        with monkeypatch.context() as patch:
            patch.setattr(Journal, "mark", mark_no_end)
            assert not await store.snapshot()
            crashed = Home(tmp_path / "as-the-crash-left-it")
            shutil.copytree(home.root, crashed.root)
        await store.close()
        assert set(json.loads(crashed.graph("user").read_text("utf-8"))["nodes"]) == {"alpha", "beta"}

        with monkeypatch.context() as patch:
            if not says_so_again:
                patch.setattr(Journal, "mark", mark_no_end)
            store = await stores.opened(crashed)
            await store.load("user")
            await store.load("project:shop")
            await store.commit(values.put(values.node("other"), graph="project:shop"))
            store.retain(store.sequence)
            assert await store.snapshot() == says_so_again
            await store.close()
        text = crashed.graph("user").read_bytes()
        crashed.graph("user").write_bytes(text[: len(text) // 3])
        graph, _ = await stores.loaded(crashed)

        assert set(graph.nodes) == {"alpha", "beta"}

    asyncio.run(main())
