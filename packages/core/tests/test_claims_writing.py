"""The editor beside other writers, on files that cannot be written, and on owned files."""

from __future__ import annotations

import errno
import json
import os
import stat
from typing import TYPE_CHECKING, Any

import pytest

from kg_core.claims import ATTEMPTS, ClaimState, Found, OsFiles
from kg_plugin_api.claims import OwnedFile

if TYPE_CHECKING:
    from pathlib import Path

    from kg_plugin_api.claims import Claim

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX modes")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_an_owned_file_of_somebody_else_is_refused_and_an_equal_one_stays_theirs(desk: Any) -> None:
    desk.owned.parent.mkdir(parents=True)
    claims = [OwnedFile(path=desk.owned, text="ours\n")]
    desk.owned.write_text("theirs\n", encoding="utf-8")
    assert "another content" in desk.editor().plan(claims).refusals[0].reason
    desk.owned.write_text("ours\n", encoding="utf-8")
    desk.put(list(claims))
    desk.take()
    assert desk.owned.read_text(encoding="utf-8") == "ours\n"


def test_an_owned_file_is_updated_until_somebody_changes_it(desk: Any) -> None:
    desk.put([OwnedFile(path=desk.owned, text="one\n")])
    desk.put([OwnedFile(path=desk.owned, text="two\n", executable=True)])
    assert desk.owned.read_text(encoding="utf-8") == "two\n"
    desk.owned.write_text("theirs\n", encoding="utf-8")
    editor = desk.editor()
    assert "somebody changed it" in editor.plan([OwnedFile(path=desk.owned, text="three\n")]).refusals[0].reason
    outcome = editor.apply(editor.plan_removal())
    assert [note.path for note in outcome.notes] == [desk.owned]
    assert desk.owned.read_text(encoding="utf-8") == "theirs\n"


@posix
def test_an_owned_program_that_lost_its_mode_is_mended(desk: Any) -> None:
    claims: list[Claim] = [OwnedFile(path=desk.owned, text="one\n", executable=True)]
    desk.put(claims)
    desk.owned.chmod(0o600)
    assert desk.editor().status(claims)[0].state is ClaimState.FOREIGN
    desk.put(claims)
    assert mode(desk.owned) == 0o700


def test_a_made_folder_with_somebody_elses_file_stays(desk: Any) -> None:
    desk.put()
    theirs = desk.owned.parent / "theirs"
    theirs.write_text("x", encoding="utf-8")
    desk.take()
    assert theirs.exists()
    assert not desk.owned.exists()
    assert not desk.record.exists()


def test_a_dropped_owned_file_goes_when_the_claims_change(desk: Any) -> None:
    desk.put()
    desk.put(desk.claims()[1:])
    assert not (desk.home / "own").exists()
    assert "kg" in desk.json.read_text(encoding="utf-8")


class RestlessFiles(OsFiles):
    """Somebody writes a settings file between planning and writing, a number of times."""

    def __init__(self, path: Path, texts: list[str]) -> None:
        self.path, self.texts = path, texts

    def replace(self, path: Path, data: bytes, expected: Found | None, mode: int | None) -> None:
        if path == self.path and self.texts:
            self.path.write_text(self.texts.pop(0), encoding="utf-8")
        super().replace(path, data, expected, mode)


def test_a_file_that_changed_meanwhile_is_read_again(desk: Any) -> None:
    desk.json.write_text("{}", encoding="utf-8")
    editor = desk.editor(RestlessFiles(desk.json, ['{"new": 1}', '{"new": 2}']))
    outcome = editor.apply(editor.plan(desk.claims()))
    assert outcome.ok
    assert json.loads(desk.json.read_text(encoding="utf-8")) == {
        "new": 2,
        "servers": {"kg": {"command": "kg"}},
        "allow": ["mcp__kg"],
    }
    desk.take()
    assert desk.json.read_text(encoding="utf-8") == '{"new": 2}'


def test_a_file_that_keeps_changing_is_given_up_and_named(desk: Any) -> None:
    desk.json.write_text("{}", encoding="utf-8")
    editor = desk.editor(RestlessFiles(desk.json, [f'{{"new": {n}}}' for n in range(ATTEMPTS + 1)]))
    outcome = editor.apply(editor.plan(desk.claims()))
    assert not outcome.ok
    assert outcome.failed is not None
    assert desk.json in outcome.open
    desk.take()
    assert json.loads(desk.json.read_text(encoding="utf-8")) == {"new": ATTEMPTS - 1}


def test_a_plan_that_is_out_of_date_is_planned_again_before_anything_is_written(desk: Any) -> None:
    editor = desk.editor()
    plan = editor.plan(desk.claims())
    desk.json.write_text('{"late": true}', encoding="utf-8")
    assert editor.apply(plan).ok
    desk.take()
    assert desk.json.read_text(encoding="utf-8") == '{"late": true}'


class DeniedFiles(OsFiles):
    """One file cannot be written."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def replace(self, path: Path, data: bytes, expected: Found | None, mode: int | None) -> None:
        if path == self.path:
            raise PermissionError(errno.EACCES, "Permission denied")
        super().replace(path, data, expected, mode)


def test_a_file_that_cannot_be_written_is_named_and_what_came_before_is_kept(desk: Any) -> None:
    editor = desk.editor(DeniedFiles(desk.json))
    outcome = editor.apply(editor.plan(desk.claims()))
    assert outcome.failed is not None
    assert outcome.failed.sentence == f"{desk.json} cannot be written: Permission denied."
    assert outcome.done == (desk.owned,)
    assert outcome.open == (desk.json, desk.toml, desk.text)
    assert [editor.holds(claim) for claim in desk.claims()] == [True, False, False, False, False]
    desk.take()
    assert not desk.owned.exists()


def test_a_record_that_cannot_be_written_means_that_nothing_is(desk: Any) -> None:
    editor = desk.editor(DeniedFiles(desk.record))
    outcome = editor.apply(editor.plan(desk.claims()))
    assert outcome.failed is not None
    assert outcome.failed.path == desk.record
    assert outcome.done == ()
    assert not desk.owned.exists()
