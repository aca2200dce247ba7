"""The files of a memory: how they look, how damage and edits from outside are met."""

from __future__ import annotations

import asyncio
import fcntl
import importlib.util
import json
import os
import stat
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_core.model import Change, Edge, EdgeKey, Graph, Progress, Tier, Tombstone, Use, Written
from kg_core.store import Write, files
from kg_core.store.reading import read_graph
from kg_core.store.sheet import Sheet, Touched
from kg_core.store.walk import walk

NOW = 1_790_000_000_000


def test_a_file_is_sorted_one_field_per_line_in_real_unicode(home, values, stores):
    async def main():
        store = await stores.opened(home)
        await store.load("user")
        node = values.node(
            "zebra", "Größe 部署 🔥", notes=("one", "two"), created=NOW, written=Written(at=NOW, by="c", author="c")
        )
        await store.commit(
            Write(
                by="c",
                at=NOW,
                changes=(
                    Change(
                        graph="user",
                        nodes={"zebra": node, "ant": values.node("ant", 'say "hi"', created=0)},
                        edges=values.edge("zebra", "eats", "ant", notes=("why",)),
                        tombstones={"gone": Tombstone(at=NOW, by="c")},
                        progress={"task": Progress(state={"step": 2}, at=NOW, by="c")},
                        use={"zebra": Use(tier=Tier.ARCHIVED, read_at=NOW)},
                    ),
                ),
            )
        )
        await store.close()

    asyncio.run(main())
    when = "2026-09-21T14:13:20.000Z"
    assert home.graph("user").read_bytes().decode("utf-8") == (
        f"""{{
  "format": 1,
  "nodes": {{
    "ant": {{
      "gist": "say \\"hi\\""
    }},
    "zebra": {{
      "gist": "Größe 部署 🔥",
      "notes": [
        "one",
        "two"
      ],
      "created": "{when}",
      "written": {{
        "at": "{when}",
        "by": "c",
        "author": "c"
      }}
    }}
  }},
  "edges": [
    {{
      "from": "zebra",
      "rel": "eats",
      "to": "ant",
      "notes": [
        "why"
      ]
    }}
  ],
  "tombstones": {{
    "gone": {{
      "at": "{when}",
      "by": "c"
    }}
  }},
  "progress": {{
    "task": {{
      "state": {{
        "step": 2
      }},
      "at": "{when}",
      "by": "c"
    }}
  }}
}}
"""
    )
    assert json.loads(home.use("user").read_text("utf-8"))["use"] == {"zebra": {"tier": "archived", "read_at": when}}


def test_reads_and_compaction_never_change_the_content_file(home, values, stores):
    async def main():
        await stores.written(home, values, values.node("alpha"))
        before = home.graph("user").stat()
        store = await stores.opened(home)
        await store.load("user")
        await store.commit(Write(by="c", at=NOW, changes=(Change(graph="user", use={"alpha": Use(read_at=NOW)}),)))
        await store.close()
        assert home.graph("user").stat().st_ino == before.st_ino
        assert (await stores.loaded(home))[0].use_of("alpha").read_at == NOW

    asyncio.run(main())


def test_any_graph_is_read_back_from_its_file_as_it_was(values):
    @settings(max_examples=60, deadline=None)
    @given(values.graphs())
    def holds(graph):
        async def main():
            data = b"".join(await (await Sheet.of(graph)).content({"x-more": [1, {"a": None}]}))
            json.loads(data.decode("utf-8"))
            reading = await read_graph("user", data)
            assert not reading.damage
            assert reading.graph.nodes == graph.nodes
            assert reading.graph.edges == graph.edges
            assert reading.graph.tombstones == graph.tombstones
            assert reading.graph.progress == graph.progress
            assert dict(reading.graph.extra) == {"x-more": [1, {"a": None}]}
            compact = json.dumps(json.loads(data)).encode("ascii")
            assert (await read_graph("user", compact)).graph == reading.graph

        asyncio.run(main())

    holds()


def test_a_sheet_brought_up_to_date_equals_one_made_anew(values):
    @settings(max_examples=60, deadline=None)
    @given(values.graphs(), values.graphs())
    def holds(before, after):
        async def main():
            change = Change(
                graph="user",
                nodes={**dict.fromkeys(before.nodes), **after.nodes},
                edges={**dict.fromkeys(before.edges), **after.edges},
                tombstones={**dict.fromkeys(before.tombstones), **after.tombstones},
                progress={**dict.fromkeys(before.progress), **after.progress},
                use={**dict.fromkeys(before.use), **after.use},
            )
            sheet = await Sheet.of(before)
            touched = Touched()
            touched.add(change)
            await sheet.update(before.apply(change), touched)
            anew = await Sheet.of(after)
            assert await sheet.content({}) == await anew.content({})
            assert await sheet.use() == await anew.use()

        asyncio.run(main())

    holds()


def test_the_walk_through_any_bytes_ends_and_never_fails():
    document = b'{\n  "format": 1,\n  "nodes": {\n    "a": {\n      "gist": "x"\n    }\n  },\n  "edges": []\n}\n'
    cuts = st.tuples(st.integers(0, len(document)), st.integers(0, 12), st.binary(max_size=4))

    @given(st.one_of(st.binary(max_size=200), st.lists(cuts, max_size=4)))
    def holds(how):
        data = how if isinstance(how, bytes) else document
        for at, length, added in how if isinstance(how, list) else ():
            data = data[:at] + added + data[at + length :]
        assert len(list(walk(data))) <= len(data) + 3

    holds()


