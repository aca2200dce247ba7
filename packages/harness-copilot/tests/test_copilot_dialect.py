from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kg_harness_copilot import COPILOT
from kg_plugin_api import Caller, Carrier, Event, EventKind, RawEvent, StartSource, ToolKind
from kg_plugin_testing.recordings import recordings

PREFIX, CARRIER = "copilot-1.0.102-", "-hook_client"
RECORDED = {
    name.removeprefix(PREFIX).removesuffix(CARRIER): raw
    for name, raw in recordings(Path(__file__).parent / "payloads").items()
}
DIALECT = COPILOT.dialect


def event(name: str) -> Event:
    found = DIALECT.parse(RECORDED[name])
    assert found is not None
    return found


def raw(native: str, **payload: object) -> RawEvent:
    return RawEvent(native=native, carrier=Carrier.HOOK_CLIENT, payload={"sessionId": "s", **payload})


@pytest.mark.parametrize(("source", "neutral"), [("new", StartSource.STARTUP), ("resume", StartSource.RESUME)])
def test_a_new_session_is_told_from_a_resumed_one(source: str, neutral: StartSource) -> None:
    start = event(f"sessionStart-{source}")

    assert (start.kind, start.source, start.cwd) == (EventKind.SESSION_START, neutral, "/home/user/project")


@pytest.mark.parametrize("source", [None, "", "teleport", 7, ["resume"]])
def test_a_missing_or_unknown_source_counts_as_startup(source: object) -> None:
    start = DIALECT.parse(raw("sessionStart", source=source))

    assert start is not None
    assert start.source is StartSource.STARTUP


def test_a_prompt_is_a_persons_and_a_subagents_is_its_parents() -> None:
    outside, inside = event("userPromptSubmitted"), event("userPromptSubmitted-subagent")

    assert (outside.prompt, outside.machine) == ("Please do the work.", False)
    assert (inside.prompt, inside.machine) == ("Read the file.", True)


def test_all_that_a_subagent_does_belongs_to_one_context_of_its_parents_session() -> None:
    start = event("subagentStart")
    names = ("userPromptSubmitted", "postToolUse-view", "preMcpToolCall-kg_read")
    inside = [event(f"{name}-subagent") for name in names]

    assert start.session == event("userPromptSubmitted").session
    assert start.agent
    assert {(each.session, each.agent) for each in inside} == {(start.session, start.agent)}
    assert event("postToolUse-view").agent == ""


@pytest.mark.parametrize(
    ("name", "kind", "paths"),
    [
        ("view", ToolKind.READ, ("/home/user/project/readme.txt",)),
        ("grep", ToolKind.READ, ("/home/user/project/readme.txt",)),
        ("rg", ToolKind.READ, ("/home/user/project/readme.txt",)),
        ("edit", ToolKind.EDIT, ("/home/user/project/readme.txt",)),
        ("create", ToolKind.EDIT, ("/home/user/project/new.txt",)),
        ("apply_patch", ToolKind.EDIT, ("readme.txt",)),
        ("bash", ToolKind.SHELL, ()),
    ],
)
def test_a_tool_names_its_files(name: str, kind: ToolKind, paths: tuple[str, ...]) -> None:
    tool = event(f"postToolUse-{name}").tool

    assert tool is not None
    assert (tool.kind, tool.paths) == (kind, paths)


def test_a_shell_command_is_passed_on_as_it_is() -> None:
    tool = event("postToolUse-bash").tool

    assert tool is not None
    assert tool.command == "cat new.txt"


def test_a_patch_names_each_of_its_files_once() -> None:
    lines = ("*** Update File: a b.py", "*** Move to: c.py", "*** Delete File: d.py\r", "*** Add File: a b.py")
    patched = DIALECT.parse(raw("postToolUse", toolName="apply_patch", toolArgs="\n".join(lines)))

    assert patched is not None
    assert patched.tool is not None
    assert patched.tool.paths == ("a b.py", "c.py", "d.py")


def test_a_tool_of_another_server_is_not_ours() -> None:
    theirs = DIALECT.parse(raw("preMcpToolCall", serverName="kgb", toolName="kg_read"))
    ours = event("preMcpToolCall-kg_read").tool

    assert theirs is not None
    assert theirs.tool is not None
    assert theirs.tool.kind is ToolKind.OTHER
    assert ours is not None
    assert (ours.name, ours.kind) == ("kg-kg_read", ToolKind.OWN)


def test_a_compaction_tells_why_it_happens() -> None:
    compaction = event("preCompact-manual")

    assert (compaction.kind, compaction.trigger) == (EventKind.COMPACT, "manual")


@pytest.mark.parametrize(
    "native", ["agentStop", "sessionEnd", "postToolUseFailure", "permissionRequest", "Unheard", ""]
)
def test_events_that_kg_does_not_listen_to_are_nothing(native: str) -> None:
    assert DIALECT.parse(raw(native)) is None


@pytest.mark.parametrize("native", ["sessionStart", "userPromptSubmitted", "postToolUse", "subagentStart"])
def test_a_reply_is_flat(native: str) -> None:
    assert json.loads(DIALECT.reply(raw(native), "a lesson")) == {"additionalContext": "a lesson"}


def test_no_text_is_no_output() -> None:
    assert DIALECT.reply(RECORDED["userPromptSubmitted"], "") == ""


@pytest.mark.parametrize("name", ["preMcpToolCall-kg_read", "preMcpToolCall-kg_read-subagent"])
def test_a_call_is_made_to_name_the_context_that_its_events_name(name: str) -> None:
    reply: dict[str, Any] = json.loads(DIALECT.reply(RECORDED[name], ""))

    caller = DIALECT.caller(reply["metaToUse"])

    assert reply.keys() == {"metaToUse"}
    assert (caller.session, caller.agent) == (event(name).session, event(name).agent)


def test_what_a_call_carries_already_is_kept() -> None:
    reply = json.loads(DIALECT.reply(raw("preMcpToolCall", _meta={"theirs": 1}), "text for nobody"))

    assert reply == {"metaToUse": {"theirs": 1, "kg/session": "s"}}


def test_a_call_without_our_meta_names_nobody() -> None:
    assert DIALECT.caller({"progressToken": 1}) == Caller()


@pytest.mark.parametrize("name", ["edit", "create", "apply_patch"])
def test_an_edit_is_refused_with_a_reason(name: str) -> None:
    before = RECORDED[f"preToolUse-{name}"]

    assert COPILOT.refuser is not None
    assert json.loads(COPILOT.refuser.refuse(before, "Tokens are never logged.")) == {
        "permissionDecision": "deny",
        "permissionDecisionReason": "Tokens are never logged.",
    }
    assert DIALECT.reply(before, "text") == ""


def test_a_call_of_ours_cannot_be_refused_and_still_names_its_context() -> None:
    before = RECORDED["preMcpToolCall-kg_read"]

    assert COPILOT.refuser is not None
    assert COPILOT.refuser.refuse(before, "no") == DIALECT.reply(before, "")
