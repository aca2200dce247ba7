"""What is written for Claude Code, byte for byte. ``UPDATE_GOLDEN=1`` writes the golden files anew."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kg_harness_claude import CLAUDE
from kg_plugin_api import Guide, JsonEntry, JsonItem, Limit, OwnedFile, Unit
from kg_plugin_testing import places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_plugin_api import Claim

GOLDEN = Path(__file__).parent / "golden"
SITE = places.site(CLAUDE, Path("/home/user"))
GUIDE = Guide(name="be-brief", title="Be brief", description='Say "it" once: briefly.', body="Once.\n", version=3)


def skills() -> Sequence[Claim]:
    assert CLAUDE.instructions is not None
    return CLAUDE.instructions.claims((GUIDE,), SITE)


def test_the_plug_in_folder_is_written_as_in_the_golden_files() -> None:
    owned = [claim for claim in (*CLAUDE.wiring.claims(SITE), *skills()) if isinstance(claim, OwnedFile)]
    written = {claim.path.relative_to(SITE.own).as_posix(): claim for claim in owned}
    if os.environ.get("UPDATE_GOLDEN") == "1":
        for name, claim in written.items():
            (GOLDEN / name).parent.mkdir(parents=True, exist_ok=True)
            (GOLDEN / name).write_text(claim.text, encoding="utf-8")

    files = [file for file in GOLDEN.rglob("*") if file.is_file()]
    golden = {file.relative_to(GOLDEN).as_posix(): file.read_text(encoding="utf-8") for file in files}

    assert {name: claim.text for name, claim in written.items()} == golden


def test_three_entries_in_the_users_settings_enable_it() -> None:
    settings = SITE.config / "settings.json"
    source = {"source": {"source": "directory", "path": str(SITE.own)}}

    assert [claim for claim in CLAUDE.wiring.claims(SITE) if not isinstance(claim, OwnedFile)] == [
        JsonEntry(path=settings, keys=("extraKnownMarketplaces", "kg"), value=source),
        JsonEntry(path=settings, keys=("enabledPlugins", "kg@kg"), value=True),
        JsonItem(path=settings, keys=("permissions", "allow"), value="mcp__plugin_kg_kg"),
    ]


def test_the_offer_turns_off_the_clients_own_memory_and_can_be_taken_back() -> None:
    (offer,) = CLAUDE.wiring.offers(SITE)
    settings = SITE.config / "settings.json"

    assert offer.claims == (JsonEntry(path=settings, keys=("autoMemoryEnabled",), value=False, replace=True),)


def test_no_hook_is_without_a_timeout_in_whole_seconds() -> None:
    hooks = json.loads((GOLDEN / "kg/hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]
    timeouts = [hook["timeout"] for groups in hooks.values() for group in groups for hook in group["hooks"]]

    assert len(timeouts) == len(CLAUDE.events)
    assert all(type(timeout) is int and 1 <= timeout <= 10 for timeout in timeouts)


def test_a_tool_event_is_matched_on_file_tools_alone() -> None:
    hooks = json.loads((GOLDEN / "kg/hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]

    for native in ("PostToolUse", "PostToolUseFailure"):
        assert hooks[native][0]["matcher"] == "Read|Grep|Edit|MultiEdit|Write|NotebookEdit|Bash"
    assert hooks["PreToolUse"][0]["matcher"] == "^(?:mcp__plugin_kg_kg__.*|Edit|MultiEdit|Write|NotebookEdit)$"


def test_whoever_wants_all_of_the_memory_has_several_hooks_at_a_sessions_start_and_no_two_alike() -> None:
    whole = replace(SITE, launch=replace(SITE.launch, whole=True))
    name = SITE.own / "kg/hooks/hooks.json"
    hooks = next(json.loads(each.text)["hooks"] for each in CLAUDE.wiring.claims(whole) if each.path == name)
    golden = json.loads((GOLDEN / "kg/hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]

    first, *others = hooks["SessionStart"][0]["hooks"]

    assert first == golden["SessionStart"][0]["hooks"][0]
    assert [hook["command"] for hook in others] == [f"{first['command']} --part {part}" for part in (2, 3, 4, 5)]
    assert {**hooks, "SessionStart": []} == {**golden, "SessionStart": []}


def test_an_upgrade_of_kg_alone_changes_no_file() -> None:
    newer = places.site(CLAUDE, Path("/home/user"), version="9.9.9")

    assert CLAUDE.wiring.claims(newer) == CLAUDE.wiring.claims(SITE)


def test_the_list_of_skills_shows_a_description_up_to_the_clients_cap() -> None:
    assert CLAUDE.instructions is not None
    assert CLAUDE.instructions.description == Limit(1_536, Unit.UTF16)
    assert CLAUDE.instructions.body.maximum <= 20_000


def test_copies_may_lie_among_the_users_own_skills() -> None:
    assert CLAUDE.instructions is not None
    assert CLAUDE.instructions.elsewhere(SITE) == (SITE.config / "skills",)
