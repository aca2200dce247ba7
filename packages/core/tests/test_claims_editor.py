"""The editor on real files: symlinks, modes, backups, refusals, the record."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kg_core.claims import ClaimState, Editor, FileChange
from kg_plugin_api.claims import JsonEntry, TextBlock, TomlTable
from kg_plugin_api.errors import Code, KgError

if TYPE_CHECKING:
    from collections.abc import Callable

    from kg_plugin_api.claims import Claim

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX modes")


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_files_and_folders_that_were_not_there_go_again(desk: Any) -> None:
    before = names(desk.home)
    desk.put()
    for path in (desk.json, desk.toml, desk.text, desk.owned):
        assert path.exists()
    desk.take()
    assert {name for name in names(desk.home) if not name.startswith("state")} == before


@posix
def test_new_files_are_private_and_programs_can_be_run(desk: Any) -> None:
    desk.put()
    assert mode(desk.json) == mode(desk.record) == 0o600
    assert mode(desk.owned) == mode(desk.owned.parent) == mode(desk.owned.parent.parent) == 0o700


@posix
def test_the_mode_of_a_file_stays(desk: Any) -> None:
    desk.json.write_text("{}", encoding="utf-8")
    desk.json.chmod(0o640)
    desk.put()
    assert mode(desk.json) == 0o640
    desk.take()
    assert (mode(desk.json), desk.json.read_text(encoding="utf-8")) == (0o640, "{}")


@posix
def test_a_symlink_stays_and_its_target_is_changed(desk: Any) -> None:
    target = desk.home / "dotfiles" / "settings.json"
    target.parent.mkdir()
    target.write_text("{}\n", encoding="utf-8")
    desk.json.symlink_to("../dotfiles/settings.json")
    desk.put()
    assert desk.json.is_symlink()
    assert "kg" in target.read_text(encoding="utf-8")
    desk.take()
    assert (desk.json.is_symlink(), target.read_text(encoding="utf-8")) == (True, "{}\n")


@posix
def test_a_symlink_to_nothing_gets_its_target_and_loses_it_again(desk: Any) -> None:
    desk.json.symlink_to(desk.home / "dotfiles" / "settings.json")
    desk.put()
    assert (desk.home / "dotfiles" / "settings.json").is_file()
    desk.take()
    assert desk.json.is_symlink()
    assert not (desk.home / "dotfiles").exists()


@posix
def test_two_paths_to_one_file_are_one_file(desk: Any) -> None:
    desk.json.write_text("{}\n", encoding="utf-8")
    link = desk.home / "link.json"
    link.symlink_to(desk.json)
    desk.put([JsonEntry(path=desk.json, keys=("a",), value=1), JsonEntry(path=link, keys=("b",), value=2)])
    assert json.loads(desk.json.read_text(encoding="utf-8")) == {"a": 1, "b": 2}
    desk.take()
    assert desk.json.read_text(encoding="utf-8") == "{}\n"


def test_planning_writes_nothing_and_shows_every_change(desk: Any) -> None:
    desk.json.write_text('{\n  "a": 1\n}', encoding="utf-8")
    before = names(desk.home)
    diff = desk.editor().plan(desk.claims()).diff()
    assert names(desk.home) == before
    assert f"--- {desk.json}\n+++ {desk.json}\n" in diff
    assert '-  "a": 1\n+  "a": 1,\n' in diff
    assert "-}\n\\ No newline at end of file\n" not in diff
    assert f"--- /dev/null\n+++ {desk.toml}\n" in diff
    assert desk.editor().plan(()).empty


def test_a_change_knows_how_many_lines_it_adds_and_takes_out(desk: Any) -> None:
    def extent(before: bytes | None, after: bytes | None) -> tuple[int, int]:
        return FileChange(path=desk.json, target=desk.json, before=before, after=after).extent()

    assert extent(None, b"one\ntwo\n") == (2, 0)
    assert extent(b"one\ntwo", None) == (0, 2)
    assert extent(b"++ one\ntwo\n-- three\n", b"++ uno\ntwo\n") == (1, 2)
    assert extent(b"the same\n", b"the same\n") == (0, 0)


def test_setting_up_twice_writes_nothing_the_second_time(desk: Any) -> None:
    desk.put()
    before = {path: path.stat().st_mtime_ns for path in desk.home.rglob("*")}
    editor = desk.editor()
    plan = editor.plan(desk.claims())
    assert plan.empty
    assert editor.apply(plan).ok
    assert {path: path.stat().st_mtime_ns for path in desk.home.rglob("*")} == before


def test_each_run_keeps_the_originals_once(desk: Any) -> None:
    desk.json.write_text("{}", encoding="utf-8")
    editor = desk.editor()
    outcome = editor.apply(editor.plan(desk.claims()))
    assert outcome.backup is not None
    kept = outcome.backup / desk.json.relative_to(desk.json.anchor)
    assert kept.read_text(encoding="utf-8") == "{}"
    assert len([path for path in desk.backups.rglob("*") if path.is_file()]) == 1
    assert editor.apply(editor.plan(desk.claims())).backup is None


def test_editors_of_one_command_keep_no_original_of_what_one_of_them_made(desk: Any) -> None:
    made: set[Path] = set()
    first, second = (Editor(desk.record.with_name(name), desk.backups, made=made) for name in ("a.json", "b.json"))
    later = Editor(desk.record.with_name("c.json"), desk.backups)

    assert first.apply(first.plan([JsonEntry(path=desk.json, keys=("a",), value=1)])).backup is None
    assert second.apply(second.plan([JsonEntry(path=desk.json, keys=("b",), value=2)])).backup is None
    assert later.apply(later.plan([JsonEntry(path=desk.json, keys=("c",), value=3)])).backup is not None


@pytest.mark.parametrize("text", [b'{"a": ', b"\xff", b'{"servers": {"kg": 1}}'])
def test_a_refused_file_stays_and_the_other_files_are_written(desk: Any, text: bytes) -> None:
    desk.json.write_bytes(text)
    editor = desk.editor()
    plan = editor.plan(desk.claims())
    outcome = editor.apply(plan)
    assert not outcome.ok
    assert outcome.failed is None
    assert desk.json.read_bytes() == text
    assert {refusal.path for refusal in outcome.refusals} == {desk.json}
    assert [refusal.keys for refusal in outcome.refusals] == [("servers", "kg"), ("allow",)]
    assert '"servers"' in outcome.refusals[0].snippet
    assert desk.owned.exists()
    assert desk.toml.exists()
    desk.take()
    assert desk.json.read_bytes() == text


def test_the_other_claims_of_a_refused_file_say_the_same_of_it(desk: Any) -> None:
    desk.json.write_text('{"servers": {"kg": 1}}', encoding="utf-8")
    refusals = desk.editor().plan(desk.claims()).refusals
    assert refusals[0].reason == f"{desk.json} stays as it is: servers.kg is set to another value already."
    assert [refusal.keys for refusal in refusals] == [("servers", "kg"), ("allow",)]
    assert refusals[1].reason == refusals[0].reason


def test_a_file_that_became_unparsable_is_named_at_removal_and_can_be_cleared_later(desk: Any) -> None:
    desk.json.write_text("{}", encoding="utf-8")
    desk.put()
    whole = desk.json.read_text(encoding="utf-8")
    desk.json.write_text(whole[:-3], encoding="utf-8")
    editor = desk.editor()
    outcome = editor.apply(editor.plan_removal())
    assert [refusal.keys for refusal in outcome.refusals] == [("servers", "kg"), ("allow",)]
    assert desk.json.read_text(encoding="utf-8") == whole[:-3]
    desk.json.write_text(whole, encoding="utf-8")
    desk.take()
    assert desk.json.read_text(encoding="utf-8") == "{}"


@posix
@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to(path.name)])
def test_what_is_no_readable_file_is_refused(desk: Any, make: Callable[[Path], None]) -> None:
    make(desk.json)
    claims = [JsonEntry(path=desk.json, keys=("a",), value=1)]
    refusals = desk.editor().plan(claims).refusals
    assert "cannot be read" in refusals[0].reason
    assert desk.editor().status(claims)[0].state is ClaimState.UNPARSABLE


def test_the_state_of_each_claim_is_told(desk: Any) -> None:
    desk.put()
    editor = desk.editor()
    assert [(s.state, s.ours, s.sentence) for s in editor.status(desk.claims())] == [(ClaimState.PRESENT, True, "")] * 5
    desk.json.write_text('{"servers": {"kg": {"command": "other"}}}', encoding="utf-8")
    desk.toml.write_text("= no toml", encoding="utf-8")
    desk.text.unlink()
    found = editor.status(desk.claims())
    assert [status.state for status in found] == [
        ClaimState.PRESENT,
        ClaimState.FOREIGN,
        ClaimState.MISSING,
        ClaimState.UNPARSABLE,
        ClaimState.MISSING,
    ]
    assert all(status.sentence for status in found[1:])
    assert "another installation of kg" in found[1].sentence


def test_an_editor_knows_what_it_holds(desk: Any) -> None:
    claims = desk.claims()
    assert not any(map(desk.editor().holds, claims))
    desk.put(claims[:2])
    assert [desk.editor().holds(claim) for claim in claims] == [True, True, False, False, False]


@pytest.mark.parametrize("data", [b"{", b'{"format": 2}', b'{"format": 1, "surprise": 1}'])
def test_a_record_that_cannot_be_read_stops_everything_and_is_named(desk: Any, data: bytes) -> None:
    desk.record.parent.mkdir()
    desk.record.write_bytes(data)
    with pytest.raises(KgError, match=r"claims\.json is damaged or of a newer version") as caught:
        desk.editor().plan(desk.claims())
    assert caught.value.code is Code.INVALID
    assert desk.record.read_bytes() == data


@pytest.mark.parametrize(
    "make",
    [
        lambda path: JsonEntry(path=Path("relative.json"), keys=("a",), value=1),
        lambda path: JsonEntry(path=path / "a\0b", keys=("a",), value=1),
        lambda path: JsonEntry(path=path, keys=(), value=1),
        lambda path: JsonEntry(path=path, keys=("a",), value=object()),
        lambda path: JsonEntry(path=path, keys=("a",), value=float("nan")),
        lambda path: JsonEntry(path=path, keys=("a",), value="\ud800"),
        lambda path: TomlTable(path=path, keys=("a",), values={"b": None}),
        lambda path: TextBlock(path=path, name=" ", text="x"),
    ],
)
def test_a_claim_that_no_file_can_hold_is_an_error(tmp_path: Path, make: Callable[[Path], Claim]) -> None:
    with pytest.raises(KgError, match="cannot be written"):
        Editor(tmp_path / "r", tmp_path / "b").plan([make(tmp_path / "x")])


def test_one_file_claimed_in_two_syntaxes_is_an_error(desk: Any) -> None:
    claims: list[Claim] = [
        JsonEntry(path=desk.json, keys=("a",), value=1),
        TextBlock(path=desk.json, name="a", text="x"),
    ]
    with pytest.raises(KgError, match=r"claimed as JSON and text"):
        desk.editor().plan(claims)
