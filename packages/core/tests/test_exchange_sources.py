"""What other products wrote, read from files that they really wrote (their version is in the file's name)."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from pathlib import Path

import pytest

from kg_core.exchange.sources import read_source
from kg_core.model import EdgeKey, Stamp, StampKind, Tier, to_iso
from kg_plugin_api import Code, KgError

IMPORTS = Path(__file__).parent / "imports"
PEER = IMPORTS / "kg-memory-0.17.0"
CASES = IMPORTS / "kg-memory-0.17.0-cases"
OFFICIAL = IMPORTS / "server-memory-2026.8.31.jsonl"
CLAUDE = IMPORTS / "claude-code-2.1.332"


def found(path: Path, form: str = ""):
    return asyncio.run(read_source(path, form))


def lesson(path: Path, name: str):
    return next(each.graph.nodes[name] for each in found(path).portions if name in each.graph.nodes)


def reasons(read) -> dict[str, str]:
    return {each.where: each.reason for each in read.skipped}


def test_a_kg_memory_folder_is_read_with_levels_projects_and_times() -> None:
    read = found(PEER)

    assert read.format == "kg-memory"
    assert {(each.level, each.slug, each.roots) for each in read.portions} == {
        ("user", "", ()),
        ("project", "shop", ("/home/ana/work/shop",)),
    }
    node = lesson(PEER, "payment-retry")
    assert node.notes == ("2024 outage: five retries doubled the load", "naïve retry → storm 🔥")
    assert node.touches == ("services/payment/worker.py:120 (retry)", "docs/a b.md")
    assert node.tags == ("payments", "ops:retry")
    assert node.extra == {"severity": 4}
    assert node.written is not None
    record = json.loads((PEER / "projects/shop/graph.json").read_text(encoding="utf-8"))["nodes"]["payment-retry"]
    assert node.created == round(record["_created_ts"] * 1000)
    assert node.written.at == round(record["_written"]["ts"] * 1000)
    assert node.written.by == record["_written"]["by"]
    assert read.skipped == ()


def test_kg_memory_keeps_votes_reads_and_the_length_of_a_gist() -> None:
    user, project = (each.graph for each in sorted(found(PEER).portions, key=lambda each: each.level, reverse=True))

    assert [stamp.kind for stamp in user.use["short-answers"].stamps] == [StampKind.ENDORSEMENT]
    assert isinstance(user.use["short-answers"].stamps[0], Stamp)
    assert project.use["queue-order"].read_at > 0
    assert len(project.nodes["queue-order"].gist) > 1_000
    assert project.progress["migration"].state == {"done": ["a"], "next": "b"}


def test_kg_memory_votes_for_later_cases_are_told_from_those_of_sessions() -> None:
    user, project = (each.graph for each in sorted(found(CASES).portions, key=lambda each: each.level, reverse=True))

    rounding = project.use["rounding-rules"]
    cases = [project.nodes[name].created for name in ("vat-rounding-case", "discount-rounding-case")]
    assert [stamp.at for stamp in rounding.stamps if stamp.kind is StampKind.RECURRENCE] == cases
    assert [stamp.kind for stamp in rounding.stamps].count(StampKind.ENDORSEMENT) == 1
    assert rounding.recurrence == tuple(map(to_iso, cases))
    assert user.use["root-cause-first"].recurrence == (to_iso(cases[1]),)


def test_kg_memory_edges_into_the_users_graph_say_so() -> None:
    project = next(each.graph for each in found(PEER).portions if each.level == "project")

    assert set(project.edges) == {
        EdgeKey("payment-retry", "protects", "queue-order"),
        EdgeKey("payment-retry", "reported-by", "user:short-answers"),
        EdgeKey("payment-retry", "lives-in", "services/payment/worker.py"),
    }
    assert project.edges[EdgeKey("payment-retry", "protects", "queue-order")].notes == ("seen in the outage",)


def test_kg_memory_tiers_are_kept_and_odd_records_are_named(tmp_path: Path) -> None:
    graph = {
        "nodes": {
            "old": {"id": "old", "gist": "g", "_archived": True},
            "older": {"id": "older", "gist": "g", "_archived": True, "_orphaned_ts": 1_700_000_000.5},
            "back": {"id": "back", "gist": "g", "_archived": False, "_useful_ts": ["x", None, 1_700_000_000]},
            "A": {"id": "A", "gist": "upper"},
            "a": {"id": "a", "gist": "lower"},
            "odd": ["no record"],
        },
        "edges": {
            "old->nobody:x": {"from": "old", "to": "nobody", "rel": "x"},
            "broken": {"from": "old"},
            "A->a:x": {"from": "A", "to": "a", "rel": "x"},
        },
    }
    (tmp_path / "user.json").write_text(json.dumps(graph), encoding="utf-8")

    read = found(tmp_path)

    (portion,) = read.portions
    assert portion.graph.tier("old") is Tier.ARCHIVED
    assert portion.graph.tier("older") is Tier.ORPHANED
    assert portion.graph.tier("back") is Tier.ACTIVE
    assert len(portion.graph.nodes) == 5
    assert {node.gist for node in portion.graph.nodes.values()} >= {"upper", "lower"}
    assert len(portion.graph.edges) == 1
    assert reasons(read) == {
        "user.json: node 'odd'": "it is no record",
        "user.json: edge 'old->nobody:x'": "'nobody' does not exist",
        "user.json: edge 'broken'": "it does not say from where to where",
    }


@pytest.mark.parametrize(
    "number", ["1e300", "1e307", "1e999", "NaN", "-5", f"1{'0' * 400}", "253402300800", "true", '"x"']
)
def test_a_time_of_kg_memory_that_no_calendar_has_is_none(tmp_path: Path, number: str) -> None:
    record = f'"gist": "g", "_created_ts": {number}, "_written": {{"ts": {number}}}, "_useful_ts": [{number}]'
    (tmp_path / "user.json").write_text(f'{{"nodes": {{"odd": {{{record}}}}}}}', encoding="utf-8")
    os.utime(tmp_path / "user.json", (1_700_000_000, 1_700_000_000))

    (node,) = (graph := found(tmp_path).portions[0].graph).nodes.values()

    assert (node.created, node.written.at) == (1_700_000_000_000, 1_700_000_000_000)
    assert graph.use["odd"].stamps == ()


def test_of_a_damaged_kg_memory_file_its_previous_version_is_used(tmp_path: Path) -> None:
    folder = shutil.copytree(PEER, tmp_path / "copy")
    (folder / "user.json").write_bytes(b'{"nodes": {"short-ans')

    read = found(folder)

    assert any("short-answers" in each.graph.nodes for each in read.portions)
    assert reasons(read) == {"user.json": "it is damaged; its previous version is used"}


def test_the_official_servers_file_is_read_and_every_skipped_line_named() -> None:
    read = found(OFFICIAL)

    assert read.format == "mcp-memory"
    (portion,) = read.portions
    nodes = portion.graph.nodes
    assert portion.level == ""
    assert nodes["John_Smith"].gist == "John_Smith (person): Speaks fluent Spanish"
    assert nodes["John_Smith"].notes == ("Graduated in 2019 with honours", "Prefers morning meetings")
    assert nodes["John_Smith"].tags == ("person",)
    assert nodes["Example-Corp"].gist.endswith("three retries\nand a dead letter box")
    assert nodes["部署方案"].gist == "部署方案 (plan): 用户服务器部署在国内节点"
    assert len(nodes) == 6
    assert all(node.written.at == OFFICIAL.stat().st_mtime_ns // 1_000_000 for node in nodes.values())
    assert EdgeKey("John_Smith", "works-at", "Example-Corp") in portion.graph.edges
    assert reasons(read) == {"line 10": "a relation with 'nobody', which is no entity"}


def test_a_separator_of_lines_within_a_text_ends_no_line_of_the_official_servers_file(tmp_path: Path) -> None:
    entity = {"type": "entity", "name": "wal", "entityType": "", "observations": ["one\u2028two"]}
    (tmp_path / "memory.json").write_text(json.dumps(entity, ensure_ascii=False) + "\n", encoding="utf-8")

    read = found(tmp_path / "memory.json")

    assert read.format == "mcp-memory"
    assert lesson(tmp_path / "memory.json", "wal").gist == "wal: one\u2028two"


def test_names_that_would_get_one_id_stay_two_nodes_whatever_is_added_later() -> None:
    (portion,) = found(OFFICIAL).portions
    ids = sorted(node_id for node_id in portion.graph.nodes if node_id.startswith("payment-worker"))

    assert ids[0] == "payment-worker"
    assert len(ids) == 2
    assert EdgeKey(ids[1], "is_built_from", ids[0]) in portion.graph.edges


def test_claude_codes_auto_memory_is_read_with_its_times_and_links() -> None:
    read = found(CLAUDE)

    assert read.format == "claude"
    (portion,) = read.portions
    node = portion.graph.nodes["payment-retry-limit"]
    assert node.gist == "The payment worker retries three times: more doubled the load in the outage of 2026-03-01"
    assert node.notes[0] == "Three retries, then the message is parked."
    assert node.tags == ("project",)
    assert node.written.at == 1_795_987_512_886
    assert node.written.by == "60f73ec7-2f65-49f9-b888-1ec4f0645824"
    assert set(portion.graph.nodes) == {"payment-retry-limit", "review-answers-short", "dashboards"}
    assert set(portion.graph.edges) == {EdgeKey("review-answers-short", "related-to", "payment-retry-limit")}
    assert reasons(read) == {"payment-retry-limit.md": "a link to 'queue-order', which is not written yet"}


def test_an_item_without_a_visible_character_is_no_lesson_and_no_note(tmp_path: Path) -> None:
    page = tmp_path / "list.md"
    page.write_text("- \n- \u3164\n- Deploys wait\n  - \n  - \u200b\n  - until one\n", encoding="utf-8")

    read = found(page)

    (node,) = read.portions[0].graph.nodes.values()
    assert (node.gist, node.notes) == ("Deploys wait", ("until one",))
    assert reasons(read) == {"line 1": "the item is empty", "line 2": "the item is empty"}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_a_file_that_says_how_it_is_encoded_is_read_so(tmp_path: Path, encoding: str) -> None:
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    page, lines = tmp_path / "list.md", tmp_path / "memory.jsonl"
    page.write_text(f"{mark}- Déployer 🚲\r\n- Attendre\r\n", encoding=encoding, newline="")
    lines.write_text(f'{mark}{{"type": "entity", "name": "Déployer 🚲"}}\r\n', encoding=encoding, newline="")

    assert {node.gist for node in found(page).portions[0].graph.nodes.values()} == {"Déployer 🚲", "Attendre"}
    assert {node.gist for node in found(lines).portions[0].graph.nodes.values()} == {"Déployer 🚲"}
    assert found(page).skipped == found(lines).skipped == ()


def test_an_item_or_a_note_whose_text_begins_on_its_second_line_begins_with_it(tmp_path: Path) -> None:
    page = tmp_path / "list.md"
    page.write_text("- \n  Deploys\n  wait\n  - \n    until one\n    o'clock\n", encoding="utf-8")

    (node,) = found(page).portions[0].graph.nodes.values()

    assert (node.gist, node.notes) == ("Deploys wait", ("until one\no'clock",))


def test_a_fact_of_auto_memory_that_shows_nothing_is_skipped_and_one_that_is_described_by_nothing_speaks_itself(
    tmp_path: Path,
) -> None:
    heads = {"unseen": "\u200b", "told": "\u200b"}
    bodies = {"unseen": "#\n\n\u202e", "told": "##\n\n# Deploys wait\n\n\u2060\n\nuntil one"}
    (tmp_path / "MEMORY.md").write_text("", encoding="utf-8")
    for name, said in heads.items():
        text = f"---\nname: {said}\ndescription: {said}\ntype: {said}\n---\n{bodies[name]}\n"
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")

    read = found(tmp_path)

    (node,) = read.portions[0].graph.nodes.values()
    assert (node.id, node.gist, node.notes, node.tags) == ("told", "Deploys wait", ("until one",), ())
    assert reasons(read) == {"unseen.md": "it is empty"}


def test_of_an_entity_what_shows_nothing_is_left_out(tmp_path: Path) -> None:
    entities = [
        {"type": "entity", "name": "\u200b", "observations": ["lost"]},
        {"type": "entity", "name": "Deploys", "entityType": "\u200b", "observations": ["\u202e", "wait"]},
    ]
    page = tmp_path / "memory.jsonl"
    page.write_text("\n".join(map(json.dumps, entities)), encoding="utf-8")

    read = found(page)

    (node,) = read.portions[0].graph.nodes.values()
    assert (node.id, node.gist, node.tags) == ("Deploys", "Deploys: wait", ())
    assert reasons(read) == {"line 1": "it is neither an entity with a name nor a relation"}


def test_an_item_of_an_index_and_a_file_whose_names_differ_in_case_are_two_lessons(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("- **cache-keys**: Of the index\n", encoding="utf-8")
    (tmp_path / "Cache-Keys.md").write_text("Of the file\n", encoding="utf-8")

    nodes = found(tmp_path).portions[0].graph.nodes

    assert sorted(node.gist for node in nodes.values()) == ["Of the file", "Of the index"]
    assert all(node.id == node_id for node_id, node in nodes.items())


def test_what_an_index_of_auto_memory_says_by_itself_is_taken_too(tmp_path: Path) -> None:
    folder = shutil.copytree(CLAUDE, tmp_path / "memory")
    (folder / "MEMORY.md").write_text("- [Gone](gone.md) — was here\n- Deploys happen on Tuesdays\nand prose\n\nlost\n")
    (folder / "plain.md").write_text("# A file without frontmatter\n\nIts body.\n", encoding="utf-8")

    read = found(folder)

    nodes = read.portions[0].graph.nodes
    assert nodes["deploys-happen-on-tuesdays-and"].gist == "Deploys happen on Tuesdays and prose"
    assert nodes["plain"].gist == "A file without frontmatter"
    assert nodes["plain"].notes == ("Its body.",)
    assert "MEMORY.md: line 1" in reasons(read)
    assert reasons(read)["MEMORY.md: line 5"] == "it belongs to no list: 'lost'"


def test_a_markdown_list_is_read_item_by_item(tmp_path: Path) -> None:
    page = tmp_path / "lessons.md"
    page.write_text(
        "# Deploys\n\nSome prose.\n\n- **blue-green**: Two sets of servers\n  that swap\n"
        "  - costs twice\n    the money\n"
        "* [x] Rollbacks take a minute\n\n## 測試\n1. 部署前先跑測試\n2. Rollbacks take a minute\n",
        encoding="utf-8",
    )

    read = found(page)

    nodes = read.portions[0].graph.nodes
    assert nodes["blue-green"].gist == "Two sets of servers that swap"
    assert nodes["blue-green"].notes == ("costs twice\nthe money",)
    assert nodes["blue-green"].tags == ("Deploys",)
    assert nodes["rollbacks-take-a-minute"].tags == ("Deploys",)
    assert nodes["部署前先跑測試"].tags == ("測試",)
    assert reasons(read) == {
        "line 3": "it belongs to no list: 'Some prose.'",
        "line 13": "the same as an item before it: 'rollbacks-take-a-minute'",
    }


@pytest.mark.parametrize("name", ["retry_needs_jitter", "Retry_Needs.Jitter", "a__b", "ключ_кэша"])
def test_a_name_in_a_markdown_list_may_have_every_character_of_an_id(tmp_path: Path, name: str) -> None:
    page = tmp_path / "lessons.md"
    page.write_text(f"- **{name}**: Retries need jitter\n- __plain-{name[:4]}__: Another\n", encoding="utf-8")

    nodes = found(page).portions[0].graph.nodes

    assert {node_id: node.gist for node_id, node in nodes.items()} == {
        name: "Retries need jitter",
        f"plain-{name[:4]}": "Another",
    }


TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
WITH_TOKENS = {
    "lists.md": f"# Keys {TOKEN}\n- key: {TOKEN}\n- **{TOKEN}**: it is named so\n",
    "entities.jsonl": "\n".join(
        json.dumps(record)
        for record in (
            {"type": "entity", "name": f"key {TOKEN}", "entityType": TOKEN, "observations": ["old"]},
            {"type": "entity", "name": "plain", "entityType": "key", "observations": ["x"]},
            {"type": "relation", "from": "plain", "to": f"key {TOKEN}", "relationType": f"has {TOKEN}"},
        )
    ),
}


@pytest.mark.parametrize("name", WITH_TOKENS)
def test_no_secret_of_a_source_gets_into_an_id_a_tag_or_a_relation(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(WITH_TOKENS[name], encoding="utf-8")

    (portion,) = found(path).portions

    names = [*portion.graph.nodes, *(part for key in portion.graph.edges for part in key)]
    names += [tag for node in portion.graph.nodes.values() for tag in node.tags]
    assert any("secret-github-token" in each for each in names)
    assert not any(TOKEN[4:14].lower() in each.lower() for each in names)


def test_lessons_of_any_length_are_read(tmp_path: Path) -> None:
    page = tmp_path / "long.md"
    page.write_text("- " + "word " * 50_000 + "\n", encoding="utf-8")

    (node,) = found(page).portions[0].graph.nodes.values()

    assert len(node.gist) == 249_999


@pytest.mark.parametrize("name", ["nothing.bin", "empty-folder", "absent"])
def test_what_is_no_source_says_what_can_be_imported(tmp_path: Path, name: str) -> None:
    (tmp_path / "nothing.bin").write_bytes(b"\x00\x01")
    (tmp_path / "empty-folder").mkdir()

    with pytest.raises(KgError) as failure:
        found(tmp_path / name)

    assert failure.value.code is (Code.NOT_FOUND if name == "absent" else Code.INVALID)


@pytest.mark.parametrize("begun", ['{"format": 1, "nodes": {"one"', '\ufeff {"graphs": {"user"'])
def test_of_a_file_that_breaks_off_it_is_said_where(tmp_path: Path, begun: str) -> None:
    (tmp_path / "export.json").write_text(begun, encoding="utf-8")

    with pytest.raises(KgError, match=r"export\.json is no sound graph file: it cannot be read at character \d+\."):
        asyncio.run(read_source(tmp_path / "export.json"))


@pytest.mark.parametrize("form", ["", "kg", "markdown"])
def test_a_pipe_or_a_device_is_refused_and_not_waited_for(tmp_path: Path, form: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")

    for path in (tmp_path / "pipe", tmp_path / "link", Path(os.devnull)):
        with pytest.raises(KgError, match="no regular file" if form else "neither a file nor a folder") as refused:
            found(path, form)
        assert (refused.value.code, str(path) in refused.value.sentence) == (Code.INVALID, True)


@pytest.mark.parametrize("form", ["kg", "mcp-memory", "markdown"])
def test_a_folder_is_refused_as_wrong_where_a_file_is_meant(tmp_path: Path, form: str) -> None:
    with pytest.raises(KgError) as refused:
        found(tmp_path, form)

    assert (refused.value.code, refused.value.sentence) == (Code.INVALID, f"{tmp_path} is a folder. Name a file.")


def test_whoever_means_standard_input_is_told_that_it_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(KgError, match="standard input is not read") as refused:
        found(tmp_path / "-")

    assert refused.value.code is Code.NOT_FOUND


def test_an_export_of_a_later_version_is_refused_with_its_format(tmp_path: Path) -> None:
    page = tmp_path / "later.json"
    page.write_text('{"format": 2, "graphs": {"user": {"nodes": {"one": {"gist": "1"}}}}}', encoding="utf-8")

    with pytest.raises(KgError) as raised:
        found(page)

    assert (raised.value.code, raised.value.sentence) == (
        Code.READ_ONLY,
        f"{page} has format 2, written by a later version of kg.",
    )
