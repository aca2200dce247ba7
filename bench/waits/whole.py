"""Ways to bring all active lessons in front of a model when its session starts, each as one subject."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from tests.acceptance.anthropic import Messages
from tests.acceptance.claude import Claude
from tests.acceptance.clients import client
from tests.acceptance.codex import Codex
from tests.acceptance.endpoint import Call
from tests.acceptance.lessons import by_hand, many
from tests.acceptance.openai import Responses

from kg_core.host import Plugins
from kg_core.store import Home
from kg_server.setup.launch import launch
from waits import peer
from waits.clients import MCP, PROCESS, Client
from waits.figures import BARE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.machine import Machine

    from waits.clients import Stage
    from waits.session import Session

ONE: Final = "the core, by one hook"
SEVERAL: Final = "all, by five hooks at the start"
PROMPTS: Final = "all, by five hooks with each prompt"
UNLIMITED: Final = "all, by one command hook without a limit"

_LESSONS: Final = 100
_HOOKS: Final = 5


def _prepare(machine: Machine, harness: str, subject: str) -> None:
    by_hand(machine, many(_LESSONS))
    if subject == SEVERAL:
        (machine.memory / "config.toml").write_text("[preload]\nwhole = true\n", encoding="utf-8")
    if subject != BARE:
        machine.setup(harness)


def _claude(stage: Stage, subject: str) -> Session:
    machine, _ = stage.machine("claude")
    model = stage.model(Messages())
    claude = Claude(machine, model)
    _prepare(machine, "claude", subject)
    if subject == PROMPTS:
        _edit(machine.memory / "harnesses" / "claude" / "kg" / "hooks" / "hooks.json", _several_with_a_prompt)
    folder = machine.repository()
    look = Call(name="Read", arguments={"file_path": str(folder / "readme.txt")})
    return stage.session(lambda: claude.talk(folder), model, look)


def _codex(stage: Stage, subject: str) -> Session:
    machine, _ = stage.machine("codex")
    model = stage.model(Responses())
    codex = Codex(machine, model)
    _prepare(machine, "codex", subject)
    if subject == UNLIMITED:
        installed = codex.config / "plugins" / "cache" / "kg" / "kg" / "1.0.0" / "hooks" / "hooks.json"
        _edit(installed, lambda hooks: _one_command(machine, hooks))
        peer.trust(machine, codex.config, client("codex"))
    look = Call(name="exec_command", arguments={"cmd": "cat readme.txt"})
    folder = machine.repository()
    return stage.session(lambda: codex.talk(folder), model, look)


def _several_with_a_prompt(hooks: dict[str, Any]) -> None:
    (group,) = hooks["UserPromptSubmit"]
    (hook,) = group["hooks"]
    group["hooks"] = [{**hook, "input": {**hook["input"], "part": part}} for part in range(1, 1 + _HOOKS)]


def _one_command(machine: Machine, hooks: dict[str, Any]) -> None:
    harness = Plugins.load().harness("codex")
    assert harness is not None
    command = launch(Home(machine.memory), harness).hook["SessionStart"]
    (group,) = hooks["SessionStart"]
    group["hooks"] = [{"type": "command", "command": command, "timeout": 5, "additionalContextLimit": 0}]


def _edit(file: Path, change: Any) -> None:
    found = json.loads(file.read_text(encoding="utf-8"))
    change(found["hooks"])
    file.write_text(json.dumps(found), encoding="utf-8")


WAYS: Final = (
    Client(
        name="Claude Code",
        program="claude",
        looking="after a file was read",
        carriers={BARE: "", ONE: MCP, SEVERAL: MCP, PROMPTS: MCP},
        starts={ONE: PROCESS, SEVERAL: PROCESS, PROMPTS: PROCESS},
        bases={},
        open=_claude,
    ),
    Client(
        name="Codex CLI",
        program="codex",
        looking="after a shell command",
        carriers={BARE: "", ONE: MCP, SEVERAL: MCP, UNLIMITED: MCP},
        starts={UNLIMITED: PROCESS},
        bases={},
        open=_codex,
    ),
)
"""The clients that limit each hook and not all of them together, with the ways that each of them has."""
