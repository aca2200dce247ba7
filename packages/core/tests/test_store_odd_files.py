"""Files with content that no program of ours would write: the memory goes on, and the file is kept."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace

import pytest

from kg_core.model.nesting import NESTING, is_too_deep
from kg_core.store import Home, OsFiles, ProblemKind
from kg_plugin_api import KgError


def nested(levels):
    return "[" * levels + "]" * levels


ODD = {
    "nested beyond what is kept": f'{{"nodes": {{"odd": {{"gist": "x", "more": {nested(NESTING * 2)}}}}}}}',
    "nested beyond what an encoder stands": f'{{"nodes": {{"odd": {{"gist": "x", "more": {nested(700)}}}}}}}',
    "nested beyond what a parser stands": f'{{"nodes": {{"odd": {{"gist": "x", "more": {nested(100_000)}}}}}}}',
    "nested outside of the records": f'{{"nodes": {{}}, "more": {nested(700)}}}',
    "a number without end": f'{{"nodes": {{"odd": {{"gist": "x", "more": {"9" * 5_000}}}}}}}',
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_an_edit_that_cannot_be_taken_in_is_kept_aside_and_stops_no_writer(tmp_path, stores, values, text):
    home = Home(tmp_path / "home")

    async def main():
        store = await stores.served(home)
        await store.commit(values.put(values.node("known")))
        await store.snapshot()
        home.graph("user").write_text(text, encoding="utf-8")
        await store.look()
        await store.commit(values.put(values.node("later")))
        assert await store.snapshot()
        assert {"known", "later"} <= set(store.durable("user").nodes)
        assert any("kept as" in problem.sentence for problem in store.problems())
        await store.close()
        again = await stores.served(home)
        assert {"known", "later"} <= set(again.durable("user").nodes)
        await again.close()

    asyncio.run(main())
    (kept,) = home.memory.glob("user.json.corrupt-*")
    assert kept.read_text("utf-8") == text


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_a_memory_with_such_a_file_opens_all_the_same(tmp_path, stores, values, text):
    home = Home(tmp_path / "home")
    home.memory.mkdir(parents=True)
    home.graph("user").write_text(text, encoding="utf-8")

    async def main():
        store = await stores.served(home)
        await store.commit(values.put(values.node("later")))
        assert await store.snapshot()
        await store.close()

    asyncio.run(main())
    assert "later" in json.loads(home.graph("user").read_text("utf-8"))["nodes"]


def test_a_time_beyond_the_last_that_files_hold_stops_no_writer(tmp_path, stores, values):
    home = Home(tmp_path / "home")
    late = "9999-12-31T23:59:59-12:00"
    record = {"gist": "x", "created": late, "written": {"at": late, "by": "me", "author": "me"}}

    async def main():
        store = await stores.served(home)
        home.graph("user").write_text(json.dumps({"format": 1, "nodes": {"late": record}}), encoding="utf-8")
        await store.look()
        await store.commit(values.put(values.node("later")))
        assert await store.snapshot()
        assert not store.problems()
        await store.close()

    asyncio.run(main())
    assert json.loads(home.graph("user").read_text("utf-8"))["nodes"]["late"]["created"] == "9999-12-31T23:59:59.999Z"


def test_half_a_character_in_the_name_of_a_field_is_kept_like_any_unknown_field(tmp_path, stores, values):
    home = Home(tmp_path / "home")
    more = {"half \ud800": 1, "gist": 5}
    edges = [{"from": "torn", "rel": "about", "to": "src/a.py", **more}]
    text = json.dumps({"nodes": {"torn": {**more, "tags": "t"}}, "edges": edges, "progress": {"task": more}})

    async def main():
        store = await stores.served(home)
        home.graph("user").write_text(text, encoding="utf-8")
        await store.look()
        await store.commit(values.put(values.node("later")))
        assert await store.snapshot()
        assert [problem.kind for problem in store.problems()] == [ProblemKind.ODD]
        assert store.durable("user").nodes["torn"].tags == ("t",)
        await store.close()

    asyncio.run(main())
    kept = json.loads(home.graph("user").read_text("utf-8"))
    for record in (kept["nodes"]["torn"], kept["edges"][0], kept["progress"]["task"]):
        assert {name: record[name] for name in more} == more


def test_what_is_nested_as_deeply_as_is_kept_survives_a_round_trip(tmp_path, stores, values):
    home = Home(tmp_path / "home")
    home.memory.mkdir(parents=True)
    deep = nested(NESTING - 1)
    home.graph("user").write_text(f'{{"nodes": {{"deep": {{"gist": "x", "more": {deep}}}}}}}', encoding="utf-8")

    async def main():
        store = await stores.served(home)
        assert not store.problems()
        await store.commit(values.put(values.node("later")))
        assert await store.snapshot()
        await store.close()

    asyncio.run(main())
    assert json.loads(home.graph("user").read_text("utf-8"))["nodes"]["deep"]["more"] == json.loads(deep)


def test_depth_counts_lists_and_objects_in_one_another():
    assert not is_too_deep("text", 0)
    assert not is_too_deep([], 1)
    assert not is_too_deep({"a": [1, 2, {}]}, 3)
    assert is_too_deep({"a": [1, 2, {}]}, 2)
    assert is_too_deep([1, [2, [3]]], 2)


def test_a_file_that_cannot_be_looked_at_is_reported_and_stops_no_writer(tmp_path, stores, values):
    home = Home(tmp_path / "home")
    path = home.graph("user")

    async def main():
        store = await stores.served(home)
        await store.commit(values.put(values.node("known")))
        await store.snapshot()
        content = path.read_bytes()
        path.unlink()
        path.symlink_to(path.name)
        await store.look()
        await store.commit(values.put(values.node("later")))
        assert not await store.snapshot()
        assert any(str(path) in problem.sentence for problem in store.problems())
        path.unlink()
        path.write_bytes(content)
        assert await store.snapshot()
        assert not store.problems()
        assert {"known", "later"} <= set(store.durable("user").nodes)
        await store.close()

    asyncio.run(main())


def test_a_file_that_could_not_be_looked_at_for_a_while_is_no_problem_afterwards(tmp_path, stores, values):
    home = Home(tmp_path / "home")
    path = home.graph("user")

    async def main():
        store = await stores.served(home)
        await store.commit(values.put(values.node("known")))
        await store.snapshot()
        content = path.read_bytes()
        path.unlink()
        path.symlink_to(path.name)
        await store.look()
        assert store.problems()
        path.unlink()
        path.write_bytes(content)
        await store.look()
        assert not store.problems()
        await store.close()

    asyncio.run(main())


def test_a_pipe_in_place_of_a_file_is_reported_and_keeps_nobody_waiting(tmp_path, stores):
    home = Home(tmp_path / "home")

    async def main():
        store = await stores.served(home)
        os.mkfifo(home.graph("user"))
        await store.look()
        assert any(str(home.graph("user")) in problem.sentence for problem in store.problems())
        await store.close()

    asyncio.run(asyncio.wait_for(main(), 20))
    assert home.graph("user").is_fifo()


def test_a_memory_whose_file_is_a_pipe_is_not_opened_and_the_pipe_is_named(tmp_path, stores):
    home = Home(tmp_path / "home")
    home.memory.mkdir(parents=True)
    os.mkfifo(home.graph("user"))

    with pytest.raises(KgError) as caught:
        asyncio.run(asyncio.wait_for(stores.served(home), 20))

    assert str(home.graph("user")) in caught.value.sentence
    assert "not a regular file" in caught.value.sentence


def held_in(home):
    return json.loads(home.graph("user").read_text("utf-8"))


def odd_of(store):
    return [problem.sentence for problem in store.problems() if problem.kind is ProblemKind.ODD]


FIELDS = {
    "gist": ([1, 2], "`gist` of 'x' must be a text"),
    "notes": ({"a": 1}, "`notes` of 'x' must be a text or a list of texts"),
    "touches": ([["src"]], "`touches` of 'x' must be a text or a list of texts"),
    "tags": ([1], "`tags` of 'x' must be a text or a list of texts"),
    "status": ("retired", "`status` of 'x' must be one of current, proposed, retracted, superseded"),
    "kind": (7, "`kind` of 'x' must be one of stated, derived"),
    "observer": ([], "`observer` of 'x' must be a text"),
    "observed": (0, "`observed` of 'x' must be a text"),
    "locked": ("perhaps", "`locked` of 'x' must be true or false"),
    "created": ("yesterday", "`created` of 'x' must be a time such as 2026-01-31T12:00:00Z"),
    "written": (5, "`written` of 'x' must be an object with \"at\""),
    "conflicts": ([1], "`conflicts` of 'x' must be a list of objects"),
}


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_that_says_nothing_is_told_kept_and_forgotten_once_it_is_mended(tmp_path, stores, values, field):
    home, (odd, words) = Home(tmp_path / "home"), FIELDS[field]

    async def main():
        store = await stores.served(home)
        await store.commit(values.put(values.node("x"), values.node("y")))
        await store.snapshot()
        document = held_in(home)
        document["nodes"]["x"][field] = odd
        home.graph("user").write_text(json.dumps(document), encoding="utf-8")
        await store.look()
        (sentence,) = odd_of(store)
        assert words in sentence
        assert sentence.startswith(f"{home.graph('user')}: ")
        assert "'y'" not in sentence
        assert await store.snapshot()
        assert held_in(home)["nodes"]["x"][field] == odd
        await store.close()

        store = await stores.served(home)
        assert odd_of(store) == [sentence], "a restart forgets nothing"
        document = held_in(home)
        document["nodes"]["x"].pop(field)
        document["nodes"]["x"]["gist"] = "mended"
        home.graph("user").write_text(json.dumps(document), encoding="utf-8")
        await store.look()
        assert odd_of(store) == []
        await store.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"notes": ["why"]}, "'x' has no `gist`"),
        ({"gist": "  ", "notes": ["why"]}, "'x' has no `gist`"),
        ("", "'x' has no `gist`"),
        ({"gist": "\u200b\u202e\ufeff"}, "`gist` of 'x' has no visible character"),
        ("\ud800", "`gist` of 'x' has no visible character"),
    ],
)
def test_a_lesson_without_a_gist_is_told(tmp_path, stores, record, told):
    home = Home(tmp_path / "home")
    home.memory.mkdir(parents=True)
    home.graph("user").write_text(json.dumps({"nodes": {"x": record}}), encoding="utf-8")

    async def main():
        store = await stores.served(home)
        (sentence,) = odd_of(store)
        assert told in sentence
        await store.close()

    asyncio.run(main())


def test_a_field_of_an_edge_that_says_nothing_is_told_with_its_ends(tmp_path, stores, values):
    home = Home(tmp_path / "home")
    home.memory.mkdir(parents=True)
    edge = {"from": "x", "rel": "needs", "to": "y", "notes": 5, "created": "once", "by": ["me"]}
    home.graph("user").write_text(json.dumps({"nodes": {"x": "a", "y": "b"}, "edges": [edge]}), encoding="utf-8")

    async def main():
        store = await stores.served(home)
        (sentence,) = odd_of(store)
        assert "`notes` of the edge 'x' 'needs' 'y' must be a text or a list of texts" in sentence
        assert "`created` of the edge" in sentence
        assert "`by` of the edge" in sentence
        await store.commit(values.put(values.node("later")))
        assert await store.snapshot()
        await store.close()

    asyncio.run(main())
    assert held_in(home)["edges"] == [edge]


def test_of_very_many_such_lessons_a_few_are_named(tmp_path, stores):
    home = Home(tmp_path / "home")
    home.memory.mkdir(parents=True)
    nodes = {f"n{number}": {} for number in range(300)}
    home.graph("user").write_text(json.dumps({"nodes": nodes}), encoding="utf-8")

    async def main():
        store = await stores.served(home)
        (sentence,) = odd_of(store)
        assert sentence.count("has no `gist`") == 5
        assert "; and 95 more" in sentence
        await store.close()

    asyncio.run(main())


def test_of_many_writes_that_bring_such_lessons_no_more_is_remembered_than_of_one(tmp_path, stores, values):
    home = Home(tmp_path / "home")

    async def main():
        store = await stores.served(home)
        for start in range(0, 300, 50):
            nodes = [replace(values.node(f"n{number}"), gist=" ") for number in range(start, start + 50)]
            await store.commit(values.put(*nodes))
        assert await store.snapshot()
        (sentence,) = odd_of(store)
        assert "; and 95 more" in sentence
        await store.close()

    asyncio.run(main())


def test_what_another_write_made_of_an_odd_field_is_no_longer_told(tmp_path, stores, values):
    home = Home(tmp_path / "home")
    home.memory.mkdir(parents=True)
    home.graph("user").write_text('{"nodes": {"x": {"gist": 5}}}', encoding="utf-8")

    async def main():
        store = await stores.served(home)
        assert odd_of(store)
        await store.commit(values.put(replace(store.pending("user").nodes["x"], gist="mended")))
        assert await store.snapshot()
        assert odd_of(store) == []
        await store.close()

    asyncio.run(main())
    assert held_in(home)["nodes"]["x"]["gist"] == "mended"


class Withheld(OsFiles):
    """A disk that lets nobody look at the files of one project."""

    def identity(self, path):
        if path.parent.name == "withheld":
            raise PermissionError(13, "Permission denied", str(path))
        return super().identity(path)


def test_a_memory_without_a_journal_opens_whatever_else_lies_beside_its_projects(tmp_path, stores):
    home = Home(tmp_path / "home")
    (home.projects / "two words").mkdir(parents=True)
    (home.projects / ".DS_Store").write_bytes(b"")
    home.graph("user").write_text('{"nodes": {"known": {"gist": "It is so."}}}', encoding="utf-8")

    async def main():
        store = await stores.served(home)
        assert set(store.durable("user").nodes) == {"known"}
        await store.close()

    asyncio.run(main())


def test_a_memory_without_a_journal_opens_though_nobody_may_look_at_one_of_its_projects(tmp_path, stores):
    home = Home(tmp_path / "home")
    (home.projects / "withheld").mkdir(parents=True)

    async def main():
        store = await stores.served(home, files=Withheld())
        await store.close()

    asyncio.run(main())
