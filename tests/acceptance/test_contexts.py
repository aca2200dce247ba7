"""What is in front of a model is not said again; what is no longer there is; and each model is one context."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .endpoint import Call, Turn
from .lessons import by_claude, by_codex, times
from .machine import until

if TYPE_CHECKING:
    from pathlib import Path

    from .claude import Claude
    from .codex import Codex
    from .endpoint import Request
    from .machine import Machine

pytestmark = pytest.mark.acceptance

GIST = "The ledger is closed at midnight in the time zone of the branch."
NAME = "ledger-closing-zone"
NOTE = "Found when the branch of Lisbon was one hour late."
NEWS = "The ledger export wants a comma even in German."


@pytest.fixture
def project(machine: Machine, claude: Claude, codex: Codex) -> Path:
    """A repository whose memory holds one lesson with a note."""
    machine.setup()
    folder = machine.repository()
    put = by_claude("kg_put_node", level="project", id=NAME, gist=GIST, notes=[NOTE])
    claude.model.script(Turn(calls=(put,)))
    claude.run("Remember the time zone.", folder)
    assert until(lambda: NAME in machine.nodes())
    claude.model.requests.clear()
    return folder


def shown(request: Request) -> int:
    """How often the lesson stands in what the model is given, its own tool calls left out."""
    return times((item.text for item in request.items if item.role != "call"), GIST)


def test_a_resumed_session_is_not_given_again_what_it_still_holds(project: Path, claude: Claude, codex: Codex) -> None:
    session = claude.run("First.", project).session
    claude.run("Second.", project, resume=session)
    thread = codex.run("First.", project).session
    codex.run("Second.", project, resume=thread)
    codex.run("Third.", project, resume=thread)

    for model in (claude.model, codex.model):
        assert [shown(request) for request in model.asked()] == [1] * len(model.asked())
        assert model.asked()[-1].place("First.") < model.asked()[-1].place("Second.")


def test_a_cleared_and_a_new_session_are_given_everything(project: Path, claude: Claude, codex: Codex) -> None:
    session = claude.run("First.", project).session
    cleared = claude.run("/clear", project, resume=session).session
    claude.run("Second.", project, resume=cleared)
    codex.run("First.", project)
    codex.run("Second.", project)

    assert cleared != session
    for model in (claude.model, codex.model):
        first, second = model.asked()
        assert shown(first) == shown(second) == 1
        assert "First." not in second.text


def test_a_fork_has_its_own_context_and_the_lesson(project: Path, claude: Claude, codex: Codex) -> None:
    session = claude.run("First.", project).session
    forked = claude.run("Second.", project, "--fork-session", resume=session).session
    thread = codex.run("First.", project).session
    branched = codex.run("Second.", project, fork=thread).session

    assert forked != session
    assert branched != thread
    for model in (claude.model, codex.model):
        assert shown(model.asked()[-1]) >= 1


def test_after_a_compaction_the_preload_is_delivered_again(project: Path, claude: Claude, codex: Codex) -> None:
    session = claude.run("First.", project).session
    claude.run("/compact keep it short", project, resume=session)
    claude.run("Second.", project, resume=session)
    look = Call(name="exec_command", arguments={"cmd": "cat readme.txt"})
    codex.model.script(Turn(calls=(look,), tokens=9_000))
    codex.run("First.", project, "model_auto_compact_token_limit=5000")

    assert len(claude.model.asked("compaction")) == len(codex.model.asked("compaction")) == 1
    for model in (claude.model, codex.model):
        first, second = model.asked()
        assert shown(first) == shown(second) == 1


def test_a_subagent_that_is_compacted_is_given_its_preload_again_and_its_parent_nothing(
    project: Path, claude: Claude
) -> None:
    errand = {"description": "Look", "prompt": "Look at it.", "subagent_type": "general-purpose"}
    look = Call(name="Read", arguments={"file_path": str(project / "readme.txt")})
    claude.model.script(
        Turn(calls=(Call(name="Agent", arguments={**errand, "run_in_background": False}),)),
        subagent=(Turn(calls=(look,), tokens=990_000), Turn(calls=(look,)), Turn(text="It says alpha.")),
    )

    claude.run("Have it looked at.", project)

    assert len(claude.model.asked("compaction")) == 1
    assert [shown(request) for request in claude.model.asked("subagent")] == [1, 1, 1]
    assert [shown(request) for request in claude.model.asked()] == [1, 1]


def test_a_subagents_reads_do_not_count_for_its_parent_in_claude_code(
    project: Path, machine: Machine, claude: Claude
) -> None:
    errand = {"description": "Read", "prompt": "Read the lesson.", "subagent_type": "general-purpose"}
    write = by_claude("kg_put_node", level="project", id=NAME, gist=GIST, notes=["Another case."])
    claude.model.script(
        Turn(calls=(Call(name="Agent", arguments={**errand, "run_in_background": False}),)),
        Turn(calls=(write,)),
        subagent=(Turn(calls=(by_claude("kg_read", ids=[NAME]),)), Turn(text="Read it.")),
    )

    claude.run("Have it read, then change it.", project)

    inside = claude.model.asked("subagent")
    assert GIST in inside[0].text
    assert NOTE in inside[-1].text
    refused = claude.model.asked()[-1].items
    assert NOTE in "\n".join(item.text for item in refused if item.role == "tool")
    assert machine.nodes()[NAME]["notes"] == [NOTE]


def test_a_subagents_reads_do_not_count_for_its_parent_in_codex(project: Path, machine: Machine, codex: Codex) -> None:
    errand = Call(name="spawn_agent", namespace="multi_agent_v1", arguments={"message": "Read the lesson."})
    write = by_codex("kg_put_node", level="project", id=NAME, gist=GIST, notes=["Another case."])

    def wait(request: Request) -> Turn:
        agent = request.items[-1].text.partition('"agent_id":"')[2].partition('"')[0]
        arguments = {"targets": [agent], "timeout_ms": 20_000}
        return Turn(calls=(Call(name="wait_agent", namespace="multi_agent_v1", arguments=arguments),))

    codex.model.script(
        Turn(calls=(errand,)),
        wait,
        Turn(calls=(write,)),
        subagent=(Turn(calls=(by_codex("kg_read", ids=[NAME]),)), Turn(text="Read it.")),
    )

    codex.run("Have it read, then change it.", project)

    inside = codex.model.asked("subagent")
    assert inside[0].place(GIST) < inside[0].place("Read the lesson.")
    assert NOTE in inside[-1].text
    refused = codex.model.asked()[-1].items
    assert NOTE in "\n".join(item.text for item in refused if item.role == "tool")
    assert machine.nodes()[NAME]["notes"] == [NOTE]


def test_who_has_read_a_lesson_may_change_it(project: Path, machine: Machine, claude: Claude) -> None:
    write = by_claude("kg_put_node", level="project", id=NAME, gist=GIST, notes=[NOTE, "Another case."])
    claude.model.script(Turn(calls=(by_claude("kg_read", ids=[NAME]),)), Turn(calls=(write,)))

    claude.run("Add a case.", project)

    assert until(lambda: machine.nodes()[NAME]["notes"] == [NOTE, "Another case."])


def test_an_open_session_is_told_once_what_another_wrote(project: Path, claude: Claude, codex: Codex) -> None:
    put = by_codex("kg_put_node", level="project", id="ledger-export-comma", gist=NEWS)
    with claude.talk(project) as talk:
        talk.say("First.")
        codex.model.script(Turn(calls=(put,)))
        codex.run("Remember the comma.", project)
        talk.say("Second.")
        talk.say("Third.")

    first, second, third = claude.model.asked()
    assert NEWS not in first.text
    assert NEWS in second.since(first)
    assert times((item.text for item in third.items), NEWS) == 1


def test_an_open_session_of_codex_is_told_once_what_another_wrote(project: Path, claude: Claude, codex: Codex) -> None:
    put = by_claude("kg_put_node", level="project", id="ledger-export-comma", gist=NEWS)
    with codex.talk(project) as thread:
        thread.say("First.")
        claude.model.script(Turn(calls=(put,)))
        claude.run("Remember the comma.", project)
        thread.say("Second.")
        thread.say("Third.")

    first, second, third = codex.model.asked()
    assert NEWS not in first.text
    assert NEWS in second.since(first)
    assert times((item.text for item in third.items), NEWS) == 1
