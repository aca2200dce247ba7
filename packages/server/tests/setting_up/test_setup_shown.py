"""What a dry run shows of each file, and how a set-up or a removal that failed ends."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kg_core.claims import FileChange
from kg_plugin_api import Code, JsonEntry, KgError, Offer
from kg_server.cli.changes import shown

CODEX = '# mine\nmodel = "o"\n'


def test_a_dry_run_names_each_file_and_what_happens_to_it_and_no_line_of_it(person: Any) -> None:
    person.settings("codex").write_text(CODEX, encoding="utf-8")
    before = person.files()

    code, out, err = person.run("setup", "--dry-run")

    assert (code, err) == (0, "")
    assert person.files() == before
    told = dict(re.findall(r"^  (/.*): (new|deleted|[0-9].*?)(?:, [0-9]+ lines?)?$", out, re.MULTILINE))
    person.run("setup", "--yes")
    written = {str(person.folder / name) for name, data in person.files().items() if before.get(name) != data}
    assert set(told) == written
    assert {path for path, what in told.items() if what != "new"} == {str(person.settings("codex"))}
    assert "@@" not in out
    assert len(out.splitlines()) < 60
    assert re.search(r"would change \d+ files\. Add --full to see how\.\n$", out)

    out = person.run("uninstall", "--dry-run")[1]

    told = dict(re.findall(r"^  (/.*): (deleted|[0-9].*)", out, re.MULTILINE))
    assert set(told) == written
    assert "lines taken out" in told[str(person.settings("codex"))]
    assert out.endswith(" Add --full to see how.\n")


def test_a_dry_run_counts_the_lines(person: Any) -> None:
    person.run("setup", "--harness", "codex")
    made = {person.folder / name: data.count(b"\n") for name, data in person.files().items()}

    out = person.run("uninstall", "--dry-run", "--harness", "codex")[1]

    assert made
    assert [
        f"{path}: deleted, {lines} lines" for path, lines in made.items() if f"  {path}: deleted, {lines} " not in out
    ] == []


def test_why_a_file_stays_as_it_is_is_said_once_with_all_that_belongs_into_it(person: Any) -> None:
    settings = person.settings("claude")
    person.run("setup", "--harness", "claude")
    settings.write_text("{", encoding="utf-8")

    for command, told in ((("setup", "--harness", "claude"), "NOT changed"), (("uninstall", "--yes"), "NOT taken out")):
        err = person.run(*command)[2]

        assert err.count(f"  {told}: {settings} stays as it is: ") == 1
        for entry in ("extraKnownMarketplaces", "enabledPlugins", "mcp__plugin_kg_kg"):
            assert entry in err


def test_a_dry_run_offers_nothing_that_a_run_would_not_come_to(person: Any) -> None:
    person.settings("claude").write_text('{"permissions": 5}', encoding="utf-8")
    before = person.settings("claude").read_bytes()

    out = person.run("setup", "--dry-run", "--harness", "claude")[1]
    person.run("setup", "--yes", "--harness", "claude")

    assert person.settings("claude").read_bytes() == before
    assert str(person.settings("claude")) not in out
    assert "Offered" not in out


@pytest.mark.parametrize("command", [("setup",), ("uninstall", "--yes")])
def test_every_line_is_shown_with_a_dry_run_alone(person: Any, command: tuple[str, ...]) -> None:
    assert person.run(*command, "--full") == (2, "", "Error: --full goes with --dry-run.\n")
    assert person.files() == {}


def test_a_change_of_permissions_alone_is_told(person: Any) -> None:
    path = person.folder / "hook.sh"
    plan: Any = type("Plan", (), {})()
    plan.changes = (FileChange(path=path, target=path, before=b"x\n", after=b"x\n", mode=0o755),)

    assert shown(plan, full=False) == f"  {path}: its permissions change"
    assert shown(plan, full=True) == f"{path}: its permissions change"


@pytest.mark.parametrize("command", ["setup", "uninstall"])
def test_a_command_that_left_something_open_ends_with_an_error(
    person: Any, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.run("setup", "--yes")
    person.settings("claude").write_text("{ torn", encoding="utf-8")

    code, _, err = person.run(command, "--yes")

    assert code == 1
    assert err.splitlines()[-1].startswith("Error: Not ")
    assert f"{person.settings('claude')} stays as it is" in err
    assert f"{person.settings('claude')}: {person.settings('claude')}" not in err


def test_what_could_not_be_undone_through_an_agent_is_no_success(person: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object) -> None:
        raise KgError(Code.UNAVAILABLE, "The agent does not answer.")

    person.run("setup", "--yes", "--harness", "codex")
    monkeypatch.setattr("kg_harness_codex.trust.TrustStep.undo", refuses)

    code, _, err = person.run("uninstall", "--yes")

    assert code == 1
    assert "NOT undone: The agent does not answer." in err
    assert err.splitlines()[-1].startswith("Error: ")


def test_a_plug_in_that_cannot_say_what_it_would_do_is_an_error(person: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object) -> None:
        raise KgError(Code.UNAVAILABLE, "It does not know.")

    monkeypatch.setattr("kg_server.setup.connection.Connection.plan", refuses)

    code, _, err = person.run("setup", "--dry-run", "--harness", "claude")

    assert (code, err) == (1, "Error: It does not know.\n")


ODD = JsonEntry(path=Path("/odd.json"), keys=("a",), value=1)


@pytest.mark.parametrize(
    ("method", "answer", "said"),
    [
        ("claims", [5], "a int is no claim"),
        ("claims", [replace(ODD, path="/odd.json")], "in a JsonEntry, path is a str instead of Path"),
        ("claims", [replace(ODD, keys="a")], "in a JsonEntry, keys is a str instead of tuple[str, ...]"),
        ("claims", None, "'NoneType' object is not iterable"),
        ("steps", [5], "a int is no Step"),
        ("offers", [5], "a int is no Offer"),
        ("offers", [Offer(name="o", question="?", claims=(5,))], "in a Offer, claims[0] is a int"),
    ],
)
def test_what_a_plug_in_says_is_to_be_written_and_cannot_be_is_told_as_its_fault(
    person: Any, monkeypatch: pytest.MonkeyPatch, method: str, answer: Any, said: str
) -> None:
    monkeypatch.setattr(f"kg_harness_claude.wiring.ClaudeWiring.{method}", lambda *_: answer)

    code, out, err = person.run("setup", "--yes", "--harness", "claude")

    assert code == 1
    assert f"The plug-in for claude failed at its {method} (TypeError: {said}" in out + err


def test_a_plug_in_that_ends_the_program_is_told_as_its_fault(person: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(*_: object) -> None:
        raise SystemExit(3)

    monkeypatch.setattr("kg_harness_claude.wiring.ClaudeWiring.claims", leave)

    code, _, err = person.run("setup", "--dry-run", "--harness", "claude")

    assert (code, "The plug-in for claude failed at its claims (SystemExit: 3)" in err) == (1, True)
