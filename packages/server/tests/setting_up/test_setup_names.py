"""Where a memory or an agent's settings have names that no text can hold: one sentence, and nothing is written."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

NAME = os.fsdecode(b"caf\xe9")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="names there are text")


def run(person: Any, *arguments: str) -> tuple[int, str, str]:
    """A command whose standard error is as a process has it."""
    sys.stderr.reconfigure(errors="backslashreplace")
    return person.run(*arguments)


@pytest.mark.parametrize("more", [(), ("--dry-run",), ("--json",)])
def test_a_memory_whose_name_is_not_utf_8_cannot_be_named_in_settings(
    person: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]
) -> None:
    home = tmp_path / NAME
    monkeypatch.setenv("KG_HOME", str(home))
    before = person.files()

    code, out, err = run(person, "setup", "--yes", *more)

    assert (code, out) == (2, "")
    assert "which is not UTF-8: no settings of an agent can name it. Set KG_HOME to another folder." in err
    assert person.files() == before
    assert not home.exists()


def test_settings_in_a_folder_whose_name_is_not_utf_8_are_left_alone_and_told(
    person: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / NAME
    config.mkdir()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(config))

    code, _, err = run(person, "setup", "--yes", "--harness", "claude")

    assert code == 1
    assert "cannot be written: it names a file whose name is not UTF-8." in err
    assert "codec" not in err
    assert list(config.iterdir()) == []


def test_a_working_folder_whose_name_is_not_utf_8_is_in_no_way(
    person: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / NAME).mkdir()
    monkeypatch.chdir(tmp_path / NAME)

    assert person.run("setup", "--yes")[0] == 0
    assert person.run("uninstall", "--yes")[0] == 0
