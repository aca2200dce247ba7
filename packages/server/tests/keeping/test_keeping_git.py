"""The memory and git: the merge driver in real merges, automatic commits, and exchange with a team."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from kg_core.model import Tombstone
from kg_core.store import Settings
from kg_server.setup.team import Team, driver

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


def test_a_file_of_a_later_version_is_not_merged(kg, tmp_path) -> None:
    for name in ("base", "ours", "theirs"):
        (tmp_path / name).write_text('{"format": 99, "nodes": {}}', encoding="utf-8")

    code, _, err = kg("merge-driver", tmp_path / "base", tmp_path / "ours", tmp_path / "theirs")

    assert code == 1
    assert "later version" in err


def test_a_commit_takes_the_memory_and_nothing_else(kg, server, git) -> None:
    memory = server.home.memory
    git(memory, "init", "--quiet")
    (memory / "mine.txt").write_text("mine", encoding="utf-8")
    (memory / "staged.txt").write_text("staged", encoding="utf-8")
    git(memory, "add", "staged.txt")
    server.put("tests-first", "Tests run first")

    assert kg("commit") == (0, "Committed.\n", "")

    assert git(memory, "show", "--format=%s", "--name-only").split() == [
        *("Save", "tests-first"),
        *(".gitignore", "user.json"),
    ]
    assert git(memory, "status", "--short").splitlines() == ["A  staged.txt", "?? mine.txt"]
    assert kg("commit") == (0, "There was nothing to commit.\n", "")


def test_a_memory_that_is_no_repository_is_never_committed_into_the_one_around_it(kg, server, person, git) -> None:
    git(person, "init", "--quiet")
    server.put("tests-first", "Tests run first")

    assert kg("commit")[0] == 1
    assert server.do(lambda service: service.keeping.commits.commit()) is False
    assert not git(person, "log", "--all", "--format=%s")


def test_the_end_of_the_server_commits(servers, git) -> None:
    server = servers()
    git(server.home.memory, "init", "--quiet")
    server.put("tests-first", "Tests run first")

    server.stop()

    assert git(server.home.memory, "log", "--format=%s") == "Save tests-first\n"


def test_without_minutes_nothing_is_committed_by_itself(servers, git) -> None:
    server = servers(settings=Settings.model_validate({"git": {"commit_minutes": 0}}))
    git(server.home.memory, "init", "--quiet")
    server.put("tests-first", "Tests run first")

    server.stop()

    assert not git(server.home.memory, "log", "--all", "--format=%s")


def test_a_commit_that_fails_is_a_notice_and_the_next_one_holds_everything(kg, server, git) -> None:
    memory = server.home.memory
    git(memory, "init", "--quiet")
    hook = memory / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'the hook says no' >&2\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    server.put("tests-first", "Tests run first")

    code, _, err = kg("commit")

    assert code == 3
    assert "the hook says no" in err
    assert any("the hook says no" in sentence for sentence in server.problems())
    hook.unlink()
    assert kg("commit")[1] == "Committed.\n"
    assert git(memory, "log", "--format=%s") == "Save tests-first\n"
    assert server.problems() == []


def test_a_merge_that_is_under_way_is_not_disturbed(kg, server, git) -> None:
    memory = server.home.memory
    git(memory, "init", "--quiet")
    (memory / ".git" / "MERGE_HEAD").write_text("0" * 40, encoding="utf-8")
    server.put("tests-first", "Tests run first")

    assert kg("commit")[0] == 3


@pytest.fixture
def shared(server, repository) -> Path:
    """A repository that takes part in an exchange; its copy."""
    server.put("retry-three-times", "Three retries", cwd=str(repository))
    Team(server.home, repository).register()
    server.sync()
    return repository / ".kg" / "graph.json"


def test_the_copy_holds_the_projects_memory_for_everybody_to_read(server, shared, repository, git) -> None:
    assert set(nodes(shared)) == {"retry-three-times"}
    assert shared.stat().st_mode & 0o777 == 0o644
    assert (shared.parent / ".gitattributes").read_text(encoding="utf-8") == "graph.json merge=kg\n"
    assert sys.executable in git(repository, "config", "--local", "merge.kg.driver")
    assert sorted(path.name for path in shared.parent.iterdir()) == [".gitattributes", "graph.json"]


def test_what_is_learned_goes_into_the_copy_and_what_colleagues_learn_comes_in(server, shared, repository) -> None:
    server.put("queue-order", "Order is kept", cwd=str(repository))
    server.sync()
    assert set(nodes(shared)) == {"queue-order", "retry-three-times"}

    theirs = json.loads(shared.read_text(encoding="utf-8"))
    theirs["nodes"]["from-ben"] = {"gist": "Ben's lesson, key AKIAIOSFODNN7EXAMPL3"}
    shared.write_text(json.dumps(theirs), encoding="utf-8")
    (outcome,) = server.sync()

    assert outcome["changed"] == 1
    gist = server.graph("project:shop").nodes["from-ben"].gist
    assert gist.startswith("Ben's lesson")
    assert "AKIAIOSFODNN7EXAMPL3" not in gist
    assert "AKIAIOSFODNN7EXAMPL3" not in shared.read_text(encoding="utf-8")


def test_a_graph_is_not_loaded_for_a_copy_that_is_as_it_was_left(servers, repository) -> None:
    first = servers()
    first.put("retry-three-times", "Three retries", cwd=str(repository))
    Team(first.home, repository).register()
    first.sync()
    first.stop()

    again = servers()
    again.sync()
    assert "project:shop" not in again.service._memory.loaded

    again.put("queue-order", "Order is kept", cwd=str(repository))
    again.sync()
    assert set(nodes(repository / ".kg" / "graph.json")) == {"queue-order", "retry-three-times"}


def test_what_colleagues_did_while_no_server_ran_is_there_when_it_starts(servers, repository) -> None:
    first = servers()
    first.put("retry-three-times", "Three retries", cwd=str(repository))
    Team(first.home, repository).register()
    first.sync()
    first.stop()
    copy = repository / ".kg" / "graph.json"
    theirs = json.loads(copy.read_text(encoding="utf-8"))
    theirs["nodes"]["from-ben"] = {"gist": "Ben's lesson"}
    copy.write_text(json.dumps(theirs), encoding="utf-8")

    again = servers()

    assert set(again.graph("project:shop").nodes) == {"from-ben", "retry-three-times"}


def test_two_people_exchange_through_git_and_both_hold_everything(servers, repository, person, git, monkeypatch):
    ana = servers("ana-memory")
    ana.put("retry-three-times", "Three retries", cwd=str(repository))
    ana.put("short-lived", "Soon gone", cwd=str(repository))
    Team(ana.home, repository).register()
    ana.sync()
    git(repository, "add", ".kg")
    git(repository, "commit", "--quiet", "-m", "Share")
    clone = person / "clone"
    git(person, "clone", "--quiet", str(repository), str(clone))
    ben = servers("ben-memory")
    ben.put("queue-order", "Order is kept", cwd=str(clone))
    Team(ben.home, clone).register()
    ben.sync()
    assert set(ben.graph("project:clone").nodes) == {"queue-order", "retry-three-times", "short-lived"}
    ben.clock.now = ana.clock.now + 1_000
    ben.put("retry-three-times", "Ben's three retries", cwd=str(clone))
    ben.sync()
    git(clone, "commit", "--quiet", "-am", "Ben")
    ana.clock.now = ben.clock.now + 1_000
    ana.put("retry-three-times", "Ana's three retries", cwd=str(repository))
    ana.delete("short-lived", cwd=str(repository))
    ana.sync()
    git(repository, "commit", "--quiet", "-am", "Ana")

    git(clone, "pull", "--quiet", "--no-rebase", "--no-edit")
    ben.sync()

    merged = ben.graph("project:clone")
    assert set(merged.nodes) == {"queue-order", "retry-three-times"}
    assert merged.nodes["retry-three-times"].gist == "Ben's three retries"
    assert [aside["gist"] for aside in merged.nodes["retry-three-times"].conflicts] == ["Ana's three retries"]
    assert set(merged.tombstones) == {"short-lived"}
    assert git(clone, "status", "--short") == ""


def test_an_old_branch_and_one_without_the_copy_take_nothing_back(server, shared, repository, git) -> None:
    """Bug cases 8 and 17."""
    git(repository, "add", ".kg")
    git(repository, "commit", "--quiet", "-m", "Share")
    git(repository, "branch", "old")
    server.put("retry-three-times", "Better: three retries, then park", cwd=str(repository))
    server.put("queue-order", "Order is kept", cwd=str(repository))
    server.sync()
    git(repository, "commit", "--quiet", "-am", "More")
    before = server.graph("project:shop")

    git(repository, "switch", "--quiet", "--detach", "HEAD~2")
    assert not shared.exists()
    server.sync()
    assert server.graph("project:shop") is before
    assert not shared.exists()

    git(repository, "switch", "--quiet", "old")
    server.sync()
    assert server.graph("project:shop").nodes == before.nodes
    assert set(nodes(shared)) == {"queue-order", "retry-three-times"}


def test_a_lesson_that_was_deleted_does_not_come_back_with_an_old_copy(server, shared, repository) -> None:
    """Bug case 17."""
    old = shared.read_text(encoding="utf-8")
    server.delete("retry-three-times", cwd=str(repository))
    server.sync()
    assert nodes(shared) == {}

    shared.write_text(old, encoding="utf-8")
    server.sync()

    assert not server.graph("project:shop").nodes
    assert nodes(shared) == {}
    assert isinstance(server.graph("project:shop").tombstones["retry-three-times"], Tombstone)


def test_a_copy_with_conflict_markers_gives_both_sides(server, shared) -> None:
    """Bug case 7."""
    text = shared.read_text(encoding="utf-8")
    line = next(line for line in text.splitlines(keepends=True) if "Three retries" in line)
    conflict = f"<<<<<<< HEAD\n{line}=======\n{line.replace('Three', 'Four')}>>>>>>> other\n"
    shared.write_text(text.replace(line, conflict), encoding="utf-8")

    server.sync()

    node = server.graph("project:shop").nodes["retry-three-times"]
    said = {node.gist, *(aside["gist"] for aside in node.conflicts)}
    assert said == {"Three retries", "Four retries"}
    assert "<<<<<<<" not in shared.read_text(encoding="utf-8")


def test_a_broken_copy_is_left_alone_and_told(server, shared, repository) -> None:
    shared.write_text('{"nodes": {"retry-th', encoding="utf-8")

    server.sync()
    server.sync()

    assert shared.read_text(encoding="utf-8") == '{"nodes": {"retry-th'
    assert [sentence for sentence in server.problems() if str(shared) in sentence]
    assert set(server.graph("project:shop").nodes) == {"retry-three-times"}


def test_a_merge_under_way_in_the_work_tree_is_not_disturbed(server, shared, repository) -> None:
    (repository / ".git" / "MERGE_HEAD").write_text("0" * 40, encoding="utf-8")
    before = shared.read_bytes()
    server.put("queue-order", "Order is kept", cwd=str(repository))

    server.sync()

    assert shared.read_bytes() == before


def test_a_repository_cannot_lead_to_files_outside_of_it(server, shared, person) -> None:
    secret = person / "private.json"
    secret.write_text(graph(private="mine"), encoding="utf-8")
    shared.unlink()
    shared.symlink_to(secret)

    server.sync()

    assert "private" not in server.graph("project:shop").nodes
    assert secret.read_text(encoding="utf-8") == graph(private="mine")
    assert any("symbolic link" in sentence for sentence in server.problems())


def test_setup_shows_what_it_would_do_and_does_it_and_undoes_it(kg, server, repository, git, monkeypatch) -> None:
    monkeypatch.chdir(repository)
    monkeypatch.setattr("kg_server.cli.team._start", lambda _: None)
    config = (repository / ".git" / "config").read_text(encoding="utf-8")

    code, out, _ = kg("setup", "--team", "--dry-run")
    assert code == 0
    assert "merge.kg.driver" in out
    assert "graph.json merge=kg" in out
    assert not (repository / ".kg").exists()

    code, out, _ = kg("setup", "--team")
    assert code == 0
    assert (repository / ".kg" / "graph.json").exists()
    assert kg("setup", "--team")[0] == 0

    code, out, _ = kg("setup", "--team", "--off")
    assert code == 0
    assert not (repository / ".kg" / ".gitattributes").exists()
    assert (repository / ".kg" / "graph.json").exists()
    assert (repository / ".git" / "config").read_text(encoding="utf-8") == config


def test_uninstalling_takes_kg_out_of_repositories(kg, servers, repository, git) -> None:
    server = servers()
    config = (repository / ".git" / "config").read_text(encoding="utf-8")
    server.put("retry-three-times", "Three retries", cwd=str(repository))
    Team(server.home, repository).register()
    server.sync()

    code, out, _ = kg("uninstall", "--yes")

    assert code == 0, out
    assert not (repository / ".kg" / ".gitattributes").exists()
    assert (repository / ".kg" / "graph.json").exists()
    assert (repository / ".git" / "config").read_text(encoding="utf-8") == config
    assert Team.all(server.home) == ()


def test_a_folder_outside_of_any_repository_cannot_share(kg, server, person, monkeypatch) -> None:
    monkeypatch.chdir(person)

    code, _, err = kg("setup", "--team")

    assert code == 2
    assert "no work tree" in err
