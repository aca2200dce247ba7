"""The drivers themselves: each client runs against its scripted model, and what a hook says is in the record."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from .endpoint import Call, Turn

if TYPE_CHECKING:
    from .claude import Claude
    from .codex import Codex
    from .machine import Machine

pytestmark = pytest.mark.acceptance


def test_claude_code_runs_a_hook_and_a_tool_and_both_reach_the_model(machine: Machine, claude: Claude) -> None:
    settings = json.loads((claude.config / "settings.json").read_text(encoding="utf-8"))
    settings["hooks"] = {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "echo a trivial hook"}]}]}
    (claude.config / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    folder = machine.repository()
    read = Call(name="Read", arguments={"file_path": str(folder / "readme.txt")})
    claude.model.script(Turn(calls=(read,)), Turn(text="It says alpha."))

    run = claude.run("What does the file say?", folder)

    first, second = claude.model.asked()
    assert "a trivial hook" in first.text
    assert "What does the file say?" in first.text
    assert "alpha" in second.since(first)
    assert run.said == "It says alpha."


def test_codex_runs_a_hook_and_a_tool_and_both_reach_the_model(machine: Machine, codex: Codex) -> None:
    folder = machine.repository()
    codex.model.script(
        Turn(calls=(Call(name="exec_command", arguments={"cmd": "cat readme.txt"}),)), Turn(text="Alpha.")
    )
    hook = 'hooks.UserPromptSubmit=[{hooks=[{type="command",command="echo a trivial hook",timeout=5}]}]'

    run = codex.run("What does the file say?", folder, hook, trust=True)

    first, second = codex.model.asked()
    assert first.place("What does the file say?") < first.place("a trivial hook")
    assert "alpha" in second.since(first)
    assert run.said == "Alpha."


def test_both_clients_take_several_prompts_in_one_session(machine: Machine, claude: Claude, codex: Codex) -> None:
    folder = machine.repository()
    with claude.talk(folder) as talk:
        sessions = {talk.say("first").session, talk.say("second").session}
    with codex.talk(folder) as thread:
        thread.say("first")
        thread.say("second")

    assert len(sessions) == 1
    for model in (claude.model, codex.model):
        first, second = model.asked()
        assert "first" in first.text
        assert second.place("first") < second.place("second")


def test_nothing_but_loopback_is_reachable(machine: Machine) -> None:
    probe = "import socket; socket.create_connection(('192.0.2.1', 80), 5)"
    done = machine.run("python3", "-c", probe, check=False)

    assert done.returncode == 1
    assert "Error" in done.stderr
