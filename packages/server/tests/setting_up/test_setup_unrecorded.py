"""Removal when the record of what was put into settings is lost, with the state folder say."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest


def stays(out: str) -> list[str]:
    return [line for line in out.splitlines() if line.endswith("was there before, or its record is lost.")]


def test_what_no_record_holds_stays_and_is_named(person: Any) -> None:
    person.run("setup", "--yes")
    shutil.rmtree(person.home.state)
    before = person.files()

    for command in (("uninstall", "--yes"), ("uninstall", "--yes", "--harness", "claude")):
        code, out, _ = person.run(*command)
        assert code == 0
        assert any(line.startswith(f"claude: {person.settings('claude')} stays") for line in stays(out)), command
        assert len(stays(out)) == len(set(stays(out)))

    assert person.files() == before


def test_a_removal_that_left_nothing_names_nothing(person: Any) -> None:
    person.run("setup", "--yes")

    for _ in range(2):
        assert stays(person.run("uninstall", "--yes")[1]) == []


def test_another_installation_takes_over_what_no_record_holds_in_the_memorys_own_folder(
    person: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.run("setup", "--yes", "--harness", "claude")
    shutil.rmtree(person.home.state)
    monkeypatch.setattr(sys, "executable", "/another/python")

    code, out, _ = person.run("setup", "--yes", "--harness", "claude")

    hooks = next((person.home.root / "harnesses").rglob("hooks.json"))
    assert (code, "The originals are in" in out) == (0, True)
    assert "/another/python" in hooks.read_text(encoding="utf-8")
    assert list((person.home.state / "backups").rglob(hooks.name))
    person.run("uninstall", "--yes")
    assert not hooks.exists()


def test_what_no_record_holds_in_an_agents_folder_stays_and_it_is_said_what_to_do(
    person: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.run("setup", "--yes", "--harness", "copilot")
    shutil.rmtree(person.home.state)
    before = person.files()
    monkeypatch.setattr(sys, "executable", "/another/python")

    code, _, err = person.run("setup", "--yes", "--harness", "copilot")

    assert (code, person.files()) == (1, before)
    assert "move it away and run this again" in err
    assert "mcpServers.kg is set to another value already" in err
