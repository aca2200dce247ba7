from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kg_harness_claude import CLAUDE
from kg_plugin_api import Caller, Carrier, EventKind, RawEvent, StartSource, ToolKind
from kg_plugin_testing.recordings import recordings

RECORDED = {
    name.removeprefix("claude-2.1.332-"): raw for name, raw in recordings(Path(__file__).parent / "payloads").items()
}
DIALECT = CLAUDE.dialect


def prompt(text: str) -> RawEvent:
    payload = {"session_id": "s", "cwd": "/home/user/project", "prompt": text}
    return RawEvent(native="UserPromptSubmit", carrier=Carrier.MCP_HOOK, payload=payload)


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact", "fork"])
def test_every_source_of_a_session_start_is_told_apart(source: str) -> None:
    event = DIALECT.parse(RECORDED[f"SessionStart-{source}-hook_client"])

    assert event is not None
    assert event.kind is EventKind.SESSION_START
    assert event.source is StartSource(source)
    assert event.cwd == "/home/user/project"


@pytest.mark.parametrize("source", [None, "", "teleport", 7, ["resume"]])
def test_a_missing_or_unknown_source_counts_as_startup(source: object) -> None:
    payload: dict[str, object] = {"session_id": "s", "source": source}

    event = DIALECT.parse(RawEvent(native="SessionStart", carrier=Carrier.HOOK_CLIENT, payload=payload))

    assert event is not None
    assert event.source is StartSource.STARTUP


@pytest.mark.parametrize("tool", ["Read", "Edit", "Write", "NotebookEdit", "Bash"])
def test_both_carriers_tell_the_same_of_a_tool_use(tool: str) -> None:
    whole = DIALECT.parse(RECORDED[f"PostToolUse-{tool}-hook_client"])
    template = DIALECT.parse(RECORDED[f"PostToolUse-{tool}-mcp_hook"])

    assert whole is not None
    assert whole == template


def test_a_tool_use_names_its_files_or_its_command() -> None:
    read = DIALECT.parse(RECORDED["PostToolUse-Read-mcp_hook"])
    shell = DIALECT.parse(RECORDED["PostToolUse-Bash-mcp_hook"])

    assert read is not None
    assert read.tool is not None
    assert (read.tool.kind, read.tool.paths, read.tool.command) == (
        ToolKind.READ,
        ("/home/user/project/readme.txt",),
        "",
    )
    assert shell is not None
    assert shell.tool is not None
    assert (shell.tool.kind, shell.tool.paths, shell.tool.command) == (ToolKind.SHELL, (), "cat new.txt")


@pytest.mark.parametrize(
    ("tool", "field"),
    [
        *(("Read", "file_path"), ("Edit", "file_path"), ("MultiEdit", "file_path"), ("Write", "file_path")),
        *(("NotebookEdit", "notebook_path"), ("Grep", "path")),
    ],
)
def test_every_tool_that_names_a_file_is_heard_and_its_file_is_found(tool: str, field: str) -> None:
    spec = CLAUDE.event("PostToolUse")
    assert spec is not None
    assert re.fullmatch(spec.matcher, tool)
    template: Any = spec.arguments()["payload"]
    sent = dict.fromkeys(template["tool_input"], "") | {field: "/home/user/project/a b.py"}
    payload = {"session_id": "s", "tool_name": tool, "tool_input": sent}

    event = DIALECT.parse(RawEvent(native="PostToolUse", carrier=Carrier.MCP_HOOK, payload=payload))

    assert event is not None
    assert event.tool is not None
    assert event.tool.paths == ("/home/user/project/a b.py",)
    assert event.tool.kind in {ToolKind.READ, ToolKind.EDIT}


@pytest.mark.parametrize("tool", ["Read", "Bash"])
def test_a_tool_that_failed_says_so_on_both_carriers(tool: str) -> None:
    whole = DIALECT.parse(RECORDED[f"PostToolUseFailure-{tool}-hook_client"])
    template = DIALECT.parse(RECORDED[f"PostToolUseFailure-{tool}-mcp_hook"])

    assert whole is not None
    assert whole == template
    assert whole.kind is EventKind.AFTER_TOOL
    assert whole.tool is not None
    assert whole.tool.failed
    assert whole.tool.paths or whole.tool.command
    succeeded = DIALECT.parse(RECORDED[f"PostToolUse-{tool}-mcp_hook"])
    assert succeeded is not None
    assert succeeded.tool is not None
    assert not succeeded.tool.failed


@pytest.mark.parametrize("interrupted", [True, "true"])
def test_a_tool_that_a_person_interrupted_is_nothing(interrupted: object) -> None:
    raw = RECORDED["PostToolUseFailure-Bash-mcp_hook"]

    assert DIALECT.parse(replace(raw, payload={**raw.payload, "is_interrupt": interrupted})) is None


