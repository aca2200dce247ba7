"""What is written for Copilot CLI, byte for byte. ``UPDATE_GOLDEN=1`` writes the golden file anew."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kg_harness_copilot import COPILOT
from kg_plugin_api import Guide, JsonEntry, Limit, OwnedFile, Unit
from kg_plugin_testing import places

GOLDEN = Path(__file__).parent / "golden" / "kg.json"
SITE = places.site(COPILOT, Path("/home/user"))


def written() -> OwnedFile:
    (owned,) = [claim for claim in COPILOT.wiring.claims(SITE) if isinstance(claim, OwnedFile)]
    return owned


def hooks() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(written().text)["hooks"]
    return found


def test_the_file_of_hooks_is_written_as_in_the_golden_file() -> None:
    if os.environ.get("UPDATE_GOLDEN") == "1":
        GOLDEN.write_text(written().text, encoding="utf-8")

    assert written().path == SITE.config / "hooks" / "kg.json"
    assert written().text == GOLDEN.read_text(encoding="utf-8")


def test_one_entry_of_ours_stands_among_the_servers_with_all_tools_at_once() -> None:
    (entry,) = [claim for claim in COPILOT.wiring.claims(SITE) if not isinstance(claim, OwnedFile)]
    command, *arguments = SITE.launch.shim

    assert entry == JsonEntry(
        path=SITE.config / "mcp-config.json",
        keys=("mcpServers", "kg"),
        value={"type": "local", "command": command, "args": arguments, "tools": ["*"], "deferTools": "never"},
    )


def test_each_event_runs_the_hook_client_with_a_timeout_in_whole_seconds() -> None:
    for spec in COPILOT.events:
        (hook,) = hooks()[spec.native]
        assert hook["bash"] == SITE.launch.hook[spec.native]
        assert type(hook["timeoutSec"]) is int
        assert 1 <= hook["timeoutSec"] <= 10


def test_only_tools_of_ours_are_permitted_without_a_question() -> None:
    (permission,) = hooks()["permissionRequest"]

    assert re.fullmatch(permission["matcher"], "kg/kg_put_node")
    for other in ("bash", "edit", "kgb/kg_read", "kg/other", "other/kg_read"):
        assert not re.fullmatch(permission["matcher"], other)
    assert json.loads(permission["powershell"].strip("'")) == {"behavior": "allow"}


def test_a_tool_event_is_matched_on_file_tools_and_edits_alone() -> None:
    assert hooks()["postToolUse"][0]["matcher"] == "view|grep|rg|edit|create|apply_patch|bash"
    assert hooks()["preToolUse"][0]["matcher"] == "edit|create|apply_patch"
    assert hooks()["preMcpToolCall"][0]["matcher"] == "kg/kg_.*"


def test_an_upgrade_of_kg_alone_changes_no_file() -> None:
    newer = places.site(COPILOT, Path("/home/user"), version="9.9.9")

    assert COPILOT.wiring.claims(newer) == COPILOT.wiring.claims(SITE)


@pytest.mark.parametrize("place", ["C:/Users/Ana Lee/.kg", "C:/it's $HOME `n/100%", "D:/Größe/‘データ’"])
def test_without_a_posix_shell_the_words_are_quoted_for_powershell(place: str) -> None:
    argv = {spec.native: ("C:/kg/python.exe", "--home", place) for spec in COPILOT.events}
    site = replace(SITE, launch=replace(SITE.launch, hook={}, hook_argv=argv))
    (owned,) = [claim for claim in COPILOT.wiring.claims(site) if isinstance(claim, OwnedFile)]

    for spec in COPILOT.events:
        (hook,) = json.loads(owned.text)["hooks"][spec.native]
        words = re.findall(r"'((?:[^'‘’‚‛]|['‘’‚‛]{2})*)'", hook["powershell"])
        assert hook["powershell"].startswith("& '")
        assert "bash" not in hook
        assert [re.sub("(['‘’‚‛])['‘’‚‛]", r"\1", word) for word in words] == ["C:/kg/python.exe", "--home", place]


def test_the_offer_keeps_the_clients_own_memory_off_and_can_be_taken_back() -> None:
    (offer,) = COPILOT.wiring.offers(SITE)
    settings = SITE.config / "settings.json"

    assert offer.claims == (JsonEntry(path=settings, keys=("memory",), value=False, replace=True),)


def test_a_guide_is_a_skill_of_the_user_whose_name_says_that_it_is_ours() -> None:
    guide = Guide(name="be-brief", title="Be brief", description="Say it once.", body="Once.\n", version=3)
    assert COPILOT.instructions is not None

    (claim,) = COPILOT.instructions.claims((guide,), SITE)

    named = replace(guide, name="kg-be-brief")
    assert claim == OwnedFile(path=SITE.config / "skills" / "kg-be-brief" / "SKILL.md", text=named.skill())


def test_a_description_may_be_as_long_as_the_client_lists_it_and_copies_may_lie_where_agents_share() -> None:
    assert COPILOT.instructions is not None
    assert COPILOT.instructions.description == Limit(1_024, Unit.BYTES)
    at_home = replace(SITE, environ={"HOME": "/home/user"})
    assert COPILOT.instructions.elsewhere(at_home) == (Path("/home/user/.agents/skills"),)
    assert COPILOT.instructions.elsewhere(SITE) == ()
