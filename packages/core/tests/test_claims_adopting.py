"""A record that was lost is made anew from what stands on disk just as it was claimed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from kg_plugin_api.claims import JsonEntry, OwnedFile, TextBlock, TomlEntry, TomlTable

if TYPE_CHECKING:
    from kg_plugin_api.claims import Claim


@pytest.fixture
def claims(desk: Any) -> list[Claim]:
    return [*desk.claims(), TomlEntry(path=desk.toml, keys=("features", "hooks"), value=True)]


def put(desk: Any, claims: list[Claim], left: list[Claim]) -> None:
    editor = desk.editor()
    assert editor.apply(editor.plan(claims, left)).ok


def test_what_stands_as_claimed_is_ours_again_and_can_be_taken_out(desk: Any, claims: list[Claim]) -> None:
    desk.put(claims)
    desk.record.unlink()

    put(desk, claims, claims)

    ours = {type(status.claim): status.ours for status in desk.editor().status(claims)}
    assert ours == {kind: kind is not TextBlock for kind in ours}, "what was put around a block is not known"
    desk.take()
    assert not desk.owned.exists()
    assert all("kg" not in path.read_text(encoding="utf-8") for path in (desk.json, desk.toml))


def test_what_was_adopted_gets_a_new_value(desk: Any, claims: list[Claim]) -> None:
    desk.put(claims)
    desk.record.unlink()
    new: list[Claim] = []
    for claim in claims:
        if isinstance(claim, OwnedFile):
            new.append(replace(claim, text='{"new": 1}\n'))
        elif isinstance(claim, JsonEntry):
            new.append(replace(claim, value={"command": "other"}))
        elif isinstance(claim, TomlTable):
            new.append(replace(claim, values={"command": "other"}))

    put(desk, new, claims)

    assert desk.owned.read_text(encoding="utf-8") == '{"new": 1}\n'
    assert all("other" in path.read_text(encoding="utf-8") for path in (desk.json, desk.toml))


def test_what_stands_otherwise_is_nobodys_of_ours(desk: Any) -> None:
    desk.json.write_text('{"servers": {"kg": {"command": "mine"}}}', encoding="utf-8")

    (refusal, _) = desk.editor().plan(desk.claims(), desk.claims()).refusals

    assert "servers.kg is set to another value already" in refusal.reason


def test_a_record_that_is_there_is_believed(desk: Any) -> None:
    desk.json.write_text('{"servers": {"kg": {"command": "kg"}}}', encoding="utf-8")
    desk.put()
    before = desk.record.read_bytes()

    put(desk, desk.claims(), desk.claims())

    assert desk.record.read_bytes() == before
