"""Commands for Windows, read back by the rules of those who would read them there: no Windows is needed."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_core.store import Home
from kg_harness_claude import CLAUDE
from kg_harness_codex import CODEX
from kg_harness_copilot import COPILOT
from kg_plugin_api import OwnedFile
from kg_plugin_testing import places
from kg_server.setup.launch import launch
from kg_server.setup.windows import slashed, vector

if TYPE_CHECKING:
    from kg_plugin_api import Harness, Site

PLACES = [
    r"C:\Users\Ana Lee\.kg",
    r"C:\claude\x",
    r"\\server\share\Ana Lee\.kg",
    r"C:\R&D\100%\it's\~tilde\(x86)\$HOME\a^b",
    r"D:\Größe\データ\🎉",
]
SEGMENT = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters='<>:"/\\|?*'), min_size=1).filter(
    lambda name: name.strip(". ") == name
)
FOLDERS = st.builds(
    lambda root, names: PureWindowsPath(root, *names),
    st.sampled_from(["C:\\", "\\\\server\\share\\", "D:\\Program Files"]),
    st.lists(SEGMENT, max_size=4),
)


def command_line_to_argv(line: str) -> list[str]:
    """The rules of CommandLineToArgvW and the C runtime, as documented, for all but the program's name."""
    found, word, quoted, begun, at = [], "", False, False, 0
    while at < len(line):
        slashes = len(line) - at - len(line[at:].lstrip("\\"))
        at += slashes
        if at < len(line) and line[at] == '"':
            word += "\\" * (slashes // 2)
            begun = True
            if slashes % 2:
                word += '"'
            elif quoted and line[at + 1 : at + 2] == '"':
                word, at = word + '"', at + 1
            else:
                quoted = not quoted
            at += 1
            continue
        word, begun = word + "\\" * slashes, begun or slashes > 0
        if at < len(line) and (quoted or line[at] not in " \t"):
            word, begun, at = word + line[at], True, at + 1
        elif at < len(line):
            if begun:
                found.append(word)
            word, begun, at = "", False, at + 1
    return [*found, word] if begun else found


def test_the_rules_of_the_test_are_those_that_are_documented() -> None:
    documented = {
        r'"a b c" d e': ["a b c", "d", "e"],
        r'"ab\"c" "\\" d': ['ab"c', "\\", "d"],
        r'a\\\b d"e f"g h': [r"a\\\b", "de fg", "h"],
        r"a\\\"b c d": [r"a\"b", "c", "d"],
        r'a\\\\"b c" d e': [r"a\\b c", "d", "e"],
    }
    assert {line: command_line_to_argv(line) for line in documented} == documented


@pytest.fixture
def on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", r"C:\Users\Ana Lee\kg\Scripts\python.exe")


@pytest.mark.parametrize("root", PLACES)
@pytest.mark.usefixtures("on_windows")
def test_what_the_client_is_given_names_the_memory_and_needs_no_shell(root: str) -> None:
    found = launch(Home(Path(root)), CLAUDE, windows=True)

    assert found.hook == {}
    for argv in (found.shim, *found.hook_argv.values()):
        assert argv[0] == "C:/Users/Ana Lee/kg/Scripts/python.exe"
        assert argv[argv.index("--home") + 1] == root.replace("\\", "/")
        assert not any("\\" in word or '"' in word for word in argv)
        assert command_line_to_argv(subprocess.list2cmdline(argv)) == list(argv)
        assert shlex.split(shlex.join(argv)) == list(argv)
    assert found.hook_argv["SessionStart"][-1] == "--start"


@given(FOLDERS, FOLDERS, FOLDERS)
def test_any_place_survives_the_system_call_and_the_shells(
    python: PureWindowsPath, script: PureWindowsPath, home: PureWindowsPath
) -> None:
    argv = vector(python / "python.exe", script / "run.py", "hook", "--home", slashed(home))

    line = subprocess.list2cmdline(argv)  # how Python, Node and Rust hand an argument vector to CreateProcess
    assert command_line_to_argv(line) == list(argv)
    assert [PureWindowsPath(argv[at]) for at in (0, -1)] == [python / "python.exe", home]
    assert shlex.split(shlex.join(argv)) == list(argv)
    assert _powershell(" ".join(map(_quoted, argv))) == list(argv)


def _quoted(word: str) -> str:
    """A literal of PowerShell, where five characters are quotes and two of them stand for one."""
    return "'" + re.sub("(['‘’‚‛])", r"\1\1", word) + "'"


def _powershell(line: str) -> list[str]:
    quotes = "'‘’‚‛"
    words = re.findall(f"[{quotes}]((?:[^{quotes}]|[{quotes}]{{2}})*)[{quotes}](?: |$)", line)
    return [re.sub(f"([{quotes}])[{quotes}]", r"\1", word) for word in words]


@pytest.mark.usefixtures("on_windows")
def test_claude_code_starts_the_hook_client_without_a_shell(tmp_path: Path) -> None:
    site = replace(places.site(CLAUDE, tmp_path), launch=launch(Home(Path(PLACES[2])), CLAUDE, windows=True))

    hooks = _written(CLAUDE, site, "hooks.json")["hooks"]
    commands = [hook for groups in hooks.values() for group in groups for hook in group["hooks"] if "command" in hook]

    assert commands
    for hook in commands:
        assert hook["command"] == "C:/Users/Ana Lee/kg/Scripts/python.exe"
        assert hook["args"][hook["args"].index("--home") + 1] == "//server/share/Ana Lee/.kg"


@pytest.mark.usefixtures("on_windows")
def test_copilot_starts_the_hook_client_from_powershell(tmp_path: Path) -> None:
    site = replace(places.site(COPILOT, tmp_path), launch=launch(Home(Path(PLACES[2])), COPILOT, windows=True))

    hooks = _written(COPILOT, site, "kg.json")["hooks"]

    for spec in COPILOT.events:
        (hook,) = hooks[spec.native]
        assert "bash" not in hook
        words = _powershell(hook["powershell"].removeprefix("& "))
        assert tuple(words) == site.launch.hook_argv[spec.native]


@pytest.mark.parametrize("harness", [CLAUDE, CODEX], ids=lambda harness: harness.name)
@pytest.mark.usefixtures("on_windows")
def test_each_client_is_given_the_shim_as_a_vector(tmp_path: Path, harness: Harness) -> None:
    site = replace(places.site(harness, tmp_path), launch=launch(Home(Path(PLACES[0])), harness, windows=True))

    (server,) = _written(harness, site, ".mcp.json")["mcpServers"].values()

    assert (server["command"], *server["args"]) == site.launch.shim


def _written(harness: Harness, site: Site, name: str) -> dict[str, Any]:
    return next(
        json.loads(claim.text)
        for claim in harness.wiring.claims(site)
        if isinstance(claim, OwnedFile) and claim.path.name == name
    )


def test_a_script_that_is_gone_is_silence(tmp_path: Path) -> None:
    done = _run(tmp_path / "gone" / "run.py")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_script_that_is_there_runs_as_if_it_had_been_named(tmp_path: Path) -> None:
    script = tmp_path / "it's 100% & ü.py"
    script.write_text("import sys\nprint(__name__, __file__, sys.argv[1:])\n", encoding="utf-8")

    done = _run(script, "hook", "--home", "a b")

    assert done.stdout == f"__main__ {script} ['hook', '--home', 'a b']\n"


def _run(script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    words = vector(PureWindowsPath("python"), PureWindowsPath("run.py"), *arguments)
    command = [str(script) if word == "run.py" else word for word in words]
    return subprocess.run(
        [sys.executable, *command[1:]], capture_output=True, encoding="utf-8", timeout=60, check=False
    )
