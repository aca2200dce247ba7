"""Set-up and its undoing over a corpus of settings files, with what the harnesses really claim."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from _pytest.mark import ParameterSet

pytestmark = pytest.mark.slow

CORPUS = Path(__file__).parents[3] / "core" / "tests" / "claims_corpus"
SYNTAX = {"claude": "json", "codex": "toml", "copilot": "json", "antigravity": "json"}
TAKEN = {
    "claude": b'{\n  "enabledPlugins": {"kg@kg": false}, // not for me\n}\n',
    "codex": b'model = "o"\n\n[plugins."kg@kg"]\nenabled = false # not for me\n',
    "antigravity": b'{\n  "permissions": {"allow": "everything"}, // as I like it\n}\n',
}
"""Files that name one of our keys with another value, for harnesses of whose keys the corpus knows none."""

NAMED = {"copilot": frozenset({"refused-taken.json", "same-values-there.json"})}
"""Files of the corpus that do so."""

PASTED = {
    "claude": "kg@kg",
    "codex": "kg@kg",
    "copilot": '"mcpServers"',
    "antigravity": "mcp(kg_memory/kg_read)",
}
"""What stands in the text that is shown to be pasted by hand."""


@dataclass(frozen=True)
class Case:
    """A settings file, an edit that its owner makes between set-up and removal, and whether it must be refused."""

    name: str
    data: bytes | None
    edit: tuple[bytes, bytes] | None = None
    refused: bool = False


def cases(harness: str) -> list[Case]:
    syntax = SYNTAX[harness]
    labels = json.loads((CORPUS / f"labels-{syntax}.json").read_text(encoding="utf-8"))
    found = [
        Case(
            name,
            None if label.get("missing") else (CORPUS / syntax / name).read_bytes(),
            (label["edit"][0].encode(), label["edit"][1].encode()) if "edit" in label else None,
            label.get("refused") == "unparsable" or name in NAMED.get(harness, ()),
        )
        for name, label in labels.items()
    ]
    taken = [TAKEN[harness]] if harness in TAKEN else []
    return [*found, *(Case(f"refused-ours-taken.{syntax}", data, refused=True) for data in taken)]


def params(chosen: Callable[[Case], bool]) -> list[ParameterSet]:
    return [pytest.param(harness, case, id=case.name) for harness in SYNTAX for case in cases(harness) if chosen(case)]


@pytest.fixture
def placed(person: Any) -> Callable[[str, Case], Path]:
    def put(harness: str, case: Case) -> Path:
        path: Path = person.settings(harness)
        path.parent.mkdir(parents=True, exist_ok=True)
        if case.data is not None:
            path.write_bytes(case.data)
        return path

    return put


def content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


@pytest.mark.parametrize("harness", SYNTAX)
def test_the_corpus_is_large_and_few_of_its_files_are_refused(harness: str) -> None:
    found = cases(harness)

    assert len(found) >= 45
    assert sum(case.refused for case in found) * 9 <= len(found)


@pytest.mark.parametrize(("harness", "case"), params(lambda case: not case.refused))
def test_set_up_once_or_twice_and_taken_off_a_file_is_what_it_was(
    person: Any, placed: Any, harness: str, case: Case
) -> None:
    path = placed(harness, case)
    before = person.files()

    code, _, err = person.run("setup", "--yes", "--harness", harness)
    once = person.files()
    assert (code, err) == (0, "")
    assert content(path) != case.data
    again, out, _ = person.run("setup", "--yes", "--harness", harness)
    assert again == 0
    assert "already connected" in out
    assert person.files() == once

    code, _, err = person.run("uninstall", "--yes")
    assert (code, err) == (0, "")
    assert person.files() == before


@pytest.mark.parametrize(("harness", "case"), params(lambda case: not case.refused and case.edit is not None))
def test_what_its_owner_edits_in_between_stays_and_only_ours_goes(
    person: Any, placed: Any, harness: str, case: Case
) -> None:
    path = placed(harness, case)
    old, new = case.edit or (b"", b"")
    person.run("setup", "--yes", "--harness", harness)
    path.write_bytes(path.read_bytes().replace(old, new))
    person.run("setup", "--yes", "--harness", harness)

    code, _, err = person.run("uninstall", "--yes")

    assert (code, err) == (0, "")
    assert content(path) == (case.data or b"").replace(old, new)


@pytest.mark.parametrize(("harness", "case"), params(lambda case: case.refused))
def test_a_file_that_cannot_be_edited_safely_is_left_and_what_to_paste_is_shown(
    person: Any, placed: Any, harness: str, case: Case
) -> None:
    path = placed(harness, case)

    code, _, err = person.run("setup", "--yes", "--harness", harness)

    assert code == 1
    assert path.read_bytes() == case.data
    assert f"NOT changed: {path}" in err
    assert "To do it by hand:" in err
    assert PASTED[harness] in err
    assert "Still open:" in err
    person.run("uninstall", "--yes")
    assert path.read_bytes() == case.data
