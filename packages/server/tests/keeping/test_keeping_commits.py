"""The memory as a git repository: what the server commits, when, and what it leaves alone."""

from __future__ import annotations

import json
import shlex

from kg_core.store import Settings


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
    assert json.loads(kg("commit", "--json")[1]) == {"committed": False}


def test_a_memory_that_is_no_repository_is_never_committed_into_the_one_around_it(kg, server, person, git) -> None:
    git(person, "init", "--quiet")
    server.put("tests-first", "Tests run first")

    code, out, err = kg("commit")
    assert (code, out) == (1, "")
    assert f"`git init {shlex.quote(str(server.home.memory))}` makes it one." in err
    assert server.do(lambda service: service.keeping.commits.commit()) is False
    assert not git(person, "log", "--all", "--format=%s")


def test_a_file_that_is_being_written_is_not_committed(kg, server, git, monkeypatch) -> None:
    monkeypatch.setattr("kg_core.store.edits.STILL", 3_600.0)
    memory = server.home.memory
    git(memory, "init", "--quiet")
    server.put("tests-first", "Tests run first")
    assert kg("commit")[0] == 0
    whole = (memory / "user.json").read_bytes()
    (memory / "user.json").write_bytes(whole[:60])

    code, out, err = kg("commit")
    assert (code, out) == (3, "")
    assert "is being written at this moment" in err

    (memory / "user.json").write_bytes(whole.replace(b"run first", b"run last"))
    assert kg("commit") == (0, "Committed.\n", "")
    assert "run last" in git(memory, "show", "HEAD:user.json")
    assert len(git(memory, "log", "--format=%s").splitlines()) == 2


def test_the_end_of_the_server_commits(servers, git) -> None:
    server = servers()
    git(server.home.memory, "init", "--quiet")
    server.put("tests-first", "Tests run first")

    server.stop()

    assert git(server.home.memory, "log", "--format=%s") == "Save tests-first\n"


def test_what_a_session_wrote_is_committed_once_it_has_ended(servers, git, monkeypatch) -> None:
    monkeypatch.setattr("kg_server.keeping.keeping._LOOK_SECONDS", 0.01)
    server = servers()
    memory = server.home.memory
    git(memory, "init", "--quiet")
    server.do(_session_ended)
    server.put("tests-first", "Tests run first")
    assert not git(memory, "log", "--all", "--format=%s")

    server.do(_session_ended)
    for _ in range(2_000):
        if git(memory, "log", "--all", "--format=%s"):
            break

    assert git(memory, "log", "--format=%s") == "Save tests-first\n"


async def _session_ended(service) -> None:
    service.keeping.session_ended()


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