def test_unknown_keys_survive_at_every_level(home, values, stores):
    home.memory.mkdir(parents=True)
    document = {
        "format": 1,
        "nodes": {"a": {"gist": "g", "mood": {"x": [1]}, "written": {"at": "2026-01-01T00:00:00.000Z", "tool": "vim"}}},
        "edges": [{"from": "a", "rel": "r", "to": "b", "weight": 0.5}],
        "tombstones": {"t": {"at": "2026-01-01T00:00:00.000Z", "by": "c", "why": "old"}},
        "progress": {"p": {"state": {}, "at": "", "by": "", "note": 1}},
        "made-with": "love",
    }
    home.graph("user").write_text(json.dumps(document), encoding="utf-8")
    asyncio.run(stores.written(home, values, values.node("new")))
    after = json.loads(home.graph("user").read_text("utf-8"))
    del after["nodes"]["new"]
    document["nodes"]["a"]["written"] |= {"by": "", "author": ""}
    assert after == document


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_file_saved_with_byte_order_mark_and_crlf_loads_as_it_was(home, values, encoding, stores):
    notes = ("Zeile — “quoted”\\r\\n", "部署")
    asyncio.run(stores.written(home, values, values.node("alpha", "ü", notes=notes)))
    text = home.graph("user").read_text("utf-8").replace("\n", "\r\n")
    home.graph("user").write_bytes(text.encode(encoding))
    graph, problems = asyncio.run(stores.loaded(home))
    assert graph.nodes["alpha"].notes == notes
    assert not problems


def test_folders_and_files_are_private_even_when_the_folder_was_open_to_all(home, values, stores):
    home.root.mkdir(mode=0o755)
    asyncio.run(stores.written(home, values, values.node("alpha"), key="project:app"))
    for path in (home.root, *home.root.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path
    assert "*.use.json" in (home.memory / ".gitignore").read_text("utf-8")


LIVES = """
import asyncio, locale, sys
from pathlib import Path
from kg_core.model import Change, Node
from kg_core.store import Home, Places, Store, Write

async def main():
    store = await Store.open(Home(Path(sys.argv[1])), places=Places(Path("/home/nobody"), ()))
    graph = await store.load("user")
    node = graph.nodes["alpha"]
    assert node.notes == ("Zeile \\u2014 \\u90e8\\u7f72\\\\r\\\\n",), ascii(node.notes)
    again = Node(id="beta", gist=node.notes[0])
    await store.commit(Write(by="c", at=1, changes=(Change(graph="user", nodes={"beta": again}),)))
    await store.close()

assert locale.getpreferredencoding(False).lower() not in {"utf-8", "utf8"}
asyncio.run(main())
"""
"""A program that reads what a hand saved and writes it again, where the locale knows no letters but ASCII."""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_reading_and_writing_do_not_depend_on_the_locale(home, encoding):
    note = "Zeile — 部署\\r\\n"
    home.memory.mkdir(parents=True)
    text = json.dumps({"nodes": {"alpha": {"gist": "ü", "notes": [note]}}}, ensure_ascii=False, indent=2)
    home.graph("user").write_bytes(text.replace("\n", "\r\n").encode(encoding))
    environ = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", LIVES, str(home.root)], env=environ, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    kept = json.loads(home.graph("user").read_bytes().decode("utf-8"))["nodes"]
    assert (kept["alpha"]["notes"], kept["beta"]["gist"]) == ([note], note)


def test_on_a_mac_a_disk_that_knows_no_full_sync_is_written_all_the_same(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)  # which Linux refuses, as such a disk does
    spec = importlib.util.spec_from_file_location("files_of_a_mac", files.__file__)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)

    module.OsFiles().write(tmp_path / "graph.json", [b"{}"])

    assert (tmp_path / "graph.json").read_bytes() == b"{}"


def test_ids_in_decomposed_form_are_the_same_node(home, stores):
    home.memory.mkdir(parents=True)
    document = {
        "nodes": {"cafe\u0301": {"gist": "g"}},
        "edges": [{"from": "cafe\u0301", "rel": "r", "to": "x/cafe\u0301"}],
    }
    home.graph("user").write_text(json.dumps(document), encoding="utf-8")
    graph, _ = asyncio.run(stores.loaded(home))
    assert list(graph.nodes) == ["café"]
    assert list(graph.edges) == [EdgeKey("café", "r", "x/cafe\u0301")]


def test_ids_that_differ_in_case_or_script_are_kept_apart_or_found_as_the_model_says(home, values, stores):
    names = ["部署方案", "صيانة-الخادم", "API", "heavy-check-mark"]
    asyncio.run(stores.written(home, values, *(values.node(name) for name in names)))
    graph, _ = asyncio.run(stores.loaded(home))
    assert set(graph.nodes) == set(names)
    assert graph.find("api") is graph.nodes["API"]


def test_a_graph_that_is_empty_has_no_file(home, stores):
    graph, _ = asyncio.run(stores.loaded(home, "project:app"))
    assert graph == Graph(key="project:app")
    assert not home.projects.exists()


def test_edges_of_the_same_pair_are_several(home, values, stores):
    async def main():
        edges = {EdgeKey("a", rel, "b"): Edge(source="a", rel=rel, target="b") for rel in ("uses", "knows")}
        await stores.written(home, values, values.node("a"), values.node("b"), edges=edges)
        assert set((await stores.loaded(home))[0].edges) == set(edges)

    asyncio.run(main())
