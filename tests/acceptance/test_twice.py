"""Hooks that are registered more than once, beside the plug-in also in settings, say everything once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from .endpoint import Call, Turn
from .lessons import by_claude, many, times

if TYPE_CHECKING:
    from pathlib import Path

    from .claude import Claude
    from .codex import Codex
    from .endpoint import Endpoint
    from .machine import Machine

pytestmark = pytest.mark.acceptance

FILE = "src/auth/token.py"
ON_FILE = "Tokens are compared in constant time, or their length leaks to whoever measures."
ON_PROMPT = "The kettle whistle is tuned by its second hole."
PRELOADED = "filler-lesson-149: "
NEWS = "The ledger export wants a comma even in German."


@pytest.fixture
def project(machine: Machine, claude: Claude, codex: Codex) -> Path:
    """A repository whose memory holds an old lesson on a file and one on kettles behind many newer ones."""
    del claude, codex  # their users' own settings are there before kg is
    folder = machine.repository()
    (folder / FILE).parent.mkdir(parents=True)
    (folder / FILE).write_text("the text\n", encoding="utf-8")
    old = {"created": "2026-01-01T00:00:00.000Z"}
    nodes = {
        "constant-time-tokens": {**old, "gist": f"{ON_FILE} {'It was so in each case. ' * 20}", "touches": [FILE]},
        "kettle-whistle-pitch": {**old, "gist": f"{ON_PROMPT} {'And so it was in each house. ' * 12}"},
    }
    memory = machine.memory / "memory" / "projects" / "shop"
    memory.mkdir(parents=True)
    graph = {"format": 1, "nodes": {**nodes, **many(150)}, "edges": []}
    (memory / "graph.json").write_text(json.dumps(graph), encoding="utf-8")
    (memory / "project.toml").write_text(f"roots = [{json.dumps(str(folder))}]\n", encoding="utf-8")
    machine.setup()
    return folder


def said_once(model: Endpoint) -> None:
    """The preload, the recall by prompt and by file and the news of another session stand once in the last request."""
    texts = [item.text for item in model.asked()[-1].items if item.role != "call"]
    assert [times(texts, text) for text in (PRELOADED, ON_PROMPT, ON_FILE, NEWS)] == [1, 1, 1, 1]


def write(file: Path, hooks: dict[str, Any], settings: dict[str, Any] | None = None) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({**(settings or {}), "hooks": hooks}), encoding="utf-8")


def test_hooks_of_claude_code_in_the_users_and_the_projects_settings_too_say_everything_once(
    project: Path, machine: Machine, claude: Claude
) -> None:
    plugin = machine.memory / "harnesses" / "claude" / "kg" / "hooks" / "hooks.json"
    hooks = json.loads(plugin.read_text(encoding="utf-8"))["hooks"]
    users = claude.config / "settings.json"
    write(users, differing(hooks, "user"), json.loads(users.read_text(encoding="utf-8")))
    write(project / ".claude" / "settings.json", differing(hooks, "project"))
    with claude.talk(project, "--include-hook-events") as talk:
        started = talk.say("Hello.")
        claude.model.script(Turn(calls=(by_claude("kg_put_node", level="project", id="comma", gist=NEWS),)))
        claude.run("Remember the comma.", project)
        claude.model.script(Turn(calls=(Call(name="Read", arguments={"file_path": str(project / FILE)}),)))
        asked = talk.say("Why is the kettle whistle off?")

    ran = [event["hook_event"] for run in (started, asked) for event in run.events if _has_run(event)]
    assert {native: ran.count(native) for native in ("SessionStart", "UserPromptSubmit", "PostToolUse")} == {
        "SessionStart": 3,
        "UserPromptSubmit": 6,
        "PostToolUse": 3,
    }
    said_once(claude.model)


def _has_run(event: Any) -> bool:
    return event.get("subtype") == "hook_response"


def differing(hooks: dict[str, Any], where: str) -> dict[str, Any]:
    """The hooks in other words: of those that are alike word for word, the client itself runs one."""
    changed = json.loads(json.dumps(hooks))
    for hook in (hook for groups in changed.values() for group in groups for hook in group["hooks"]):
        if hook["type"] == "command":
            hook["command"] = f": {where}; {hook['command']}"
        else:
            hook["input"]["where"] = where
    return changed


def test_hooks_of_codex_in_the_users_and_the_projects_settings_too_say_everything_once(
    project: Path, machine: Machine, codex: Codex, claude: Claude
) -> None:
    plugin = machine.memory / "harnesses" / "codex" / "plugins" / "kg" / "hooks" / "hooks.json"
    hooks = json.loads(plugin.read_text(encoding="utf-8"))["hooks"]
    write(codex.config / "hooks.json", hooks)
    write(project / ".codex" / "hooks.json", hooks)
    trusted = f'projects={{{json.dumps(str(project))}={{trust_level="trusted"}}}}'
    session = codex.run("Hello.", project, trusted, trust=True).session
    claude.model.script(Turn(calls=(by_claude("kg_put_node", level="project", id="comma", gist=NEWS),)))
    claude.run("Remember the comma.", project)
    codex.model.script(Turn(calls=(Call(name="exec_command", arguments={"cmd": f"cat {FILE}"}),)))

    told = codex.told("Why is the kettle whistle off?", project, trusted, resume=session)

    ran = [told.count(f"hook: {native} Completed") for native in ("SessionStart", "UserPromptSubmit", "PostToolUse")]
    assert ran == [3, 3, 3]
    said_once(codex.model)
