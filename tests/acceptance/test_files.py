"""A file that the model takes in hand brings the lesson that points at it into the next request, once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from .endpoint import Call, Turn
from .lessons import many

if TYPE_CHECKING:
    from pathlib import Path

    from .claude import Claude
    from .codex import Codex
    from .machine import Machine

pytestmark = pytest.mark.acceptance

FILE = "src/auth/token.py"
GIST = "Tokens are compared in constant time, or their length leaks to whoever measures."


@pytest.fixture
def project(machine: Machine) -> Path:
    """A repository whose memory holds an old lesson on one of its files behind many newer ones."""
    folder = machine.repository()
    for name in (FILE, "src/other/token.py", "docs/read me.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"the text of {name}\n", encoding="utf-8")
    old = {"gist": f"{GIST} {'It was so in each case. ' * 20}", "created": "2026-01-01T00:00:00.000Z"}
    nodes = {"constant-time-tokens": {**old, "touches": [f"{FILE}:1-12 (verify)"]}, **many(150)}
    memory = machine.memory / "memory" / "projects" / "shop"
    memory.mkdir(parents=True)
    (memory / "graph.json").write_text(json.dumps({"format": 1, "nodes": nodes, "edges": []}), encoding="utf-8")
    (memory / "project.toml").write_text(f"roots = [{json.dumps(str(folder))}]\n", encoding="utf-8")
    return folder


def test_a_file_that_claude_code_reads_brings_its_lesson_into_the_next_request_once(
    project: Path, machine: Machine, claude: Claude
) -> None:
    machine.setup()
    read = Turn(calls=(Call(name="Read", arguments={"file_path": str(project / FILE)}),))
    other = Turn(calls=(Call(name="Read", arguments={"file_path": str(project / "src/other/token.py")}),))
    shell = Turn(calls=(Call(name="Bash", arguments={"command": f"cat {FILE}", "description": "Show it"}),))
    claude.model.script(other, read, read, shell)

    claude.run("Look into the tokens.", project)

    first, after_other, after_read, *later = claude.model.asked()
    assert "filler-lesson-149" in first.text
    assert GIST not in after_other.text
    assert f"Lessons on {FILE}:" in after_read.since(after_other)
    assert GIST in after_read.since(after_other)
    assert [request.text.count(GIST) for request in later] == [1, 1]


@pytest.mark.parametrize(
    "command", [f"cat {FILE}", "cd src/auth && ls && sed -n '1,5p' token.py", "cd src; cat auth/*"]
)
def test_a_command_that_claude_code_runs_brings_the_lesson_of_the_file_that_it_certainly_shows(
    project: Path, machine: Machine, claude: Claude, command: str
) -> None:
    machine.setup()
    claude.model.script(Turn(calls=(Call(name="Bash", arguments={"command": command, "description": "Show it"}),)))

    claude.run("Look into the tokens.", project)

    before, after = claude.model.asked()
    assert f"the text of {FILE}" in after.since(before)
    assert (GIST in after.since(before)) is ("*" not in command)


def test_a_file_that_codex_shows_in_its_shell_brings_its_lesson_into_the_next_request_once(
    project: Path, machine: Machine, codex: Codex
) -> None:
    machine.setup()
    other, show, page = (
        Turn(calls=(Call(name="exec_command", arguments={"cmd": command}),))
        for command in ("cat src/other/token.py", f"cat {FILE} | head -5", f"sed -n '1,5p' {FILE}")
    )
    codex.model.script(other, show, page)

    codex.run("Look into the tokens.", project)

    first, after_other, after_show, after_page = codex.model.asked()
    assert "filler-lesson-149" in first.text
    assert GIST not in after_other.text
    assert f"Lessons on {FILE}:" in after_show.since(after_other)
    assert GIST in after_show.since(after_other)
    assert after_page.text.count(GIST) == 1


def test_a_command_that_codex_runs_in_another_folder_is_about_the_files_of_that_folder(
    project: Path, machine: Machine, codex: Codex
) -> None:
    machine.setup()
    (project / "src/other" / FILE).parent.mkdir(parents=True)
    (project / "src/other" / FILE).write_text("another\n", encoding="utf-8")
    namesake, meant = (
        Turn(calls=(Call(name="exec_command", arguments={"cmd": f"cat {file}", "workdir": str(project / folder)}),))
        for folder, file in (("src/other", FILE), ("src/auth", "token.py"))
    )
    codex.model.script(namesake, meant)

    codex.run("Look into the tokens.", project)

    _, after_namesake, after_meant = codex.model.asked()
    assert "another" in after_namesake.text
    assert GIST not in after_namesake.text
    assert GIST in after_meant.since(after_namesake)


def test_a_patch_of_codex_brings_the_lesson_of_the_file_that_it_changes(
    project: Path, machine: Machine, codex: Codex
) -> None:
    machine.setup()
    lines = ("*** Begin Patch", f"*** Update File: {FILE}", "@@", f"-the text of {FILE}", "+its text", "*** End Patch")
    patch = json.dumps("\n".join(lines))
    codex.model.script(Turn(calls=(Call(name="exec", arguments={"input": f"await tools.apply_patch({patch})"}),)))

    codex.run("Patch it.", project, model="gpt-6.2-sol")

    before, after = codex.model.asked()
    assert (project / FILE).read_text(encoding="utf-8") == "its text\n"
    assert GIST in after.since(before)
