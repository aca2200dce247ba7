from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kg_harness_codex import CODEX
from kg_plugin_api import Caller, Carrier, EventKind, Limit, RawEvent, StartSource, ToolKind, Unit
from kg_plugin_testing.recordings import recordings

RECORDED = {
    name.removeprefix("codex-0.171.0-"): raw for name, raw in recordings(Path(__file__).parent / "payloads").items()
}
DIALECT = CODEX.dialect


def patch(*lines: str) -> RawEvent:
    payload = {"session_id": "s", "tool_name": "apply_patch", "tool_input": {"command": "\n".join(lines)}}
    return RawEvent(native="PostToolUse", carrier=Carrier.MCP_HOOK, payload=payload)


@pytest.mark.parametrize("carrier", ["hook_client", "mcp_hook"])
@pytest.mark.parametrize("source", ["startup", "resume", "compact", "fork"])
def test_every_source_of_a_session_start_is_told_apart(source: str, carrier: str) -> None:
    event = DIALECT.parse(RECORDED[f"SessionStart-{source}-{carrier}"])

    assert event is not None
    assert event.kind is EventKind.SESSION_START
    assert event.source is StartSource(source)
    assert event.cwd == "/home/user/project"


@pytest.mark.parametrize("source", [None, "", "teleport", 7, ["resume"]])
def test_a_missing_or_unknown_source_counts_as_startup(source: object) -> None:
    payload: dict[str, object] = {"session_id": "s", "source": source}

    event = DIALECT.parse(RawEvent(native="SessionStart", carrier=Carrier.MCP_HOOK, payload=payload))

    assert event is not None
    assert event.source is StartSource.STARTUP


@pytest.mark.parametrize(
    "name",
    [
        *("PostToolUse-Bash", "PostToolUse-apply_patch", "UserPromptSubmit", "UserPromptSubmit-subagent"),
        *("SubagentStart", "SubagentStop"),
    ],
)
def test_both_carriers_tell_the_same(name: str) -> None:
    whole = DIALECT.parse(RECORDED[f"{name}-hook_client"])
    template = DIALECT.parse(RECORDED[f"{name}-mcp_hook"])

    assert whole is not None
    assert template is not None
    assert replace(whole, agent_type="") == replace(template, agent_type="")


def test_the_thread_tells_a_subagent_from_its_parent() -> None:
    start = DIALECT.parse(RECORDED["SubagentStart-mcp_hook"])
    inside = DIALECT.parse(RECORDED["PostToolUse-Bash-subagent-mcp_hook"])
    outside = DIALECT.parse(RECORDED["PostToolUse-Bash-mcp_hook"])

    assert start is not None
    assert inside is not None
    assert outside is not None
    assert "agent_id" not in RECORDED["PostToolUse-Bash-subagent-mcp_hook"].payload
    assert (inside.session, inside.agent) == (start.session, start.agent)
    assert (outside.session, outside.agent) == (start.session, "")


def test_a_subagents_prompt_is_its_parents_text() -> None:
    inside = DIALECT.parse(RECORDED["UserPromptSubmit-subagent-mcp_hook"])
    outside = DIALECT.parse(RECORDED["UserPromptSubmit-mcp_hook"])

    assert inside is not None
    assert outside is not None
    assert inside.machine
    assert not outside.machine


def test_a_call_names_its_session_and_subagent() -> None:
    start = DIALECT.parse(RECORDED["SubagentStart-mcp_hook"])
    main = DIALECT.caller(RECORDED["call-mcp"].meta)
    inside = DIALECT.caller(RECORDED["call-subagent-mcp"].meta)

    assert start is not None
    assert (main.session, main.agent) == (start.session, "")
    assert (inside.session, inside.agent) == (start.session, start.agent)


@pytest.mark.parametrize("model", ["gpt-6.2-sol", "gpt-5.5", "gpt-5-codex"])
def test_a_model_that_the_client_knows_reads_whole_pages(model: str) -> None:
    meta = {"threadId": "t", "x-codex-turn-metadata": {"model": model, "session_id": "t", "thread_id": "t"}}

    assert DIALECT.caller(meta) == Caller(session="t")


@pytest.mark.parametrize("model", ["scripted-model", "gpt-oss", "qwen3"])
def test_an_unknown_model_reads_smaller_pages(model: str) -> None:
    meta = {"threadId": "t", "x-codex-turn-metadata": {"model": model}}

    assert DIALECT.caller(meta).read_limit == Limit(11_000, Unit.BYTES)


def test_a_call_without_metadata_names_nobody() -> None:
    assert DIALECT.caller({}) == Caller()
    assert DIALECT.caller({"x-codex-turn-metadata": "junk", "threadId": 5}) == Caller()


def test_a_patch_names_every_file_that_it_touches_once() -> None:
    event = DIALECT.parse(
        patch(
            "*** Begin Patch",
            "*** Update File: old name.txt",
            "*** Move to: src/new.txt",
            "@@",
            "-*** Update File: not a header",
            "*** Add File: 部署.md",
            "*** Delete File: gone.txt",
            "*** Update File: old name.txt",
            "*** End Patch",
        )
    )

    assert event is not None
    assert event.tool is not None
    assert event.tool.kind is ToolKind.EDIT
    assert event.tool.paths == ("old name.txt", "src/new.txt", "部署.md", "gone.txt")
    assert event.tool.command == ""


def test_a_shell_command_comes_as_it_was_typed() -> None:
    event = DIALECT.parse(RECORDED["PostToolUse-Bash-mcp_hook"])

    assert event is not None
    assert event.tool is not None
    assert (event.tool.kind, event.tool.command, event.tool.paths) == (ToolKind.SHELL, "cat readme.txt", ())


@pytest.mark.parametrize("native", ["Stop", "SessionEnd", "PreCompact", "PostCompact", "Unheard", ""])
def test_events_that_kg_does_not_listen_to_are_nothing(native: str) -> None:
    assert DIALECT.parse(RawEvent(native=native, carrier=Carrier.HOOK_CLIENT, payload={"session_id": "s"})) is None


@pytest.mark.parametrize("native", ["SessionStart", "UserPromptSubmit", "PostToolUse", "SubagentStart"])
def test_a_reply_holds_no_key_but_the_two_that_the_client_knows(native: str) -> None:
    raw = RawEvent(native=native, carrier=Carrier.MCP_HOOK, payload={})
    reply: dict[str, Any] = json.loads(DIALECT.reply(raw, "a lesson"))

    assert reply == {"hookSpecificOutput": {"hookEventName": native, "additionalContext": "a lesson"}}


def test_no_text_is_no_output() -> None:
    assert DIALECT.reply(RECORDED["UserPromptSubmit-mcp_hook"], "") == ""


def test_an_edit_is_refused_with_a_reason_and_nothing_else_is() -> None:
    before = RECORDED["PreToolUse-apply_patch-mcp_hook"]
    event = DIALECT.parse(before)
    assert event is not None
    assert event.tool is not None
    assert (event.kind, event.tool.kind) == (EventKind.BEFORE_TOOL, ToolKind.EDIT)
    assert event.tool.paths == ("readme.txt", "new.txt")

    output = json.loads(CODEX.refuser.refuse(before, "Tokens are never logged."))["hookSpecificOutput"]

    assert output == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "Tokens are never logged.",
    }
    assert DIALECT.reply(before, "text") == ""
    assert CODEX.refuser.refuse(RECORDED["PostToolUse-apply_patch-mcp_hook"], "no") == ""
