"""What is written for Antigravity, byte for byte. ``UPDATE_GOLDEN=1`` writes the golden files anew."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from kg_harness_antigravity import ANTIGRAVITY
from kg_plugin_api import JsonItem, OwnedFile
from kg_plugin_testing import places

GOLDEN = Path(__file__).parent / "golden"
SITE = places.site(ANTIGRAVITY, Path("/home/user"))
INSTALLED = SITE.config.parent / "config" / "plugins" / "kg"


def owned() -> dict[str, str]:
    claims = [claim for claim in ANTIGRAVITY.wiring.claims(SITE) if isinstance(claim, OwnedFile)]
    return {claim.path.relative_to(INSTALLED).as_posix(): claim.text for claim in claims}


def hooks() -> Any:
    return json.loads(owned()["hooks.json"])


def test_the_plug_in_is_written_as_in_the_golden_files() -> None:
    written = owned()
    if os.environ.get("UPDATE_GOLDEN") == "1":
        for name, text in written.items():
            (GOLDEN / name).parent.mkdir(parents=True, exist_ok=True)
            (GOLDEN / name).write_text(text, encoding="utf-8")

    files = [file for file in GOLDEN.rglob("*") if file.is_file()]

    assert written == {file.relative_to(GOLDEN).as_posix(): file.read_text(encoding="utf-8") for file in files}


def test_the_hooks_are_one_named_bundle_with_flat_lists_for_all_but_tools() -> None:
    (bundle,) = hooks().values()

    assert list(hooks()) == ["kg"]
    assert bundle["enabled"] is True
    for native in ("SessionStart", "PreInvocation"):
        (handler,) = bundle[native]
        assert set(handler) == {"type", "command", "timeout"}
    (group,) = bundle["PostToolUse"]
    assert set(group) == {"matcher", "hooks"}
    assert "PreToolUse" not in bundle


def test_timeouts_are_whole_seconds_for_any_other_type_voids_the_file() -> None:
    (bundle,) = hooks().values()
    entries = [entry for native in ("SessionStart", "PreInvocation", "PostToolUse") for entry in bundle[native]]
    timeouts = [handler["timeout"] for entry in entries for handler in entry.get("hooks", [entry])]

    assert timeouts == [8, 5, 5]
    assert all(type(timeout) is int for timeout in timeouts)


def test_a_tool_event_is_matched_on_file_tools_and_commands_alone() -> None:
    matcher = re.compile(hooks()["kg"]["PostToolUse"][0]["matcher"])

    assert all(
        matcher.fullmatch(name)
        for name in ("view_file", "read_file", "write_to_file", "multi_replace_file_content", "run_command")
    )
    assert not any(matcher.fullmatch(name) for name in ("search_web", "call_mcp_tool", "mcp_kg_memory_kg_read"))


def test_every_tool_is_eager_and_all_but_those_that_delete_are_allowed() -> None:
    (server,) = json.loads(owned()["mcp_config.json"])["mcpServers"].values()
    allowed = {claim.value for claim in ANTIGRAVITY.wiring.claims(SITE) if isinstance(claim, JsonItem)}

    assert all(tool == {"eager": True} for tool in server["tools"].values())
    assert allowed == {
        f"mcp(kg_memory/{tool})" for tool in server["tools"] if tool not in {"kg_delete_node", "kg_delete_edge"}
    }


def test_the_rule_is_always_on_and_within_what_the_client_reads() -> None:
    rule = owned()["rules/kg.md"]

    assert "trigger: always_on" in rule
    assert len(rule.encode()) < 24_000


def test_an_upgrade_of_kg_alone_changes_no_file() -> None:
    newer = places.site(ANTIGRAVITY, Path("/home/user"), version="9.9.9")

    assert ANTIGRAVITY.wiring.claims(newer) == ANTIGRAVITY.wiring.claims(SITE)


def test_without_a_posix_shell_a_command_is_quoted_as_programs_on_windows_read_it() -> None:
    vector = {spec.native: ("C:/Program Files/py.exe", "-c", 'say("x")', spec.native) for spec in ANTIGRAVITY.events}
    windows = replace(SITE, launch=replace(SITE.launch, hook={}, hook_argv=vector))
    files = {
        claim.path.name: claim.text for claim in ANTIGRAVITY.wiring.claims(windows) if isinstance(claim, OwnedFile)
    }

    (handler,) = json.loads(files["hooks.json"])["kg"]["SessionStart"]

    assert handler["command"] == r'"C:/Program Files/py.exe" -c say(\"x\") SessionStart'
