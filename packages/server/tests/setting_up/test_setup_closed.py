"""Folders that another user has closed: commands say which, and go on where they can."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kg_core.store import Home
from kg_harness_codex import CODEX
from kg_server.setup.machine import Machine

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def close(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Lets nobody look into a folder, whoever runs the test."""
    closed: list[Path] = []

    def guarded(look: Callable[..., Any]) -> Callable[..., Any]:
        def guard(path: Any = ".", *arguments: Any, **more: Any) -> Any:
            here = Path(os.fsdecode(path)) if isinstance(path, str | bytes | os.PathLike) else Path()
            lists = look.__name__ in {"scandir", "listdir"}
            if any(folder in here.parents or (lists and here == folder) for folder in closed):
                raise PermissionError(errno.EACCES, "Permission denied", str(path))
            return look(path, *arguments, **more)

        return guard

    for name in ("stat", "lstat", "scandir", "listdir", "open"):
        monkeypatch.setattr(os, name, guarded(getattr(os, name)))
    return closed.append


def test_the_folder_of_an_agent_that_nobody_may_look_for_is_none_to_connect(
    person: Any, close: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "other" / "codex"))
    close(tmp_path / "other")

    for command in (("setup", "--dry-run"), ("setup", "--yes"), ("doctor",)):
        _, _, err = person.run(*command)
        assert "kg failed" not in err, command

    code, _, err = person.run("setup", "--yes", "--harness", "codex")
    assert code == 1
    assert f"{tmp_path / 'other'}" in err
    assert "Permission denied" in err


def test_a_folder_named_by_a_user_whom_nobody_knows_is_taken_as_it_is_written(tmp_path: Path) -> None:
    machine = Machine(Home(tmp_path / ".kg"), tmp_path, {"CODEX_HOME": "~nobody-knows-them/codex", "PATH": ""})

    assert machine.config(CODEX) == Path.cwd() / "~nobody-knows-them" / "codex"
    assert not machine.has(CODEX)


def test_a_folder_of_an_agent_that_is_closed_is_named_and_the_others_are_looked_at(person: Any, close: Any) -> None:
    close(person.folder / ".claude")

    code, out, err = person.run("setup", "--yes")

    assert code == 1
    assert f"{person.settings('claude')} stays as it is: it cannot be read (Permission denied)" in err
    assert "Codex CLI: these files will be written" in out
    _, out, err = person.run("doctor")
    assert f"{person.settings('claude')} stays as it is: it cannot be read (Permission denied)" in out
    assert "Codex CLI is connected" in out
    assert err == ""


def test_records_that_cannot_be_read_are_never_taken_for_none(person: Any, close: Any) -> None:
    person.run("setup", "--yes")
    close(person.home.state / "claims")
    before = person.settings("claude").read_bytes()

    for command in (("uninstall", "--yes"), ("uninstall", "--yes", "--purge"), ("uninstall", "--dry-run")):
        code, _, err = person.run(*command)
        assert (code != 0, "nobody can tell what kg has set up" in err) == (True, True), command
    code, _, err = person.run("setup", "--yes")
    assert (code, "cannot be read (Permission denied), so what was set up cannot be told" in err) == (1, True)

    assert person.settings("claude").read_bytes() == before
    _, out, _ = person.run("doctor")
    assert f"{person.home.state / 'claims'} cannot be read (Permission denied)" in out


def test_a_memory_of_another_user_is_told_as_that(person: Any, close: Any) -> None:
    person.run("setup", "--yes")
    close(person.home.state)

    code, out, err = person.run("doctor")
    assert (code, err) == (1, "")
    assert f"{person.home.state}" in out

    code, _, err = person.run("logs")
    assert code == 3
    assert err.startswith(f"Error: {person.home.log} cannot be used (Permission denied).")
