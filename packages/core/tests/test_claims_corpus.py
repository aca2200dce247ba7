"""Real-looking settings files of every shape: what goes in comes out again, byte for byte."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kg_core.claims import ClaimState, Editor
from kg_plugin_api.claims import JsonEntry, JsonItem, TextBlock, TomlEntry, TomlTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from _pytest.mark.structures import ParameterSet

    from kg_plugin_api.claims import Claim

CORPUS = Path(__file__).parent / "claims_corpus"
FORMATS = ("json", "toml", "md")


@dataclass(frozen=True)
class Case:
    """One file of the corpus; ``refused`` is the reason label given before any run, ``edit`` a user's replacement."""

    name: str
    data: bytes | None
    edit: tuple[str, str] | None
    refused: str | None


def cases(syntax: str) -> list[Case]:
    labels = json.loads((CORPUS / f"labels-{syntax}.json").read_text(encoding="utf-8"))
    return [
        Case(
            name,
            None if label.get("missing") else (CORPUS / syntax / name).read_bytes(),
            tuple(label["edit"]) if "edit" in label else None,
            label.get("refused"),
        )
        for name, label in labels.items()
    ]


ALL = [(syntax, case) for syntax in FORMATS for case in cases(syntax)]


def params(chosen: Callable[[Case], bool]) -> list[ParameterSet]:
    return [pytest.param(syntax, case, id=case.name) for syntax, case in ALL if chosen(case)]


ACCEPTED = params(lambda case: case.refused is None)
REFUSED = params(lambda case: case.refused is not None)
EDITED = params(lambda case: case.refused is None and case.edit is not None)


def claims_on(path: Path, syntax: str) -> list[Claim]:
    if syntax == "json":
        group = {"matcher": "", "hooks": [{"type": "command", "command": "[ -x /opt/kg ] || exit 0", "timeout": 5}]}
        return [
            JsonEntry(
                path=path,
                keys=("mcpServers", "kg"),
                value={"command": "/opt/kg/python", "args": ["mcp", "--harness", "claude"]},
            ),
            JsonItem(path=path, keys=("permissions", "allow"), value="mcp__kg"),
            JsonItem(path=path, keys=("hooks", "SessionStart"), value=group),
            JsonEntry(path=path, keys=("enabledPlugins", "kg@kg"), value=True),
            JsonEntry(path=path, keys=("autoMemoryEnabled",), value=False, replace=True),
        ]
    if syntax == "toml":
        server = {"command": "/opt/kg/python", "args": ["mcp", "--harness", "codex"], "startup_timeout_sec": 10}
        return [
            TomlTable(path=path, keys=("mcp_servers", "kg"), values=server),
            TomlEntry(path=path, keys=("features", "memories"), value=False, replace=True),
            TomlEntry(path=path, keys=("hide_agent_reasoning",), value=True),
            TomlTable(path=path, keys=("plugins", "kg@kg"), values={"enabled": True}),
        ]
    return [TextBlock(path=path, name="kg", text="Use the memory.\n\nAsk `kg` first.")]


@dataclass(frozen=True)
class Place:
    path: Path
    editor: Editor
    claims: list[Claim]

    def read(self) -> bytes | None:
        return self.path.read_bytes() if self.path.exists() else None


def place(tmp_path: Path, syntax: str, case: Case) -> Place:
    path = tmp_path / "client" / case.name
    path.parent.mkdir()
    if case.data is not None:
        path.write_bytes(case.data)
    return Place(path, Editor(tmp_path / "state" / "record.json", tmp_path / "backups"), claims_on(path, syntax))


@pytest.mark.parametrize("syntax", FORMATS)
def test_the_corpus_is_large_and_has_few_refusals(syntax: str) -> None:
    found = cases(syntax)
    assert len(found) >= 45
    assert sum(case.refused is not None for case in found) * 9 <= len(found)
    files = {path.name for path in (CORPUS / syntax).iterdir()}
    assert files == {case.name for case in found if case.data is not None}


@pytest.mark.parametrize(("syntax", "case"), ACCEPTED)
def test_claims_put_in_and_taken_out_leave_the_file_byte_for_byte(tmp_path: Path, syntax: str, case: Case) -> None:
    there = place(tmp_path, syntax, case)
    outcome = there.editor.apply(there.editor.plan(there.claims))
    assert outcome.ok
    assert [status.state for status in there.editor.status(there.claims)] == [ClaimState.PRESENT] * len(there.claims)
    assert there.editor.plan(there.claims).empty
    assert there.editor.apply(there.editor.plan_removal()).ok
    assert there.read() == case.data
    assert not (tmp_path / "state" / "record.json").exists()


@pytest.mark.parametrize(("syntax", "case"), ACCEPTED)
def test_an_upgrade_in_between_changes_nothing_about_the_removal(tmp_path: Path, syntax: str, case: Case) -> None:
    there = place(tmp_path, syntax, case)
    first, *rest = there.claims
    assert there.editor.apply(there.editor.plan([first, *rest[:-1]])).ok
    assert there.editor.apply(there.editor.plan(rest)).ok
    assert there.editor.apply(there.editor.plan([*reversed(rest), first])).ok
    assert there.editor.apply(there.editor.plan_removal()).ok
    assert there.read() == case.data


@pytest.mark.parametrize(("syntax", "case"), EDITED)
def test_a_users_edit_in_between_stays_and_only_ours_goes(tmp_path: Path, syntax: str, case: Case) -> None:
    assert case.edit is not None
    assert case.data is not None
    old, new = (text.encode("utf-8") for text in case.edit)
    there = place(tmp_path, syntax, case)
    assert there.editor.apply(there.editor.plan(there.claims)).ok
    applied = there.path.read_bytes()
    assert case.data.count(old) == applied.count(old) == 1
    there.path.write_bytes(applied.replace(old, new))
    assert there.editor.plan(there.claims).empty
    assert there.editor.apply(there.editor.plan_removal()).ok
    assert there.read() == case.data.replace(old, new)


@pytest.mark.parametrize(("syntax", "case"), REFUSED)
def test_a_labelled_file_is_refused_and_not_touched(tmp_path: Path, syntax: str, case: Case) -> None:
    there = place(tmp_path, syntax, case)
    plan = there.editor.plan(there.claims)
    assert plan.changes == ()
    assert plan.refusals
    assert all(refusal.snippet and str(there.path) in refusal.reason for refusal in plan.refusals)
    assert not there.editor.apply(plan).ok
    assert there.read() == case.data
    states = {status.state for status in there.editor.status(there.claims)}
    assert (ClaimState.UNPARSABLE in states) == (case.refused == "unparsable")
    assert (ClaimState.FOREIGN in states) == (case.refused == "taken")
