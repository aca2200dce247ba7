"""The merge driver in real merges of git."""

from __future__ import annotations

import json
import resource
import subprocess
from typing import TYPE_CHECKING

import pytest

from kg_server.setup.team import driver

if TYPE_CHECKING:
    from pathlib import Path


def graph(**gists: str) -> str:
    nodes = {name: {"gist": gist} for name, gist in sorted(gists.items())}
    return json.dumps({"format": 1, "nodes": nodes, "edges": []}, indent=2) + "\n"


def nodes(path: Path) -> dict[str, dict]:
    return json.loads(path.read_text(encoding="utf-8"))["nodes"]


@pytest.fixture
def branches(repository, git):
    """Commits a graph on main and two branches that grew from it, and merges them; the merged file."""

    def merged(base: str | None, ours: str, theirs: str) -> Path:
        path = repository / "graph.json"
        (repository / ".gitattributes").write_text("*.json merge=kg\n", encoding="utf-8")
        git(repository, "config", "merge.kg.driver", driver())
        if base is not None:
            path.write_text(base, encoding="utf-8")
        git(repository, "add", ".")
        git(repository, "commit", "--quiet", "-m", "base")
        git(repository, "switch", "--quiet", "-c", "other")
        path.write_text(theirs, encoding="utf-8")
        git(repository, "add", ".")
        git(repository, "commit", "--quiet", "-m", "theirs")
        git(repository, "switch", "--quiet", "main")
        path.write_text(ours, encoding="utf-8")
        git(repository, "add", ".")
        git(repository, "commit", "--quiet", "-m", "ours")
        subprocess.run(["git", "merge", "--quiet", "--no-edit", "other"], cwd=repository, check=False)
        return path

    return merged


def test_two_branches_that_add_lessons_merge_into_both(branches, repository, git) -> None:
    """Bug case 7."""
    path = branches(graph(middle="m"), graph(alpha="a", middle="m"), graph(middle="m", omega="o"))

    assert set(nodes(path)) == {"alpha", "middle", "omega"}
    assert git(repository, "status", "--short") == ""


def test_adjacent_lessons_merge_too(branches) -> None:
    path = branches(graph(m="m"), graph(a="1", m="m"), graph(b="2", m="m"))

    assert set(nodes(path)) == {"a", "b", "m"}


def test_of_a_lesson_that_both_changed_nothing_is_dropped(branches, repository, git) -> None:
    """Bug case 7."""
    path = branches(graph(m="one"), graph(m="ours"), graph(m="theirs"))

    assert nodes(path)["m"]["gist"] == "ours"
    assert [aside["gist"] for aside in nodes(path)["m"]["conflicts"]] == ["theirs"]
    assert git(repository, "status", "--short") == ""


def test_files_that_both_added_merge_without_a_common_base(branches) -> None:
    assert set(nodes(branches(None, graph(a="1"), graph(b="2")))) == {"a", "b"}


def test_what_one_branch_superseded_is_not_taken_back_by_the_other(branches) -> None:
    """Bug case 8."""
    old = json.loads(graph(m="one"))
    new = json.loads(graph(m="one"))
    new["nodes"]["m"]["status"] = "superseded"
    other = json.loads(graph(m="one", unrelated="x"))

    path = branches(json.dumps(old), json.dumps(other), json.dumps(new))

    assert nodes(path)["m"]["status"] == "superseded"
    assert "unrelated" in nodes(path)


def test_a_file_that_is_no_graph_is_left_to_git(branches) -> None:
    path = branches("one\ntwo\nthree\n", "ONE\ntwo\nthree\n", "one\ntwo\nTHREE\n")

    assert path.read_text(encoding="utf-8") == "ONE\ntwo\nTHREE\n"


def test_the_merge_is_written_as_the_store_writes_files(kg, tmp_path) -> None:
    for name, text in (("base", ""), ("ours", '{"nodes":{"b":"short"}}'), ("theirs", graph(a="é"))):
        (tmp_path / name).write_text(text, encoding="utf-8")

    assert kg("merge-driver", tmp_path / "base", tmp_path / "ours", tmp_path / "theirs") == (0, "", "")
    assert (tmp_path / "ours").read_text(encoding="utf-8") == (
        '{\n  "format": 1,\n  "nodes": {\n    "a": {\n      "gist": "é"\n    },\n'
        '    "b": {\n      "gist": "short"\n    }\n  },\n  "edges": []\n}\n'
    )


def test_a_disk_that_fails_leaves_the_file_whole_for_git(kg, tmp_path) -> None:
    files = [tmp_path / name for name in ("base", "ours", "theirs")]
    for file, text in zip(files, ("", graph(b="b" * 200), graph(a="a")), strict=True):
        file.write_text(text, encoding="utf-8")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        code, _, err = kg("merge-driver", *files)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert (code, "Nothing was merged" in err) == (3, True)
    assert files[1].read_text(encoding="utf-8") == graph(b="b" * 200)
    assert {path.name for path in tmp_path.iterdir() if path.is_file()} == {"base", "ours", "theirs"}


def test_a_file_that_is_not_there_is_named(kg, tmp_path) -> None:
    (tmp_path / "base").touch()

    code, _, err = kg("merge-driver", tmp_path / "base", tmp_path / "ours", tmp_path / "theirs")

    assert (code, str(tmp_path / "ours") in err) == (3, True)


def test_a_file_of_a_later_version_is_not_merged(kg, tmp_path) -> None:
    for name in ("base", "ours", "theirs"):
        (tmp_path / name).write_text('{"format": 99, "nodes": {}}', encoding="utf-8")

    code, _, err = kg("merge-driver", tmp_path / "base", tmp_path / "ours", tmp_path / "theirs")

    assert code == 1
    assert "later version" in err
