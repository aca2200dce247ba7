"""A tool that fails, a session that goes on elsewhere, one that ends: each is told, and each does something."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from .endpoint import Call, Turn
from .lessons import by_claude, many
from .machine import until

if TYPE_CHECKING:
    from pathlib import Path

    from .claude import Claude
    from .codex import Codex
    from .machine import Machine

pytestmark = pytest.mark.acceptance

FILE = "src/auth/token.py"
GONE = "src/auth/session.py"
GIST = "Tokens are compared in constant time, or their length leaks to whoever measures."
PRELOADED = "filler-lesson-149: "
MOVED = "The session moved into the gateway, and its tests with it."


@pytest.fixture
def project(machine: Machine) -> Path:
    """A repository whose memory holds old lessons on a file of it, and on one that is gone, behind many newer ones."""
    folder = machine.repository("home/shop")
    (folder / FILE).parent.mkdir(parents=True)
    (folder / FILE).write_text("the text\n", encoding="utf-8")
    nodes = {
        name: {
            "gist": f"{gist} {'It was so in each case. ' * 20}",
            "created": "2026-01-01T00:00:00.000Z",
            "touches": [at],
        }
        for name, gist, at in (("constant-time-tokens", GIST, FILE), ("session-in-gateway", MOVED, GONE))
    }
    memory = machine.memory / "memory" / "projects" / "shop"
    memory.mkdir(parents=True)
    graph = {"format": 1, "nodes": {**nodes, **many(150)}, "edges": []}
    (memory / "graph.json").write_text(json.dumps(graph), encoding="utf-8")
    (memory / "project.toml").write_text(f"roots = [{json.dumps(str(folder))}]\n", encoding="utf-8")
    return folder


def test_a_tool_that_failed_brings_the_lesson_of_its_file_in_claude_code(
    project: Path, machine: Machine, claude: Claude
) -> None:
    machine.setup("claude")
    command = {"command": f"cat {FILE} missing.py", "description": "Show both"}
    claude.model.script(
        Turn(calls=(Call(name="Read", arguments={"file_path": str(project / GONE)}),)),
        Turn(calls=(Call(name="Bash", arguments=command),)),
        Turn(calls=(Call(name="Read", arguments={"file_path": str(project / GONE)}),)),
    )

    claude.run("Look into the session.", project)

    before, after_read, after_command, again = claude.model.asked()
    assert MOVED not in before.text
    assert "does not exist" in after_read.since(before)
    assert MOVED in after_read.since(before)
    assert GIST in after_command.since(after_read)
    assert again.text.count(MOVED) == again.text.count(GIST) == 1


def test_a_command_that_failed_brings_the_lesson_of_its_file_in_codex(
    project: Path, machine: Machine, codex: Codex
) -> None:
    machine.setup("codex")
    codex.model.script(Turn(calls=(Call(name="exec_command", arguments={"cmd": f"cat {FILE} missing.py"}),)))

    codex.run("Look into the tokens.", project)

    before, after = codex.model.asked()
    assert "missing.py: No such file" in after.since(before)
    assert GIST in after.since(before)


def test_a_session_that_began_at_home_is_given_the_memory_of_the_project_that_claude_code_goes_to(
    project: Path, machine: Machine, claude: Claude
) -> None:
    machine.setup("claude")
    go = Call(name="Bash", arguments={"command": f"cd {project}", "description": "Go there"})
    look = Call(name="Read", arguments={"file_path": str(project / "readme.txt")})
    put = by_claude("kg_put_node", level="project", id="tokens-by-hand", gist="Tokens can be made by hand.")
    claude.model.script(Turn(calls=(go,)), Turn(calls=(look,)), Turn(calls=(put,)))

    claude.run("Look into the shop.", machine.home)

    first, gone, *_, last = claude.model.asked()
    assert PRELOADED not in first.text
    assert PRELOADED in gone.since(first)
    assert last.text.count(PRELOADED) == 1
    assert until(lambda: "tokens-by-hand" in machine.nodes())


def test_a_session_that_began_at_home_is_given_the_memory_of_the_project_that_codex_works_in(
    project: Path, machine: Machine, codex: Codex
) -> None:
    machine.setup("codex")
    work = Call(name="exec_command", arguments={"cmd": "ls", "workdir": str(project)})
    codex.model.script(Turn(calls=(work,)), Turn(calls=(work,)))

    codex.run("Look into the shop.", machine.home)

    first, gone, last = codex.model.asked()
    assert PRELOADED not in first.text
    assert PRELOADED in gone.since(first)
    assert last.text.count(PRELOADED) == 1


def test_what_a_session_wrote_is_committed_when_it_has_ended(machine: Machine, claude: Claude) -> None:
    machine.setup("claude")
    machine.run("git", "init", "--quiet", str(machine.memory / "memory"))
    put = by_claude("kg_put_node", level="project", id="tokens-by-hand", gist="Tokens can be made by hand.")
    claude.model.script(Turn(calls=(put,)))

    claude.run("Remember the tokens.", machine.repository())

    log = ("git", "-C", str(machine.memory / "memory"), "log", "--all", "--format=%s")
    assert until(lambda: machine.run(*log, check=False).stdout == "Save tokens-by-hand\n")
