"""The commands that set-up writes into clients' settings, run by a shell against the real server."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from kg_core.store import Home
from kg_harness_antigravity import ANTIGRAVITY
from kg_harness_claude import CLAUDE
from kg_harness_codex import CODEX
from kg_harness_copilot import COPILOT
from kg_server.setup.launch import launch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.slow

NOISY = """
import sys, warnings
print("\\033[31mnoise from a plug-in\\033[0m")
warnings.warn("noise")
from kg_plugin_api import hookimpl

@hookimpl
def kg_memory_changed(change):
    print("noise", change)
    print("noise", file=sys.stderr)
"""
LOUD = {
    "PYTHONWARNINGS": "always",
    "PYTHONVERBOSE": "1",
    "PYTHONDEVMODE": "1",
    "PYTHONINSPECT": "1",
    "FORCE_COLOR": "1",
    "CLICOLOR_FORCE": "1",
    "PYTHONSTARTUP": "/nonexistent",
}
PAYLOAD = {
    "session_id": "s-1",
    "cwd": "/",
    "source": "startup",
    "prompt": "What do we know of kettles?",
    "tool_name": "Read",
    "tool_use_id": "t-1",
    "tool_input": {"file_path": "/x"},
    "transcript_path": "/x",
    "agent_id": "a-1",
    "agent_type": "general",
    "model": "m",
    "workspacePaths": ["/"],
    "toolCall": {"name": "view_file", "args": {"AbsolutePath": "/x"}},
}


@pytest.fixture(scope="module")
def server(start: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A server with a plug-in that prints wherever it can."""
    plugins = tmp_path_factory.mktemp("plugins")
    (plugins / "noisy.py").write_text(NOISY, encoding="utf-8")
    info = plugins / "noisy-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: noisy\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[kg]\nnoisy = noisy\n", encoding="utf-8")
    found = start(PYTHONPATH=str(plugins))
    assert (
        found.call("kg_put_node", level="user", id="kettle-whistle", gist="Kettles whistle by two holes.")[0] is False
    )
    return found


def fire(command: str, payload: object, **environ: str) -> subprocess.CompletedProcess[bytes]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("KG_")}
    return subprocess.run(
        ["/bin/sh", "-c", command],
        input=json.dumps(payload).encode(),
        capture_output=True,
        env={**inherited, **environ},
        timeout=30,
        check=False,
    )


@pytest.mark.parametrize(
    ("harness", "native"),
    [(harness, spec.native) for harness in (CLAUDE, CODEX, COPILOT, ANTIGRAVITY) for spec in harness.events],
    ids=lambda value: getattr(value, "name", value),
)
def test_standard_output_is_one_json_object_or_nothing_whatever_makes_noise(
    server: Any, harness: Any, native: str
) -> None:
    """Every event, with warnings on, with colours forced and with a plug-in that prints."""
    done = fire(
        launch(server.home, harness).hook[native],
        {**PAYLOAD, "session_id": f"noise-{native}", "conversationId": f"noise-{native}", "transcriptPath": ""},
        **LOUD,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\x1b" not in done.stdout
    assert not done.stdout or isinstance(json.loads(done.stdout), dict)


def test_an_event_that_arrives_twice_within_moments_brings_its_text_once(server: Any) -> None:
    """As when the hooks of the plug-in and entries that a person copied into the settings are both registered."""
    command = launch(server.home, CLAUDE).hook["SessionStart"]
    payload = {**PAYLOAD, "session_id": "registered-twice"}

    first, second = (fire(command, payload).stdout for _ in range(2))

    assert b"kettle-whistle" in first
    assert b"kettle-whistle" not in second


@pytest.mark.parametrize(
    "name",
    ["Ana Lee", "it's mine", 'say "hi"', "back\\slash", "$HOME", "a;b&c|d", "(x)", "Ünïcode 🎉", "-rf", "%s", "~"],
)
def test_a_home_of_any_name_is_quoted_so_that_a_shell_finds_it(
    start: Callable[..., Any], tmp_path: Path, name: str
) -> None:
    """What a POSIX shell, which runs hooks on Linux and macOS, must not take apart."""
    root = tmp_path / name
    found = start(root)
    try:
        done = fire(launch(Home(root), CLAUDE).hook["SessionStart"], PAYLOAD)
        shim = launch(Home(root), CLAUDE).shim
        asked = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
        listed = subprocess.run(shim, input=asked, capture_output=True, timeout=30, check=True)
    finally:
        found.stop()

    assert "kg-memory" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    assert json.loads(listed.stdout)["result"]["tools"]
