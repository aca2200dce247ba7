"""The recorded payloads of the harness packages are what the real clients send.

``RECORD_PAYLOADS=1 pytest tests/acceptance/test_recordings.py`` writes them anew.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from kg_harness_claude import CLAUDE
from kg_harness_codex import CODEX
from kg_harness_copilot import COPILOT
from kg_plugin_api import JsonEntry, JsonItem, Launch, OwnedFile, Site, TomlTable

from .endpoint import Call, Request, Turn
from .recording import recorded, shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kg_plugin_api import Claim, Harness

    from .claude import Claude
    from .codex import Codex
    from .copilot import Copilot
    from .machine import Machine

pytestmark = pytest.mark.acceptance

PACKAGES: Final = Path(__file__).parents[2] / "packages"
CAPTURE: Final = str(Path(__file__).with_name("capture.py"))

CLAUDE_EVENTS: Final = (
    *("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PreCompact"),
    *("PostCompact", "Stop", "SubagentStart", "SubagentStop", "SessionEnd"),
)
CODEX_EVENTS: Final = (
    *("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "PostCompact", "Stop"),
    *("SubagentStart", "SubagentStop", "SessionEnd"),
)
COPILOT_EVENTS: Final = (
    *("sessionStart", "userPromptSubmitted", "preToolUse", "permissionRequest", "preMcpToolCall", "postToolUse"),
    *("postToolUseFailure", "preCompact", "subagentStart", "subagentStop", "agentStop", "sessionEnd"),
)


def site(harness: Harness, machine: Machine, config: Path, log: Path) -> Site:
    """A machine on which the captures stand in for kg's carriers."""
    hook = {spec.native: _hook(log, spec.native) for spec in harness.events}
    launch = Launch(shim=(sys.executable, CAPTURE, "mcp", str(log)), hook=hook)
    own = machine.memory / "harnesses" / harness.name
    return Site(home=machine.home, config=config, own=own, launch=launch, environ={})


def apply(claims: Iterable[Claim]) -> None:
    """Writes claims into a home that holds nothing else."""
    for claim in claims:
        claim.path.parent.mkdir(parents=True, exist_ok=True)
        match claim:
            case OwnedFile():
                claim.path.write_text(claim.text, encoding="utf-8")
            case JsonEntry() | JsonItem():
                settings = json.loads(claim.path.read_text(encoding="utf-8")) if claim.path.exists() else {}
                place = settings
                for key in claim.keys[:-1]:
                    place = place.setdefault(key, {})
                if isinstance(claim, JsonEntry):
                    place[claim.keys[-1]] = claim.value
                else:
                    place.setdefault(claim.keys[-1], []).append(claim.value)
                claim.path.write_text(json.dumps(settings), encoding="utf-8")
            case TomlTable():
                lines = [f"{key} = {json.dumps(value)}" for key, value in claim.values.items()]
                with claim.path.open("a", encoding="utf-8") as file:
                    file.write("\n".join([f"[{'.'.join(map(json.dumps, claim.keys))}]", *lines, ""]))
            case _:
                pytest.fail(f"unknown claim {claim}")


def compare(harness: Harness, found: Mapping[str, Mapping[str, Any]]) -> None:
    """Each event that came has a recording of the same shape, and each recording came."""
    folder = PACKAGES / f"harness-{harness.name}" / "tests" / "payloads"
    prefix = f"{harness.name}-{harness.recognition.tested_versions[0]}-"
    if os.environ.get("RECORD_PAYLOADS") == "1":
        folder.mkdir(exist_ok=True)
        for old in folder.glob("*.json"):
            old.unlink()
        for name, event in found.items():
            text = json.dumps(event, indent=2, ensure_ascii=False) + "\n"
            (folder / f"{prefix}{name}.json").write_text(text, encoding="utf-8")
    kept = {file.stem.removeprefix(prefix): json.loads(file.read_text(encoding="utf-8")) for file in folder.iterdir()}
    assert {name: shape(event) for name, event in found.items()} == {name: shape(event) for name, event in kept.items()}


