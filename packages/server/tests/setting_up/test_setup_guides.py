"""Guides come with set-up, follow an upgrade and go with its undoing; copies elsewhere are moved away on request."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import pytest

from kg_core.host import Plugins
from kg_harness_claude import CLAUDE
from kg_server.guides import guides
from kg_server.guides.texts import NAMES
from kg_server.setup.findings import findings
from kg_server.setup.machine import Machine

if TYPE_CHECKING:
    from pathlib import Path

PLACES = {
    "claude": ".kg/harnesses/claude/kg/skills",
    "codex": ".codex/plugins/cache/kg/kg-skills/1.0.0/skills",
}


def copy(person: Any, harness: str, text: str, name: str = "mine") -> Path:
    """A skill that the person keeps in their own folder."""
    path: Path = person.settings(harness).parent / "skills" / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return path


def older(name: str = "capture") -> str:
    (guide,) = [guide for guide in guides("") if guide.name == name]
    return dataclasses.replace(guide, version=0, body="What was said before.\n").skill()


@pytest.mark.parametrize("harness", PLACES)
def test_each_client_gets_every_guide_with_its_own_tool_names(person: Any, harness: str) -> None:
    person.run("setup", "--yes", "--harness", harness)

    written = {path.parent.name: path for path in (person.folder / PLACES[harness]).glob("*/SKILL.md")}
    assert written.keys() == set(NAMES)
    prefix = {"claude": "mcp__plugin_kg_kg__", "codex": "mcp__kg__"}[harness]
    assert all(f"`{prefix}`" in path.read_text(encoding="utf-8") for path in written.values())


@pytest.mark.parametrize("harness", PLACES)
def test_a_newer_text_replaces_the_older_one_and_a_guide_that_is_gone_is_taken_out(
    person: Any, harness: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.run("setup", "--yes", "--harness", harness)
    file = person.folder / PLACES[harness] / "capture" / "SKILL.md"
    before = file.read_text(encoding="utf-8")
    changed = [dataclasses.replace(guide, version=99) for guide in guides("") if guide.name != "map-code"]
    monkeypatch.setattr("kg_server.setup.connection.guides", lambda _: changed)

    code, _, err = person.run("setup", "--yes", "--harness", harness)

    assert (code, err) == (0, "")
    assert 'version: "99"' not in before
    assert 'version: "99"' in file.read_text(encoding="utf-8")
    assert not (person.folder / PLACES[harness] / "map-code").exists()


@pytest.mark.parametrize("harness", PLACES)
def test_a_copy_is_told_by_doctor_and_moved_away_by_set_up_and_never_comes_back(person: Any, harness: str) -> None:
    found = copy(person, harness, older())
    other = copy(person, harness, "---\nname: own\ndescription: Mine.\n---\n", "own")

    code, out, _ = person.run("setup", "--yes", "--harness", harness)

    assert code == 0
    assert f"{found} (version 0)" in out
    assert not found.parent.exists()
    assert other.exists()
    (kept,) = person.home.state.glob("backups/*-copies/1-mine/SKILL.md")
    assert kept.read_text(encoding="utf-8") == older()
    again = person.run("setup", "--yes", "--harness", harness)[1]
    assert "Copies of kg's guides" not in again
    person.run("uninstall", "--yes")
    assert not found.exists()


def test_doctor_names_a_copy_and_is_content_otherwise(person: Any) -> None:
    person.run("setup", "--yes", "--harness", "claude")
    path = copy(person, "claude", older())

    machine = Machine(person.home, person.folder, {"PATH": ""})
    found = findings(machine, Plugins.of(harnesses=[CLAUDE]), None, str(person.folder))

    (told,) = [finding for finding in found if str(path) in finding.sentence]
    assert (str(told.level), told.command) == ("note", "kg setup --harness claude")
    assert "'capture' (version 0)" in told.sentence


def test_without_anybody_to_ask_a_copy_stays_and_is_told(person: Any) -> None:
    path = copy(person, "claude", older())

    _, out, _ = person.run("setup", "--harness", "claude")
    looked = json.loads(person.run("setup", "--dry-run", "--json", "--harness", "claude")[1])

    assert path.exists()
    assert "Nobody was there to ask" in out
    (offer,) = [offer for offer in looked["harnesses"][0]["offers"] if offer["name"] == "copies"]
    assert (offer["accepted"], [file["path"] for file in offer["files"]]) == (False, [str(path)])


def test_what_lies_beside_a_copy_stays_and_a_link_loses_only_itself(person: Any, tmp_path: Path) -> None:
    path = copy(person, "claude", older())
    (path.parent / "notes.txt").write_text("mine\n", encoding="utf-8")
    target = tmp_path / "elsewhere"
    target.mkdir()
    (target / "SKILL.md").write_text(older("recall"), encoding="utf-8")
    link = path.parents[1] / "linked"
    link.symlink_to(target)

    person.run("setup", "--yes", "--harness", "claude")

    assert not path.exists()
    assert (path.parent / "notes.txt").exists()
    assert not link.is_symlink()
    assert (target / "SKILL.md").exists()


def test_a_copy_that_cannot_be_moved_is_left_open_by_name(person: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = copy(person, "claude", older())

    def denied(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("kg_server.setup.copies.shutil.move", denied)

    code, _, err = person.run("setup", "--yes", "--harness", "claude")

    assert code == 1
    assert f"{path} could not be moved (Permission denied)" in err
    assert path.exists()


@pytest.mark.parametrize("harness", PLACES)
def test_the_setting_leaves_them_out_and_takes_them_out_again(person: Any, harness: str) -> None:
    person.run("setup", "--yes", "--harness", harness)
    person.home.config.write_text("[guides]\nenabled = false\n", encoding="utf-8")

    code, _, err = person.run("setup", "--yes", "--harness", harness)

    assert (code, err) == (0, "")
    assert not (person.folder / PLACES[harness]).exists()
    assert not [name for name in person.files() if "skill" in name.lower()]
    assert b"skills" not in person.settings(harness).read_bytes()


def test_a_channel_that_fails_is_told_as_the_fault_of_its_plug_in(person: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("no idea")

    monkeypatch.setattr("kg_harness_claude.skills.ClaudeSkills.claims", broken)

    code, _, err = person.run("setup", "--yes", "--harness", "claude")

    assert code == 1
    assert "The plug-in for claude failed at its guides (RuntimeError: no idea)" in err
