"""Removal when the record of what was put into settings is lost, with the state folder say."""

from __future__ import annotations

import json
import shutil
import sys
from typing import Any

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


def test_a_dry_run_of_a_removal_names_what_would_stay(person: Any) -> None:
    person.run("setup", "--yes")
    recorded = stays(person.run("uninstall", "--dry-run")[1])
    shutil.rmtree(person.home.state)

    looked = stays(person.run("uninstall", "--dry-run")[1])

    assert recorded == []
    assert looked
    assert looked == stays(person.run("uninstall", "--yes")[1])


def test_a_removal_that_left_nothing_names_nothing(person: Any) -> None:
    person.run("setup", "--yes")

    for _ in range(2):
        assert stays(person.run("uninstall", "--yes")[1]) == []


@pytest.mark.parametrize("python", [sys.executable, "/another/python", "'/an other/python'"])
def test_a_set_up_takes_over_what_an_earlier_one_put_there_and_a_removal_takes_it_out(
    person: Any, monkeypatch: pytest.MonkeyPatch, python: str
) -> None:
    files = [person.folder / ".copilot" / name for name in ("hooks/kg.json", "mcp-config.json")]
    here = sys.executable
    person.run("setup", "--yes")

    for installed in (python, here):
        shutil.rmtree(person.home.state)
        monkeypatch.setattr(sys, "executable", installed.strip("'"))
        for command in (("setup", "--dry-run"), ("setup", "--yes")):
            code, _, err = person.run(*command)
            assert (code, "NOT changed" in err) == (0, False), command
        assert all(f"exec {installed} -I" in path.read_text(encoding="utf-8") for path in files)

    assert stays(person.run("uninstall", "--yes")[1]) == []
    assert [name for name, data in person.files().items() if b"kg" in data] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [("--home", "--home /elsewhere"), ("kg is gone", "kg is far away")],
    ids=["another memory", "another version"],
)
def test_what_is_of_another_memory_or_not_the_same_otherwise_stays_as_it_is(
    person: Any, monkeypatch: pytest.MonkeyPatch, old: str, new: str
) -> None:
    person.run("setup", "--yes", "--harness", "copilot")
    shutil.rmtree(person.home.state)
    servers, hooks = (person.folder / ".copilot" / name for name in ("mcp-config.json", "hooks/kg.json"))
    for path in (servers, hooks):
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    before = servers.read_bytes()
    monkeypatch.setattr(sys, "executable", "/another/python")

    code, _, err = person.run("setup", "--yes", "--harness", "copilot")

    assert (code, servers.read_bytes()) == (1, before)
    assert "mcpServers.kg is set to another value already" in err


def test_what_a_person_has_without_kg_is_not_taken_for_an_earlier_set_up(person: Any) -> None:
    settings = person.settings("claude")
    settings.write_text('{"permissions": {"allow": ["mcp__plugin_kg_kg"]}}', encoding="utf-8")

    person.run("setup", "--yes", "--harness", "claude")
    person.run("uninstall", "--yes")

    assert json.loads(settings.read_text(encoding="utf-8")) == {"permissions": {"allow": ["mcp__plugin_kg_kg"]}}


def test_another_version_takes_over_what_lies_in_the_memorys_own_folder(person: Any) -> None:
    person.run("setup", "--yes", "--harness", "claude")
    shutil.rmtree(person.home.state)
    hooks = next((person.home.root / "harnesses").rglob("hooks.json"))
    hooks.write_text("{}", encoding="utf-8")

    code, out, _ = person.run("setup", "--yes", "--harness", "claude")

    assert (code, "The originals are in" in out) == (0, True)
    assert hooks.read_text(encoding="utf-8") != "{}"
    assert list((person.home.state / "backups").rglob(hooks.name))
    person.run("uninstall", "--yes")
    assert not hooks.exists()
