from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kg_harness_antigravity import ANTIGRAVITY
from kg_plugin_api import Caller, Carrier, Event, EventKind, RawEvent, ToolKind, ToolUse
from kg_plugin_testing.recordings import recordings

DESCRIBED = {
    name.removeprefix("antigravity-1.2-"): raw for name, raw in recordings(Path(__file__).parent / "payloads").items()
}
DIALECT = ANTIGRAVITY.dialect
CONVERSATION = "5f0c6c1e-8a52-4b43-9d0f-3f6f0f3b7a11"


def parsed(raw: RawEvent) -> Event:
    event = DIALECT.parse(raw)
    assert event is not None
    return event


def with_payload(name: str, **fields: object) -> RawEvent:
    raw = DESCRIBED[name]
    return replace(raw, payload={**raw.payload, **fields})


def tool(name: str, args: object, **fields: object) -> ToolUse:
    event = parsed(with_payload("PostToolUse-view_file", toolCall={"name": name, "args": args}, **fields))
    assert event.tool is not None
    return event.tool


def test_events_say_which_conversation_they_are_of_and_where_it_works() -> None:
    event = parsed(DESCRIBED["SessionStart"])

    assert (event.kind, event.session, event.agent) == (EventKind.SESSION_START, CONVERSATION, "")
    assert event.cwd == "/home/user/project"
    assert event.transcript.endswith("/transcript_full.jsonl")


def test_the_prompt_is_left_to_the_transcript() -> None:
    event = parsed(DESCRIBED["PreInvocation-first"])

    assert (event.kind, event.prompt) == (EventKind.PROMPT, "")


def test_one_call_of_the_model_is_told_from_the_next() -> None:
    first, second = parsed(DESCRIBED["PreInvocation-first"]), parsed(DESCRIBED["PreInvocation-second"])

    assert first.trigger
    assert first.trigger != second.trigger
    assert parsed(with_payload("PreInvocation-first", initialNumSteps="many")).trigger == ""


@pytest.mark.parametrize("folders", [[], None, "x", ["relative/folder"], [7]])
def test_without_an_absolute_folder_the_place_is_not_known(folders: object) -> None:
    assert parsed(with_payload("SessionStart", workspacePaths=folders)).cwd == ""


@pytest.mark.parametrize(
    "transcript",
    [
        "/home/user/.gemini/antigravity/brain/x/.system_generated/logs/transcript_full.jsonl",
        "/home/user/Library/Antigravity/transcript.jsonl",
    ],
)
def test_what_the_editor_and_the_desktop_program_send_is_not_the_command_lines(transcript: str) -> None:
    assert DIALECT.parse(with_payload("SessionStart", transcriptPath=transcript)) is None


@pytest.mark.parametrize("conversation", [None, "", 7, "x" * 129])
def test_an_event_without_a_usable_conversation_is_nothing(conversation: object) -> None:
    assert DIALECT.parse(with_payload("SessionStart", conversationId=conversation)) is None


@pytest.mark.parametrize("native", ["PreToolUse", "PostInvocation", "Stop", "UserPromptSubmit", "SessionEnd", ""])
def test_events_that_kg_does_not_listen_to_are_nothing_and_get_no_reply(native: str) -> None:
    raw = replace(DESCRIBED["SessionStart"], native=native)

    assert DIALECT.parse(raw) is None
    assert DIALECT.reply(raw, "text") == DIALECT.reply(raw, "") == ""


@pytest.mark.parametrize(
    ("name", "args", "kind"),
    [
        ("view_file", {"AbsolutePath": "/p/a.py"}, ToolKind.READ),
        ("write_to_file", {"TargetFile": "/p/a.py"}, ToolKind.EDIT),
        ("replace_file_content", {"TargetFile": "/p/a.py"}, ToolKind.EDIT),
        ("multi_replace_file_content", {"TargetFile": "/p/a.py"}, ToolKind.EDIT),
        ("read_file", {"Path": "/p/a.py"}, ToolKind.READ),
        ("replace_file_content", {"Path": "/p/a.py"}, ToolKind.EDIT),
        ("open_document", {"AbsolutePath": "/p/a.py"}, ToolKind.READ),
        ("change_document", {"TargetFile": "/p/a.py"}, ToolKind.EDIT),
    ],
)
def test_files_are_found_under_the_names_of_all_versions(name: str, args: object, kind: ToolKind) -> None:
    for given in (args, json.dumps(args)):
        used = tool(name, given)

        assert (used.kind, used.paths, used.command) == (kind, ("/p/a.py",), "")


def test_a_command_comes_with_the_folder_in_which_it_ran() -> None:
    event = parsed(DESCRIBED["PostToolUse-run_command"])

    assert event.tool == ToolUse(
        name="run_command",
        kind=ToolKind.SHELL,
        id="step-7",
        command="cat readme.txt",
        workdir="/home/user/project",
    )


@pytest.mark.parametrize("args", [None, 5, "not json", "[1]", {"Path": ["x"]}, {"Unheard": "/p/a.py"}])
def test_an_unknown_tool_names_no_file(args: object) -> None:
    assert tool("new_tool", args).paths == ()


def test_a_tool_that_failed_says_so() -> None:
    assert tool("view_file", {"AbsolutePath": "/p/a.py"}, error="no such file").failed
    assert not tool("view_file", {"AbsolutePath": "/p/a.py"}, error="").failed


def test_a_reply_is_one_step_with_a_message_of_the_system_and_nothing_else() -> None:
    for name in ("SessionStart", "PreInvocation-first"):
        assert json.loads(DIALECT.reply(DESCRIBED[name], "a lesson")) == {
            "injectSteps": [{"systemMessage": {"systemMessage": "a lesson"}}]
        }


def test_nothing_to_say_is_an_empty_object() -> None:
    assert DIALECT.reply(DESCRIBED["PreInvocation-first"], "") == "{}"
    assert DIALECT.reply(DESCRIBED["PostToolUse-view_file"], "text") == "{}"


def test_no_event_before_a_tool_is_registered_for_there_an_empty_reply_refuses_it() -> None:
    assert EventKind.BEFORE_TOOL not in {spec.kind for spec in ANTIGRAVITY.events}
    assert ANTIGRAVITY.refuser is None


def test_a_call_names_its_conversation() -> None:
    assert DIALECT.caller(DESCRIBED["call-mcp"].meta) == Caller(session=CONVERSATION)


@pytest.mark.parametrize("meta", [{}, {"antigravity.google/conversation_id": 5}, {"session": "s"}])
def test_a_call_without_a_conversation_names_nobody(meta: dict[str, object]) -> None:
    assert DIALECT.caller(meta) == Caller()


def test_text_waits_for_the_event_that_can_bring_it() -> None:
    after = ANTIGRAVITY.event("PostToolUse")

    assert after is not None
    assert after.carrier is Carrier.HOOK_CLIENT
    assert (after.injects, after.delivered_by) == (False, "PreInvocation")