def test_claude_code_sends_what_was_recorded(machine: Machine, claude: Claude, tmp_path: Path) -> None:
    log = tmp_path / "captured.jsonl"
    folder = machine.repository()
    apply(CLAUDE.wiring.claims(site(CLAUDE, machine, claude.config, log)))
    settings = json.loads((claude.config / "settings.json").read_text(encoding="utf-8"))
    settings["permissions"]["allow"] += ["Write", "NotebookEdit"]
    settings["hooks"] = {native: [{"hooks": [_command(log, native)]}] for native in CLAUDE_EVENTS}
    (claude.config / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    file = str(folder / "readme.txt")
    cell = {"cell_type": "code", "id": "one", "metadata": {}, "outputs": [], "source": "1", "execution_count": None}
    notebook = folder / "sums.ipynb"
    notebook.write_text(
        json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8"
    )
    changed = {"notebook_path": str(notebook), "cell_id": "one", "new_source": "2"}
    own = Call(name=f"{CLAUDE.tool_prefix}kg_read")
    errand = {"description": "An errand", "prompt": "Read the file.", "subagent_type": "general-purpose"}
    claude.model.script(
        Turn(calls=(Call(name="Read", arguments={"file_path": file}),)),
        Turn(calls=(Call(name="Edit", arguments={"file_path": file, "old_string": "alpha", "new_string": "beta"}),)),
        Turn(calls=(Call(name="Write", arguments={"file_path": str(folder / "new.txt"), "content": "gamma\n"}),)),
        Turn(calls=(Call(name="Bash", arguments={"command": "cat new.txt", "description": "Show it"}),)),
        Turn(calls=(Call(name="Read", arguments={"file_path": str(folder / "missing.txt")}),)),
        Turn(calls=(own,)),
        Turn(calls=(Call(name="Agent", arguments={**errand, "run_in_background": False}),)),
        Turn(calls=(Call(name="Read", arguments={"file_path": str(notebook)}),)),
        Turn(calls=(Call(name="NotebookEdit", arguments=changed),)),
        Turn(calls=(Call(name="Bash", arguments={"command": "cat missing.txt", "description": "Show it"}),)),
        subagent=(Turn(calls=(Call(name="Read", arguments={"file_path": file}), own)), Turn(text="It says beta.")),
    )

    session = claude.run("Please do the work.", folder).session
    claude.run("And again.", folder, resume=session)
    claude.run("And elsewhere.", folder, "--fork-session", resume=session)
    claude.run("/compact keep the file", folder, resume=session)
    claude.run("/clear", folder, resume=session)

    compare(CLAUDE, recorded(log, machine, folder))


def test_codex_sends_what_was_recorded(machine: Machine, codex: Codex, tmp_path: Path) -> None:
    log = tmp_path / "captured.jsonl"
    folder = machine.repository()
    apply(CODEX.wiring.claims(site(CODEX, machine, codex.config, log)))
    hooks = [
        f'hooks.{native}=[{{hooks=[{{type="command",command={json.dumps(_hook(log, native))},timeout=3}}]}}]'
        for native in CODEX_EVENTS
    ]
    shown = Call(name="exec_command", arguments={"cmd": "cat readme.txt"})
    own = Call(name="kg_read", namespace="mcp__kg")
    errand = Call(name="spawn_agent", namespace="multi_agent_v1", arguments={"message": "Read the file."})
    codex.model.script(
        Turn(calls=(shown,)),
        Turn(calls=(own,)),
        Turn(calls=(errand,)),
        _wait,
        subagent=(Turn(calls=(shown,)), Turn(calls=(own,)), Turn(text="It says alpha.")),
    )

    session = codex.run("Please do the work.", folder, *hooks, trust=True).session
    codex.run("And again.", folder, *hooks, trust=True, resume=session)
    codex.run("And elsewhere.", folder, *hooks, trust=True, fork=session)
    codex.model.script(Turn(calls=(shown,), tokens=9_000))
    limit = "model_auto_compact_token_limit=5000"
    codex.run("Go on for long.", folder, *hooks, limit, trust=True)
    lines = (
        "*** Begin Patch",
        "*** Update File: readme.txt",
        "@@",
        "-alpha",
        "+beta",
        "*** Add File: new.txt",
        "+gamma",
    )
    patch = json.dumps("\n".join((*lines, "*** End Patch")))
    codex.model.script(Turn(calls=(Call(name="exec", arguments={"input": f"await tools.apply_patch({patch})"}),)))
    codex.run("Patch it.", folder, *hooks, trust=True, model="gpt-6.2-sol")

    compare(CODEX, recorded(log, machine, folder))


def test_copilot_sends_what_was_recorded(machine: Machine, copilot: Copilot, tmp_path: Path) -> None:
    log = tmp_path / "captured.jsonl"
    folder = machine.repository()
    apply(COPILOT.wiring.claims(site(COPILOT, machine, copilot.config, log)))
    hooks = {native: [{"type": "command", "bash": _hook(log, native), "timeoutSec": 5}] for native in COPILOT_EVENTS}
    (copilot.config / "hooks" / "kg.json").write_text(json.dumps({"version": 1, "hooks": hooks}), encoding="utf-8")
    file = str(folder / "readme.txt")
    shown = Call(name="view", arguments={"path": file})
    own = Call(name=f"{COPILOT.tool_prefix}kg_read")
    errand = {"agent_type": "general-purpose", "name": "errand", "description": "An errand", "prompt": "Read the file."}
    patch = "\n".join(("*** Begin Patch", "*** Update File: readme.txt", "@@", "-beta", "+gamma", "*** End Patch", ""))
    copilot.model.script(
        Turn(calls=(shown,)),
        Turn(calls=(Call(name="grep", arguments={"pattern": "alpha", "path": file}),)),
        Turn(calls=(Call(name="edit", arguments={"path": file, "old_str": "alpha", "new_str": "beta"}),)),
        Turn(calls=(Call(name="create", arguments={"path": str(folder / "new.txt"), "file_text": "gamma"}),)),
        Turn(calls=(Call(name="bash", arguments={"command": "cat new.txt", "description": "Show it"}),)),
        Turn(calls=(Call(name="view", arguments={"path": str(folder / "missing.txt")}),)),
        Turn(calls=(own,)),
        Turn(calls=(Call(name="task", arguments={**errand, "mode": "sync"}),)),
        subagent=(Turn(calls=(shown,)), Turn(calls=(own,)), Turn(text="It says beta.")),
    )

    session = copilot.run("Please do the work.", folder).session
    copilot.model.script(
        Turn(calls=(Call(name="apply_patch", arguments={"input": patch}),)),
        Turn(calls=(Call(name="rg", arguments={"pattern": "gamma", "path": file}),)),
    )
    copilot.run("And again.", folder, resume=session, COPILOT_PROVIDER_MODEL_ID="gpt-5.3-codex")
    with copilot.talk(folder) as talk:
        talk.say("Hello.")
        talk.say("/compact")

    compare(COPILOT, recorded(log, machine, folder))


def _wait(request: Request) -> Turn:
    started = re.findall(r'"agent_id":"([0-9a-f-]{36})"', request.text)
    arguments = {"targets": started, "timeout_ms": 20_000}
    return Turn(calls=(Call(name="wait_agent", namespace="multi_agent_v1", arguments=arguments),))


def _command(log: Path, native: str) -> dict[str, object]:
    return {"type": "command", "command": _hook(log, native), "timeout": 5}


def _hook(log: Path, native: str) -> str:
    return f"{sys.executable} {CAPTURE} hook {log} {native}"
