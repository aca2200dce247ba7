"""Imports, exports, backups and restores, from the command line to the files."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import tarfile

import pytest

from kg_core.model import Tier
from kg_plugin_api import Code, KgError
from kg_server.cli.offering import told
from kg_server.client import Client


@pytest.mark.parametrize(
    ("source", "level", "nodes"),
    [
        ("kg-memory-0.17.0", (), 6),
        ("kg-memory-0.17.0-cases", (), 5),
        ("server-memory-2026.8.31.jsonl", ("--level", "user"), 6),
        ("claude-code-2.1.332", ("--level", "user"), 3),
    ],
)
def test_an_import_of_what_a_product_wrote_is_the_same_twice(kg, server, imports, source, level, nodes) -> None:
    code, out, _ = kg("import", imports / source, *level, "--json")
    first = json.loads(out)
    before = server.graph("user")

    again = json.loads(kg("import", imports / source, *level, "--json")[1])

    assert code == 0
    assert sum(each["counts"]["added"] for each in first["graphs"]) == nodes
    assert all(each["counts"]["added"] == each["edges"] == 0 for each in again["graphs"])
    assert sum(each["counts"]["same"] for each in again["graphs"]) == nodes
    assert again["skipped"] == first["skipped"]
    assert server.graph("user") is before


def test_an_import_keeps_times_levels_and_relations_between_levels(kg, server, imports) -> None:
    kg("import", imports / "kg-memory-0.17.0")

    shop = server.graph("project:shop")
    record = json.loads((imports / "kg-memory-0.17.0/projects/shop/graph.json").read_text(encoding="utf-8"))
    written = record["nodes"]["payment-retry"]["_written"]
    assert shop.nodes["payment-retry"].written.at == round(written["ts"] * 1000)
    assert shop.nodes["payment-retry"].written.by == written["by"]
    assert ("payment-retry", "reported-by", "user:short-answers") in shop.edges
    assert server.graph("user").use["short-answers"].stamps


def test_a_lesson_that_says_no_time_was_created_when_it_was_first_imported(kg, server, tmp_path) -> None:
    page = tmp_path / "by-hand.json"
    page.write_text(json.dumps({"format": 1, "nodes": {"plain": {"gist": "Plain."}}}), encoding="utf-8")

    kg("import", page, "--level", "user")
    first = server.graph("user").nodes["plain"].created
    again = json.loads(kg("import", page, "--level", "user", "--json")[1])

    assert first > 0
    assert server.graph("user").nodes["plain"].created == first
    assert again["graphs"][0]["counts"]["same"] == 1


def test_a_case_that_is_imported_is_one_vote_for_its_lesson_however_often_it_comes(kg, server, imports, tmp_path):
    kg("import", imports / "kg-memory-0.17.0-cases")
    rounding = server.graph("project:till").use["rounding-rules"]
    assert len(rounding.recurrence) == 2
    assert len(rounding.stamps) == 3  # one more is of a session
    assert server.graph("user").use["root-cause-first"].inbound == (("till", 1),)

    page = tmp_path / "export.json"
    exported = json.loads(kg("export")[1])
    till = next(each for each in exported["graphs"].values() if "rounding-rules" in each["nodes"])
    till["nodes"]["tip-rounding-case"] = {"gist": "The tip was a cent off", "created": "2031-01-01T00:00:00.000Z"}
    till["edges"].append({"from": "tip-rounding-case", "rel": "instance-of", "to": "rounding-rules"})
    page.write_text(json.dumps(exported), encoding="utf-8")
    for _ in range(2):
        kg("import", page)
        kg("import", imports / "kg-memory-0.17.0-cases")

    after = server.graph("project:till").use["rounding-rules"]
    assert set(after.recurrence) - set(rounding.recurrence) == {"2031-01-01T00:00:00.000Z"}
    assert len(after.stamps) == 4


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("server-memory-2026.8.31.jsonl", "line 10: a relation with 'nobody', which is no entity."),
        (
            "kg-memory-0.17.0-cases",
            "projects/till/graph.json: edge 'loose-end->nobody-at-all:mentions': 'nobody-at-all' does not exist.",
        ),
    ],
)
def test_every_skipped_entry_is_told(kg, server, imports, source, sentence) -> None:
    level = () if source.startswith("kg-") else ("--level", "user")

    _, out, _ = kg("import", imports / source, *level)

    assert [line for line in out.splitlines() if line.startswith("Skipped")][-1] == f"Skipped: {sentence}"


def test_a_dry_run_tells_the_same_and_changes_nothing(kg, server, imports) -> None:
    source = imports / "server-memory-2026.8.31.jsonl"

    dry = json.loads(kg("import", source, "--level", "user", "--dry-run", "--json")[1])

    assert not server.graph("user").nodes
    real = json.loads(kg("import", source, "--level", "user", "--json")[1])
    assert {**dry, "dry_run": False} == real


def test_a_source_that_does_not_say_where_it_belongs_asks_for_a_level(kg, server, imports) -> None:
    code, _, err = kg("import", imports / "server-memory-2026.8.31.jsonl")

    assert code == 2
    assert "--level" in err


def test_auto_memory_belongs_to_the_project_of_the_folder(kg, server, imports, repository) -> None:
    kg("import", imports / "claude-code-2.1.332", "--cwd", repository)

    assert "payment-retry-limit" in server.graph("project:shop").nodes


def test_a_lesson_of_any_length_is_imported(kg, server, tmp_path) -> None:
    page = tmp_path / "long.md"
    page.write_text("- long " + "word " * 60_000 + "\n", encoding="utf-8")

    kg("import", page, "--level", "user")

    assert [len(node.gist) for node in server.graph("user").nodes.values()] == [len("long " + "word " * 60_000) - 1]


def test_a_large_import_leaves_the_loop_to_others(kg, server, tmp_path) -> None:
    page = tmp_path / "many.md"
    page.write_text("".join(f"- **n{number}**: lesson {number}\n" for number in range(1_500)), encoding="utf-8")

    entries = server.service._memory.store.sequence
    kg("import", page, "--level", "user")

    assert len(server.graph("user").nodes) == 1_500
    assert server.service._memory.store.sequence - entries >= 60  # others have their turn in between


def test_what_was_deleted_here_stays_deleted_through_import_and_restore_until_asked(kg, server, imports, tmp_path):
    """Bug case 17."""
    source = imports / "kg-memory-0.17.0"
    kg("import", source)
    backup = tmp_path / "yesterday.tar.gz"
    kg("backup", backup)
    exported = tmp_path / "export.json"
    exported.write_text(kg("export")[1], encoding="utf-8")
    server.delete("Tabs")

    for command in (("import", source), ("import", exported), ("restore", backup)):
        code, out, _ = kg(*command)
        assert code == 0
        assert "Tabs" in out
        assert "Tabs" not in server.graph("user").nodes

    code, out, _ = kg("restore", backup, "--deleted", "Tabs")
    assert code == 0
    assert "1 brought back" in out
    node = server.graph("user").nodes["Tabs"]
    assert node.written.at > 1_900_000_000_000
    assert "Tabs" not in server.graph("user").tombstones


def test_an_export_is_imported_into_an_empty_memory_as_it_was(kg, servers, imports, tmp_path) -> None:
    first = servers("first")
    kg("import", imports / "kg-memory-0.17.0")
    exported = tmp_path / "export.json"
    exported.write_text(kg("export")[1], encoding="utf-8")

    second = servers("second")
    kg("import", exported)

    for key in ("user", "project:shop"):
        assert second.graph(key).nodes == first.graph(key).nodes
        assert second.graph(key).edges == first.graph(key).edges


def test_projects_whose_folders_are_not_known_stay_apart_through_an_export(kg, servers, tmp_path) -> None:
    def graph(name: str) -> dict[str, object]:
        return {"format": 1, "nodes": {f"of-{name}": {"gist": f"A lesson of {name}."}}, "edges": []}

    graphs = {f"project:{name}": graph(name) for name in ("ships", "trains")}
    exported = tmp_path / "export.json"
    exported.write_text(json.dumps({"format": 1, "graphs": graphs}), encoding="utf-8")
    servers("first")
    kg("import", exported)
    exported.write_text(kg("export")[1], encoding="utf-8")

    second = servers("second")
    kg("import", exported)

    for name in ("ships", "trains"):
        assert set(second.graph(f"project:{name}").nodes) == {f"of-{name}"}


@pytest.mark.parametrize("slug", ["-srv-shop", "my shop", "SHIPS", "s" * 300, "../../shop", "\ud800"])
def test_a_project_whose_name_cannot_stay_as_it_is_stays_one_project_at_each_import(
    kg, servers, tmp_path, slug
) -> None:
    nodes = {f"lesson-{number}": {"gist": f"Lesson {number}."} for number in range(60)}
    ships = {"format": 1, "nodes": {"of-ships": {"gist": "A lesson of ships."}}}
    graphs = {"project:ships": ships, f"project:{slug}": {"format": 1, "nodes": nodes}}
    exported = tmp_path / "export.json"
    exported.write_text(json.dumps({"format": 1, "graphs": graphs}), encoding="utf-8")
    server = servers("home")

    tried = kg("import", exported, "--dry-run")[1]
    once = kg("import", exported)[1]
    server.stop()
    again = servers("home")
    twice = kg("import", exported)[1]

    (name,) = (line.partition(": 60 new")[0] for line in once.splitlines() if ": 60 new" in line)
    assert f"{name}: 60 new." in tried
    assert twice == f"project:ships: 1 here already.\n{name}: 60 here already.\n"
    assert len(again.graph(name).nodes) == 60


@pytest.mark.parametrize("root", [".", "", "ships", "\0", "\ud800"])
def test_what_is_no_folder_makes_no_two_projects_one(kg, server, tmp_path, root) -> None:
    graphs = {
        f"project:{name}": {"format": 1, "root": root, "nodes": {f"of-{name}": {"gist": name}}, "edges": []}
        for name in ("ships", "trains")
    }
    exported = tmp_path / "export.json"
    exported.write_text(json.dumps({"format": 1, "graphs": graphs}), encoding="utf-8")

    assert kg("import", exported)[0] == 0

    assert set(server.graph("project:ships").nodes) == {"of-ships"}


def test_markdown_that_was_exported_is_imported_with_the_same_ids_and_gists(kg, servers, tmp_path) -> None:
    first = servers("first")
    first.put("tests-first", "Tests run before every push", notes=("a red main\ncosts a day",))
    page = tmp_path / "export.md"
    page.write_text(kg("export", "--level", "user", "--format", "markdown")[1], encoding="utf-8")

    second = servers("second")
    kg("import", page, "--level", "user")

    node = second.graph("user").nodes["tests-first"]
    assert (node.gist, node.notes) == ("Tests run before every push", ("a red main\ncosts a day",))


def test_a_backup_restores_everything_on_another_machine(kg, servers, imports, repository, tmp_path) -> None:
    first = servers("first")
    first.put("own-lesson", "A lesson of the project", cwd=str(repository))
    kg("import", imports / "kg-memory-0.17.0", "--cwd", repository)
    backup = tmp_path / "all.tar.gz"
    code, out, _ = kg("backup", backup)
    assert code == 0
    assert str(backup) in out
    assert backup.stat().st_mode & 0o777 == 0o600

    second = servers("second")
    kg("restore", backup)

    for key in ("user", "project:shop", "project:shop-2"):
        assert set(second.graph(key).nodes) == set(first.graph(key).nodes)
    assert second.service._memory.store.projects.resolve(str(repository)).slug == "shop"
    assert second.graph("user").use["short-answers"].stamps == first.graph("user").use["short-answers"].stamps
    assert second.graph("project:shop").tier("own-lesson") is Tier.ACTIVE


def test_a_backup_holds_what_was_acknowledged_a_moment_ago(kg, server, tmp_path) -> None:
    server.put("just-now", "Written before the backup")
    backup = tmp_path / "now.tar.gz"

    kg("backup", backup)

    with tarfile.open(backup) as archive:
        names = set(archive.getnames())
        user = json.load(archive.extractfile("memory/user.json"))
    assert {"kg-backup.json", "memory/user.json", "memory/user.use.json"} <= names
    assert "just-now" in user["nodes"]


def test_a_backup_never_takes_the_place_of_a_file(kg, server, tmp_path) -> None:
    taken = tmp_path / "mine.tar.gz"
    taken.write_text("mine", encoding="utf-8")

    code, _, err = kg("backup", taken)

    assert code == 1
    assert str(taken) in err
    assert taken.read_text(encoding="utf-8") == "mine"


def test_backups_in_the_memorys_own_folder_are_bounded(kg, server) -> None:
    """Bug case 57."""
    for _ in range(12):
        kg("backup")

    assert len(list((server.home.state / "backups").glob("memory-*.tar.gz"))) == 10


def test_what_a_killed_server_left_of_a_backup_goes_with_the_next_one(kg, server) -> None:
    folder = server.home.state / "backups"
    folder.mkdir()
    left = folder / ".memory-20260101T000000000Z.tar.gz.1.tmp"
    underway = folder / f".memory-20260101T000000000Z.tar.gz.{os.getpid()}.tmp"
    others = folder / ".settings.json.1.tmp"
    for file in (left, underway, others):
        file.write_bytes(b"half")

    kg("backup")

    assert [file.exists() for file in (left, underway, others)] == [False, True, True]


def test_a_backup_that_cannot_be_written_names_the_path(kg, server, tmp_path) -> None:
    """Bug case 6."""
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")

    code, _, err = kg("backup", blocked / "backup.tar.gz")

    assert code == 3
    assert str(blocked) in err


@pytest.mark.parametrize("place", ["project.toml", "map.toml"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_in_place_of_one_keeps_nothing_else_out_of_a_backup(kg, server, tmp_path, place, make) -> None:
    odd = server.home.project("odd") / place
    odd.parent.mkdir(parents=True)
    make(odd)
    server.put("retry-three-times", "Three retries")

    assert kg("backup", tmp_path / "b.tar.gz")[0] == 0
    with tarfile.open(tmp_path / "b.tar.gz") as archive:
        names = archive.getnames()
    assert "user.json" in " ".join(names)
    assert place not in " ".join(names)


@pytest.mark.parametrize("name", ["x" * 300, "a\0b", "\ud800"])
def test_a_backup_under_a_name_that_no_file_can_have_is_a_sentence(server, tmp_path, name) -> None:
    with Client(server.home) as client, pytest.raises(KgError) as failure:
        client.post("/api/v1/backup", {"path": f"{tmp_path}/{name}"})

    assert failure.value.code is not Code.INTERNAL


def test_single_lessons_are_restored_by_id(kg, server, tmp_path) -> None:
    server.put("one", "one as it was")
    server.put("two", "two as it was")
    kg("backup", tmp_path / "b.tar.gz")
    server.put("one", "one spoilt")
    server.put("two", "two spoilt")

    code, out, _ = kg("restore", tmp_path / "b.tar.gz", "one")

    assert code == 0
    assert "before this is in" in out
    assert server.graph("user").nodes["one"].gist == "one as it was"
    assert server.graph("user").nodes["two"].gist == "two spoilt"
    recent = {name: server.graph("user").use_of(name).activity_at for name in ("one", "two")}
    assert recent["one"] == server.graph("user").nodes["one"].written.at > recent["two"]


@pytest.mark.parametrize(
    "arguments",
    [("absent.tar.gz",), ("damaged.tar.gz",), ("b.tar.gz", "nobody"), ("b.tar.gz", "--project", "nobody")],
)
def test_a_restore_that_cannot_be_done_changes_nothing(kg, server, tmp_path, arguments) -> None:
    server.put("one", "one as it was")
    kg("backup", tmp_path / "b.tar.gz")
    shutil.copy(tmp_path / "b.tar.gz", tmp_path / "damaged.tar.gz")
    os.truncate(tmp_path / "damaged.tar.gz", 200)
    before = server.graph("user")

    code, out, err = kg("restore", tmp_path / arguments[0], *arguments[1:])

    assert code != 0
    assert out == ""
    assert err.startswith("Error: ")
    assert server.graph("user") is before


def test_a_level_of_a_backup_is_restored_for_the_folder_it_is_asked_in(kg, server, repository, tmp_path) -> None:
    server.put("own", "own as it was", cwd=str(repository))
    server.put("mine", "mine as it was")
    kg("backup", tmp_path / "b.tar.gz")
    server.put("own", "own spoilt", cwd=str(repository))
    server.put("mine", "mine spoilt")

    code, _, _ = kg("restore", tmp_path / "b.tar.gz", "--level", "project", "--cwd", repository)

    assert code == 0
    assert server.graph("project:shop").nodes["own"].gist == "own as it was"
    assert server.graph("user").nodes["mine"].gist == "mine spoilt"


def test_an_entry_that_no_request_can_carry_is_told_and_the_rest_taken(kg, server, tmp_path) -> None:
    page = tmp_path / "huge.md"
    page.write_text("- **huge**: " + "x" * (5 << 20) + "\n- **small**: fine\n", encoding="utf-8")

    code, out, _ = kg("import", page, "--level", "user")

    assert code == 0
    assert "Skipped: huge: it has more than 4 MiB." in out
    assert set(server.graph("user").nodes) == {"small"}


def test_an_import_into_a_store_that_is_read_only_says_so_with_its_path(kg, server, tmp_path, monkeypatch) -> None:
    """Bug case 6."""
    page = tmp_path / "lessons.md"
    page.write_text("- a lesson\n", encoding="utf-8")
    monkeypatch.setattr(server.service._memory.store, "_lock", None)

    code, out, err = kg("import", page, "--level", "user")

    monkeypatch.undo()
    assert (code, out) == (1, "")
    assert f"read-only: {server.home.root}" in err
    assert not server.graph("user").nodes


def test_an_import_that_is_broken_off_says_how_far_it_came_and_is_finished_by_a_second(
    kg, server, tmp_path, monkeypatch
) -> None:
    page = tmp_path / "many.md"
    page.write_text("".join(f"- lesson number {number}\n" for number in range(60)), encoding="utf-8")
    post, asked = Client.post, []

    def breaks(self, path, value, **more):
        asked.append(path)
        if len(asked) == 3:
            raise KgError(Code.UNAVAILABLE, "The server is not running. Start it with `kg start`.")
        return post(self, path, value, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Client, "post", breaks)
        code, out, err = kg("import", page, "--level", "user")

    assert (code, out) == (3, "")
    assert err == (
        "Error: The server is not running. Start it with `kg start`. Importing stopped at part 2 of 3: run it again to "
        "finish it.\n"
    )
    assert kg("import", page, "--level", "user")[1] == "user: 35 new, 25 here already.\n"


def test_ids_that_differ_in_case_only_are_one_node(kg, server, tmp_path) -> None:
    """Bug case 13."""
    server.put("API", "The API is versioned")
    page = tmp_path / "lessons.md"
    page.write_text("- **api**: The API is versioned\n- **Api**: Something else\n", encoding="utf-8")

    kg("import", page, "--level", "user")
    kg("import", page, "--level", "user")

    nodes = server.graph("user").nodes
    assert nodes["API"].gist == "The API is versioned"
    assert "Something else" in {
        *(node.gist for node in nodes.values()),
        *(aside["gist"] for node in nodes.values() for aside in node.conflicts),
    }
    assert len(nodes) == 2


@pytest.mark.parametrize("name", ["graph.json", "export.json", "kg-memory"])
def test_numbers_that_json_does_not_have_are_kept_as_text(kg, server, tmp_path, name) -> None:
    graph = '{"format": 1, "nodes": {"odd": {"gist": "A lesson.", "rank": [NaN, -Infinity, 1e999, 1.5]}}, "edges": []}'
    (tmp_path / "graph.json").write_text(graph, encoding="utf-8")
    (tmp_path / "export.json").write_text(f'{{"format": 1, "graphs": {{"user": {graph}}}}}', encoding="utf-8")
    (tmp_path / "kg-memory").mkdir()
    (tmp_path / "kg-memory" / "user.json").write_text(graph, encoding="utf-8")

    assert kg("import", tmp_path / name, "--level", "user")[0] == 0

    exported = json.loads(kg("export")[1], parse_constant=pytest.fail)
    assert exported["graphs"]["user"]["nodes"]["odd"]["rank"] == ["NaN", "-Infinity", "1e999", 1.5]


def test_what_no_file_can_hold_is_left_out_of_an_import_and_told(kg, servers, tmp_path) -> None:
    deep = json.loads("[" * 300 + "]" * 300)
    nodes = {"deep": {"gist": "Deep.", "more": deep}, "sound": {"gist": "Sound."}}
    progress = {"far-down": {"step": deep}, "": {"step": 1}, "near": {"step": 2}}
    (tmp_path / "user.json").write_text(json.dumps({"nodes": nodes, "_meta": {"progress": progress}}), encoding="utf-8")
    first = servers("home")

    _, out, _ = kg("import", tmp_path)
    with Client(first.home) as client:
        name = client.post("/api/v1/offers", {"kind": "import"})["offer"]
        client.post(f"/api/v1/offers/{name}", {"target": {"level": "user"}, "nodes": {"": {"gist": "Nameless."}}})
        summary = client.post(f"/api/v1/offers/{name}/end", {})
    first.stop()

    assert out.count("it is nested too deeply") == 2
    assert summary["skipped"] == [{"where": "nodes ''", "reason": "it has no name"}]
    again = servers("home")
    assert set(again.graph("user").nodes) == {"sound"}
    assert again.problems() == []


def test_a_lesson_that_shows_nothing_is_left_out_of_an_import_and_put_back_by_a_restore(kg, servers, tmp_path) -> None:
    nodes = {
        "unseen": {"gist": "\u200b\u202e", "notes": ["A case."]},
        "torn": {"gist": "\ud800"},
        "blank": {"gist": " "},
        "number": {"gist": 5},
        "\u200b": {"gist": "Nobody could name it."},
        "sound": {"gist": "Sound."},
    }
    edges = [{"from": "sound", "rel": "about", "to": "unseen"}]
    page = tmp_path / "graph.json"
    page.write_text(json.dumps({"format": 1, "nodes": nodes, "edges": edges}), encoding="utf-8")
    server = servers("home")

    _, out, _ = kg("import", page, "--level", "user")
    assert set(server.graph("user").nodes) == {"sound"}
    assert kg("restore", page, "--level", "user")[0] == 0

    assert {line for line in out.splitlines() if line.startswith("Skipped: ")} == {
        "Skipped: nodes 'blank': it has no gist.",
        "Skipped: nodes 'number': it has no gist.",
        "Skipped: nodes '\\u200b': its id has no visible character.",
        "Skipped: nodes 'torn': its gist has no visible character.",
        "Skipped: nodes 'unseen': its gist has no visible character.",
        "Skipped: edge 'sound about unseen': one of its ends is not here.",
    }
    assert set(server.graph("user").nodes) == set(nodes)
    kg("backup")  # which writes the file
    (problem,) = server.problems()
    assert "'blank' has no `gist`" in problem
    assert "`gist` of 'unseen' has no visible character" in problem


def test_of_very_many_skipped_records_the_first_are_listed_and_the_others_counted(server) -> None:
    deep = {"gist": "Deep.", "more": json.loads("[" * 300 + "]" * 300)}
    with Client(server.home) as client:
        name = client.post("/api/v1/offers", {"kind": "import"})["offer"]
        for first in (0, 700):
            nodes = {f"deep-{at}": deep for at in range(first, first + 700)}
            client.post(f"/api/v1/offers/{name}", {"target": {"level": "user"}, "nodes": nodes})
        summary = client.post(f"/api/v1/offers/{name}/end", {})

    assert [each["where"] for each in summary["skipped"]] == [f"nodes 'deep-{at}'" for at in range(1_000)]
    assert summary["skipped_more"] == 400
    assert list(told(summary, {}))[-1] == "Skipped: 400 more."


def test_an_offer_that_is_not_open_is_refused(server) -> None:
    with Client(server.home) as client, pytest.raises(KgError) as failure:
        client.post("/api/v1/offers/nobody", {"target": {"level": "user"}, "nodes": {}})

    assert failure.value.code is Code.NOT_FOUND


def test_an_offer_of_odd_values_takes_what_can_be_taken_or_is_refused_in_a_sentence(server) -> None:
    fields = ("target", "nodes", "use", "edges", "progress", "deleted", "source", "cwd", "dry_run")
    values = (None, True, 7, "text", ["text"], {"level": ["user"]}, {"a": 1})
    told = set()

    with Client(server.home) as client:
        for field, odd in itertools.product(fields, values):
            told.add(_code(client, "/api/v1/offers", {"kind": "restore", field: odd}))
            name = client.post("/api/v1/offers", {"kind": "restore"})["offer"]
            told.add(_code(client, f"/api/v1/offers/{name}", {"target": {"level": "user"}, field: odd}))

    assert told == {None, Code.INVALID}


def _code(client: Client, path: str, asked: dict[str, object]) -> Code | None:
    """The kind of failure that a request meets, if it meets one."""
    try:
        client.post(path, asked)
    except KgError as failure:
        return failure.code
    return None


def test_a_clock_that_was_set_back_costs_no_new_backup(kg, server) -> None:
    folder = server.home.state / "backups"
    for _ in range(10):
        kg("backup")
    ahead = {path.name for path in folder.glob("memory-*.tar.gz")}
    server.clock.now -= 5 * 365 * 86_400_000

    made = [kg("backup") for _ in range(3)]

    assert [code for code, _, _ in made] == [0, 0, 0]
    kept = {path.name for path in folder.glob("memory-*.tar.gz")}
    assert len(kept) == 10
    assert len(kept - ahead) == 3
