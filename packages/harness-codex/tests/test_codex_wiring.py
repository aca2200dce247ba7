"""What is written for Codex, byte for byte. ``UPDATE_GOLDEN=1`` writes the golden files anew."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kg_harness_codex import CODEX
from kg_plugin_api import Guide, Limit, OwnedFile, TomlEntry, TomlTable, Unit
from kg_plugin_testing import places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_plugin_api import Claim, Site

GOLDEN = Path(__file__).parent / "golden"
SITE = places.site(CODEX, Path("/home/user"))
CACHE = SITE.config / "plugins" / "cache" / "kg"
INSTALLED = CACHE / "kg" / "1.0.0"
GUIDE = Guide(name="be-brief", title="Be brief", description='Say "it" once: briefly.', body="Once.\n", version=3)


def skills() -> Sequence[Claim]:
    assert CODEX.instructions is not None
    return CODEX.instructions.claims((GUIDE,), SITE)


def owned(below: Path, site: Site = SITE) -> dict[str, str]:
    claims = [claim for claim in (*CODEX.wiring.claims(site), *skills()) if isinstance(claim, OwnedFile)]
    return {
        claim.path.relative_to(below).as_posix(): claim.text for claim in claims if claim.path.is_relative_to(below)
    }


def test_the_marketplace_is_written_as_in_the_golden_files() -> None:
    written = owned(SITE.own)
    if os.environ.get("UPDATE_GOLDEN") == "1":
        for name, text in written.items():
            (GOLDEN / name).parent.mkdir(parents=True, exist_ok=True)
            (GOLDEN / name).write_text(text, encoding="utf-8")

    files = [file for file in GOLDEN.rglob("*") if file.is_file()]

    assert written == {file.relative_to(GOLDEN).as_posix(): file.read_text(encoding="utf-8") for file in files}


def test_the_installed_copies_are_the_plug_ins_of_the_marketplace() -> None:
    assert owned(INSTALLED) == owned(SITE.own / "plugins" / "kg")
    assert owned(CACHE / "kg-skills" / "1.0.0") == owned(SITE.own / "plugins" / "kg-skills")


def test_a_text_changes_no_byte_of_the_plug_in_whose_hooks_are_trusted() -> None:
    written = {claim.path for claim in skills()}

    assert not [path for path in written if path.is_relative_to(INSTALLED)]
    assert not [path for path in written if path.is_relative_to(SITE.own / "plugins" / "kg")]


def test_a_table_of_their_own_enables_the_skills() -> None:
    (table,) = [claim for claim in skills() if not isinstance(claim, OwnedFile)]

    enabled = {"enabled": True}
    assert table == TomlTable(path=SITE.config / "config.toml", keys=("plugins", "kg-skills@kg"), values=enabled)


def test_a_description_may_be_as_long_as_the_client_shows_it() -> None:
    assert CODEX.instructions is not None
    assert CODEX.instructions.description == Limit(1_024, Unit.BYTES)
    assert CODEX.instructions.body == Limit(9_000, Unit.BYTES)


def test_copies_may_lie_among_the_users_own_skills_and_those_that_agents_share() -> None:
    assert CODEX.instructions is not None
    assert CODEX.instructions.elsewhere(SITE) == (SITE.config / "skills",)
    at_home = replace(SITE, environ={"HOME": "/home/user"})
    assert CODEX.instructions.elsewhere(at_home)[1:] == (Path("/home/user/.agents/skills"),)


def test_two_tables_of_ours_enable_it() -> None:
    settings = SITE.config / "config.toml"
    local = {"source_type": "local", "source": str(SITE.own)}

    assert [claim for claim in CODEX.wiring.claims(SITE) if not isinstance(claim, OwnedFile)] == [
        TomlTable(path=settings, keys=("marketplaces", "kg"), values=local),
        TomlTable(path=settings, keys=("plugins", "kg@kg"), values={"enabled": True}),
    ]


def test_no_session_depends_on_the_server_and_no_tool_is_asked_about_or_cut() -> None:
    (server,) = json.loads(owned(INSTALLED)[".mcp.json"])["mcpServers"].values()

    assert "required" not in server
    assert server["default_tools_approval_mode"] == "approve"
    assert {tool["output_token_limit"] for tool in server["tools"].values()} == {12_000}
    assert {"kg_read", "kg_search", "kg_put_node", "kg_sync", "kg_rules"} <= server["tools"].keys()


def test_a_template_names_only_fields_that_are_always_there() -> None:
    hooks = json.loads(owned(INSTALLED)["hooks/hooks.json"])["hooks"]
    always = {"session_id", "cwd", "transcript_path", "model"}
    more = {
        "SessionStart": {"source"},
        "UserPromptSubmit": {"prompt"},
        "PreToolUse": {"tool_name", "tool_use_id", "tool_input"},
        "PostToolUse": {"tool_name", "tool_use_id", "tool_input"},
        "SubagentStart": {"agent_id", "agent_type"},
        "SubagentStop": {"agent_id", "agent_type"},
    }

    for native, (group,) in hooks.items():
        (hook,) = group["hooks"]
        assert hook["input"]["event"] == native
        assert hook["input"]["payload"] == {name: f"${{{name}}}" for name in always | more[native]}


def test_no_hook_is_without_a_timeout_in_whole_seconds() -> None:
    hooks = json.loads(owned(INSTALLED)["hooks/hooks.json"])["hooks"]
    timeouts = [hook["timeout"] for groups in hooks.values() for group in groups for hook in group["hooks"]]

    assert len(timeouts) == len(CODEX.events)
    assert all(type(timeout) is int and 1 <= timeout <= 10 for timeout in timeouts)


def test_whoever_wants_all_of_the_memory_has_several_hooks_at_a_sessions_start() -> None:
    whole = replace(SITE, launch=replace(SITE.launch, whole=True))
    hooks = json.loads(owned(INSTALLED, whole)["hooks/hooks.json"])["hooks"]
    usual = json.loads(owned(INSTALLED)["hooks/hooks.json"])["hooks"]

    first, *others = hooks["SessionStart"][0]["hooks"]

    assert first == usual["SessionStart"][0]["hooks"][0]
    assert [hook["input"].pop("part") for hook in others] == [2, 3, 4, 5]
    assert all(hook == first for hook in others)
    assert {**hooks, "SessionStart": []} == {**usual, "SessionStart": []}


def test_a_tool_event_is_matched_on_file_tools_and_commands_alone() -> None:
    hooks = json.loads(owned(INSTALLED)["hooks/hooks.json"])["hooks"]

    assert [group["matcher"] for group in hooks["PostToolUse"]] == ["Bash|apply_patch"]


def test_an_upgrade_of_kg_alone_changes_no_file_and_so_keeps_the_trust() -> None:
    newer = places.site(CODEX, Path("/home/user"), version="9.9.9")

    assert CODEX.wiring.claims(newer) == CODEX.wiring.claims(SITE)


def test_the_offer_keeps_the_clients_own_memory_off_and_can_be_taken_back() -> None:
    (offer,) = CODEX.wiring.offers(SITE)
    settings = SITE.config / "config.toml"

    assert offer.claims == (TomlEntry(path=settings, keys=("features", "memories"), value=False, replace=True),)
