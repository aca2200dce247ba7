"""The store as its users see it: pending and durable values, entries, one server per home."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kg_core.model import Change, Use
from kg_core.store import Home, Places, Store, Write
from kg_plugin_api import Code, KgError

NOW = 1_790_000_000_000


async def opened(home, **more):
    return await Store.open(home, places=Places(Path("/home/nobody"), ()), **more)


def running(home, life, **more):
    async def main():
        store = await opened(home, **more)
        try:
            await life(store)
        finally:
            await store.close()

    asyncio.run(main())


def test_a_write_is_pending_at_once_and_durable_when_told(home, values):
    async def life(store):
        await store.load("user")
        future = store.commit(values.put(values.node("alpha")))
        assert "alpha" in store.pending("user").nodes
        assert "alpha" not in store.durable("user").nodes
        entry = await future
        assert entry.sequence == store.sequence == 1
        assert store.durable("user") is store.pending("user")

    running(home, life)


def test_subscribers_hear_of_an_entry_before_its_writer_goes_on(home, values):
    async def life(store):
        heard = []
        store.subscribe(heard.append)
        await store.load("user")
        entry = await store.commit(values.put(values.node("alpha")))
        assert heard == [entry]

    running(home, life)


def test_an_entry_names_the_version_that_it_replaced(home, values):
    async def life(store):
        await store.load("user")
        first = store.commit(values.put(values.node("alpha", "one")))
        version = store.pending("user").nodes["alpha"].version
        second = await store.commit(values.put(values.node("alpha", "two")))
        assert (await first).before == {("user", "alpha"): None}
        assert second.before == {("user", "alpha"): version}

    running(home, life)


def test_parallel_writes_to_one_graph_are_all_applied_once(home, values):
    async def life(store):
        await store.load("user")
        entries = await asyncio.gather(*(store.commit(values.put(values.node(f"n{number}"))) for number in range(200)))
        assert sorted(entry.sequence for entry in entries) == list(range(1, 201))
        assert len(store.durable("user").nodes) == 200

    running(home, life)
    assert len(json.loads(home.graph("user").read_text("utf-8"))["nodes"]) == 200


def test_entries_since_a_sequence_are_the_same_after_a_restart(home, values):
    async def first(store):
        await store.load("user")
        for number in range(5):
            await store.commit(values.put(values.node(f"n{number}"), by=f"writer-{number}"))
        assert [entry.by for entry in store.since(3)] == ["writer-3", "writer-4"]
        assert store.since(5) == ()
        assert store.since(6) is None

    async def second(store):
        assert store.sequence == 5
        assert [entry.by for entry in store.since(3)] == ["writer-3", "writer-4"]
        (change,) = store.since(4)[0].changes
        assert change.nodes["n4"].gist == "the gist of n4"

    running(home, first)
    running(home, second)


def test_a_sequence_from_before_a_lost_journal_is_answered_read_again(home, values):
    async def write(store):
        await store.load("user")
        await store.commit(values.put(values.node("alpha")))

    async def later(store):
        await write(store)
        assert store.sequence > NOW
        assert store.since(0) is None
        assert store.since(1) is None

    running(home, write)
    for path in home.journal.iterdir():
        path.unlink()
    running(home, later, clock=lambda: NOW)


def test_two_loads_at_once_read_the_file_once_and_give_one_graph(home, values):
    async def write(store):
        await store.load("user")
        await store.commit(values.put(values.node("alpha")))

    async def life(store):
        one, two = await asyncio.gather(store.load("user"), store.load("user"))
        assert one is two is store.durable("user")

    running(home, write)
    running(home, life)


def test_a_graph_must_be_loaded_before_it_is_used(home, values):
    async def life(store):
        with pytest.raises(KgError):
            store.durable("user")
        with pytest.raises(KgError):
            store.commit(values.put(values.node("alpha")))

    running(home, life)


@pytest.mark.parametrize("key", ["project:../../x", "project:", "nothing", "project:a/b", "project:.hidden"])
def test_a_key_that_names_no_graph_is_refused(home, key):
    async def life(store):
        with pytest.raises(KgError) as caught:
            await store.load(key)
        assert caught.value.code is Code.INVALID

    running(home, life)


def test_a_write_that_cannot_be_encoded_changes_nothing(home, values):
    async def life(store):
        await store.load("user")
        with pytest.raises(TypeError):
            store.commit(values.put(values.node("alpha", extra={"odd": object()})))
        assert not store.pending("user").nodes
        assert (await store.commit(values.put(values.node("beta")))).sequence == 1

    running(home, life)


def test_a_closed_store_takes_no_write(home, values):
    async def main():
        store = await opened(home)
        await store.load("user")
        await store.close()
        await store.close()
        with pytest.raises(KgError):
            store.commit(values.put(values.node("alpha")))

    asyncio.run(main())


def test_the_second_server_is_told_who_holds_the_memory(home):
    async def life(store):
        store.announce(7419)
        code = (
            "import asyncio, sys, pathlib\n"
            "from kg_core.store import Home, Store\n"
            "from kg_plugin_api import KgError\n"
            "try:\n"
            "    asyncio.run(Store.open(Home(pathlib.Path(sys.argv[1]))))\n"
            "except KgError as error:\n"
            "    print(error.code, error.sentence)\n"
            "    sys.exit(1)\n"
        )
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, str(home.root), stdout=asyncio.subprocess.PIPE
        )
        output, _ = await process.communicate()
        assert process.returncode == 1
        assert output.decode("utf-8").strip() == (
            f"conflict {home.root} is already served by another kg server (pid {os.getpid()}, port 7419)."
        )

    running(home, life)


@pytest.mark.parametrize("text", ["", "garbage", '{"pid": 1, "port": 1}', "[]"])
def test_what_a_stale_lock_file_says_is_in_no_ones_way(home, values, text):
    home.state.mkdir(parents=True)
    home.lock.write_text(text, encoding="utf-8")

    async def life(store):
        await store.load("user")
        await store.commit(values.put(values.node("alpha")))

    running(home, life)


def test_the_lock_of_a_killed_server_is_free_and_its_writes_are_there(home):
    code = (
        "import asyncio, os, pathlib, signal, sys\n"
        "from kg_core.model import Change, Node\n"
        "from kg_core.store import Home, Store, Write\n"
        "async def main():\n"
        "    store = await Store.open(Home(pathlib.Path(sys.argv[1])))\n"
        "    await store.load('user')\n"
        "    node = Node(id='alpha', gist='g')\n"
        "    await store.commit(Write(by='c', at=1, changes=(Change(graph='user', nodes={'alpha': node}),)))\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(main())\n"
    )
    assert subprocess.run([sys.executable, "-c", code, str(home.root)], check=False).returncode == -9

    async def life(store):
        assert "alpha" in (await store.load("user")).nodes
        await store.snapshot()

    running(home, life)


def test_a_stray_temporary_file_is_gone_after_a_start(home):
    home.journal.mkdir(parents=True)
    for folder in (home.answers, home.maps, home.imports):
        folder.mkdir(parents=True)
    segment = home.journal / "0000000000000009.jsonl.tmp"
    strays = [home.memory / "user.json.tmp", segment, home.answers / "mcp.json.17.tmp"]
    strays += [home.maps / "shop.json.tmp", home.imports / "0123.json.tmp"]
    for stray in strays:
        stray.write_bytes(b"half")

    async def life(store):
        assert not any(stray.exists() for stray in strays)

    running(home, life)


def test_use_of_a_node_is_kept_apart_and_comes_back(home, values):
    async def write(store):
        await store.load("user")
        await store.commit(values.put(values.node("alpha"), use={"alpha": Use(read_at=NOW, extra={"x": 1})}))

    async def life(store):
        assert (await store.load("user")).use_of("alpha") == Use(read_at=NOW, extra={"x": 1})

    running(home, write)
    assert "read_at" not in home.graph("user").read_text("utf-8")
    running(home, life)


def test_graphs_that_were_never_loaded_again_still_get_their_snapshot(home, stores, values):
    async def main():
        store = await stores.served(home, "project:app")
        await store.commit(values.put(values.node("alpha"), graph="project:app"))
        await stores.killed(store)
        assert not home.graph("project:app").exists()
        store = await opened(home)
        await store.close()
        assert "alpha" in home.graph("project:app").read_text("utf-8")

    asyncio.run(main())


def test_an_unknown_variable_that_looks_like_ours_is_reported(tmp_path):
    home = Home.from_environ({"KG_HOEM": "x", "KG_HOME": "memory", "HOME": "/h"}, tmp_path)
    assert home.root == tmp_path / "memory"

    async def life(store):
        (problem,) = store.problems()
        assert "KG_HOEM" in problem.sentence

    running(home, life)


def test_an_error_in_a_subscriber_stops_no_write(home, values):
    async def main():
        loop = asyncio.get_running_loop()
        errors = []
        loop.set_exception_handler(lambda _, context: errors.append(context["exception"]))
        store = await opened(home)
        await store.load("user")

        def broken(entry):
            raise RuntimeError("broken")

        store.subscribe(broken)
        await store.commit(values.put(values.node("alpha")))
        await store.commit(Write(by="c", at=NOW, changes=(Change(graph="user", nodes={"alpha": None}),)))
        await store.close()
        assert [str(error) for error in errors] == ["broken", "broken"]

    asyncio.run(main())
