"""The stand-in itself: it is as strict as the client is known to be, and says how each of that is known."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from .antigravity import client, hooks, messages, server, transcript
from .antigravity.client import Client
from .antigravity.evidence import FACTS, PLAYED
from .antigravity.messages import Reply, VoidError, parse

if TYPE_CHECKING:
    from pathlib import Path

MODULES = (client, hooks, messages, server, transcript)
MESSAGE = {"injectSteps": [{"systemMessage": {"systemMessage": "a lesson"}}]}


def printed(value: object) -> bytes:
    return json.dumps(value).encode()


def test_every_fact_is_played_somewhere() -> None:
    assert set(FACTS) == PLAYED


def test_a_message_of_the_system_reaches_the_model() -> None:
    assert parse("PreInvocation", printed(MESSAGE)) == Reply(("a lesson",))
    assert parse("PostToolUse", b"{}") == Reply()


@pytest.mark.parametrize(
    "reply",
    [
        {**MESSAGE, "systemMessage": "said to the person"},
        {"hookSpecificOutput": {"hookEventName": "PreInvocation", "additionalContext": "a lesson"}},
        {"injectSteps": [{"systemMessage": {"systemMessage": "a lesson", "priority": 1}}]},
        {"injectSteps": [{"systemMessage": "a lesson"}]},
        {"injectSteps": {"systemMessage": {"systemMessage": "a lesson"}}},
        {"injectSteps": [{"systemMessage": {"systemMessage": 5}}]},
        ["a lesson"],
    ],
    ids=lambda value: json.dumps(value)[:40],
)
def test_one_unknown_key_or_wrong_type_voids_the_whole_reply(reply: object) -> None:
    with pytest.raises(VoidError):
        parse("PreInvocation", printed(reply))


@pytest.mark.parametrize("text", [b"", b"a lesson", b"\xff", b"{} {}"])
def test_what_is_no_json_object_is_void(text: bytes) -> None:
    with pytest.raises(VoidError):
        parse("PreInvocation", text)


def test_an_event_that_cannot_inject_takes_no_message() -> None:
    with pytest.raises(VoidError):
        parse("PostToolUse", printed(MESSAGE))


def test_an_empty_reply_before_a_tool_refuses_it() -> None:
    assert parse("PreToolUse", b"{}").decision == "deny"
    assert parse("PreToolUse", printed({"decision": "allow"})).decision == "allow"


def test_a_message_of_forty_thousand_bytes_arrives_whole_and_a_longer_one_is_cut() -> None:
    for size, arrives in ((40_000, 40_000), (58_443, 48_926)):
        message = {"injectSteps": [{"systemMessage": {"systemMessage": "x" * size}}]}

        assert len(parse("PreInvocation", printed(message)).messages[0]) == arrives


def bundle(**events: Any) -> dict[str, Any]:
    return {"theirs": {"enabled": True, **events}}


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "command", "command": "true", "timeout": 5.0},
        {"type": "command", "command": "true", "timeout": "5"},
        {"type": "command"},
        {"matcher": "*", "hooks": [{"type": "command", "command": "true"}]},
    ],
    ids=json.dumps,
)
def test_one_invalid_entry_drops_every_hook_of_the_file(tmp_path: Path, entry: dict[str, Any]) -> None:
    good = {"type": "command", "command": "true", "timeout": 5}
    file, log = tmp_path / "hooks.json", list[str]()
    file.write_text(json.dumps(bundle(PreInvocation=[good], SessionStart=[good])), encoding="utf-8")
    assert len(hooks.read(file, log)) == 2

    file.write_text(json.dumps(bundle(PreInvocation=[good], SessionStart=[entry])), encoding="utf-8")

    assert hooks.read(file, log) == []
    assert len(log) == 1


def test_a_plug_in_is_copied_and_an_address_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    (folder / "rules").mkdir(parents=True)
    (folder / "plugin.json").write_text('{"name": "theirs"}', encoding="utf-8")
    (folder / "rules" / "rule.md").write_text("---\ntrigger: always_on\n---\nBe kind.\n", encoding="utf-8")
    there = Client(tmp_path / "home", {})

    place = there.install(folder)

    assert place == tmp_path / "home" / ".gemini" / "config" / "plugins" / "theirs"
    assert "Be kind." in there.rules()
    with pytest.raises(ValueError, match="only a folder"):
        there.install("git+ssh://example/theirs")


def test_a_permission_is_needed_and_a_denial_goes_first(tmp_path: Path) -> None:
    file = tmp_path / ".gemini" / "antigravity-cli" / "settings.json"
    file.parent.mkdir(parents=True)
    there = Client(tmp_path, {})
    assert not there.allows("kg_memory", "kg_read")

    file.write_text('{"permissions": {"allow": ["mcp(kg_memory/kg_read)"]}}', encoding="utf-8")
    assert there.allows("kg_memory", "kg_read")
    assert not there.allows("kg_memory", "kg_delete_node")

    file.write_text('{"permissions": {"allow": ["mcp(*)"], "ask": ["mcp(kg_memory/*)"]}}', encoding="utf-8")
    assert not there.allows("kg_memory", "kg_read")