def test_the_end_of_a_subagent_is_its_own_and_that_of_a_nameless_one_is_nothing() -> None:
    raw = RECORDED["SubagentStop-mcp_hook"]
    start = DIALECT.parse(RECORDED["SubagentStart-mcp_hook"])
    event = DIALECT.parse(raw)

    assert start is not None
    assert event is not None
    assert (event.kind, event.session, event.agent) == (EventKind.SUBAGENT_STOP, start.session, start.agent)
    for missing in ("agent_id", "agent_type"):
        assert DIALECT.parse(replace(raw, payload={**raw.payload, missing: ""})) is None


@pytest.mark.parametrize("name", ["SubagentStop-mcp_hook", "SessionEnd-hook_client"])
def test_an_event_of_which_the_client_shows_the_model_nothing_says_nothing(name: str) -> None:
    assert DIALECT.reply(RECORDED[name], "it would be lost") == DIALECT.reply(RECORDED[name], "")


@pytest.mark.parametrize("tool", ["Glob", "Agent", "WebFetch", "ReadMcpResource", "TodoWrite"])
def test_tools_that_name_no_file_cost_no_event(tool: str) -> None:
    spec = CLAUDE.event("PostToolUse")

    assert spec is not None
    assert not re.fullmatch(spec.matcher, tool)


def test_an_empty_field_of_a_template_is_no_agent_and_no_path() -> None:
    event = DIALECT.parse(RECORDED["PostToolUse-Bash-mcp_hook"])

    assert RECORDED["PostToolUse-Bash-mcp_hook"].payload["agent_id"] == ""
    assert event is not None
    assert event.agent == ""


def test_a_call_is_bound_to_its_session_and_subagent_by_the_event_before_it() -> None:
    main = DIALECT.parse(RECORDED["PreToolUse-mcp__plugin_kg_kg__kg_read-mcp_hook"])
    inside = DIALECT.parse(RECORDED["PreToolUse-mcp__plugin_kg_kg__kg_read-subagent-mcp_hook"])
    call = DIALECT.caller(RECORDED["call-mcp"].meta)

    assert main is not None
    assert main.tool is not None
    assert main.tool.kind is ToolKind.OWN
    assert call == Caller(tool_use=main.tool.id)
    assert inside is not None
    assert inside.session == main.session
    assert inside.agent
    assert not main.agent


@pytest.mark.parametrize(
    "text", ["<task-notification>\n<task-id>1</task-id>", "  <task-notification>", "<teammate-message"]
)
def test_what_the_client_says_in_a_persons_place_is_marked(text: str) -> None:
    event = DIALECT.parse(prompt(text))

    assert event is not None
    assert event.machine


@pytest.mark.parametrize("text", ["What is a <task-notification>?", "/compact now", "<html> does not close", ""])
def test_what_a_person_types_is_not_marked(text: str) -> None:
    event = DIALECT.parse(prompt(text))

    assert event is not None
    assert not event.machine


@pytest.mark.parametrize("native", ["Stop", "PreCompact", "PostCompact", "SubagentStop", "Unheard", ""])
def test_events_that_kg_does_not_listen_to_are_nothing(native: str) -> None:
    assert DIALECT.parse(RawEvent(native=native, carrier=Carrier.HOOK_CLIENT, payload={"session_id": "s"})) is None


def test_a_reply_names_the_event_that_asked() -> None:
    reply: dict[str, Any] = json.loads(DIALECT.reply(prompt("hi"), "a lesson\nof two lines"))

    assert reply == {
        "hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "a lesson\nof two lines"},
    }


def test_a_reply_is_one_line_of_json_and_nothing_else() -> None:
    reply = DIALECT.reply(prompt("hi"), "a\nb\x1b[31m")

    assert "\n" not in reply
    assert "\x1b" not in reply


def test_silence_is_an_empty_answer_and_from_a_tool_an_empty_object() -> None:
    tool, process = prompt("hi"), RECORDED["SessionStart-startup-hook_client"]

    assert (DIALECT.reply(tool, ""), DIALECT.reply(process, "")) == ("{}", "")


def test_an_event_before_a_tool_says_nothing() -> None:
    raw = RECORDED["PreToolUse-mcp__plugin_kg_kg__kg_read-mcp_hook"]

    assert DIALECT.reply(raw, "too late to matter") == "{}"


def test_an_edit_is_refused_with_a_reason_and_nothing_else_is() -> None:
    before = RECORDED["PreToolUse-Write-mcp_hook"]
    event = DIALECT.parse(before)
    assert event is not None
    assert event.tool is not None
    assert (event.kind, event.tool.kind) == (EventKind.BEFORE_TOOL, ToolKind.EDIT)
    assert event.tool.paths == ("/home/user/project/new.txt",)

    output = json.loads(CLAUDE.refuser.refuse(before, "Tokens are never logged."))["hookSpecificOutput"]

    assert output == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "Tokens are never logged.",
    }
    assert DIALECT.reply(before, "text") == "{}"
    assert CLAUDE.refuser.refuse(RECORDED["PostToolUse-Write-mcp_hook"], "no") == "{}"
