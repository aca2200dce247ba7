"""Copilot CLI with kg: each assertion looks at what the client really sent to the model.

No run permits kg's tools on the command line: that they run at all is the work of set-up.
"""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .endpoint import Call, Turn
from .lessons import by_copilot, by_hand, many, times
from .machine import until

if TYPE_CHECKING:
    from .claude import Claude
    from .codex import Codex
    from .copilot import Copilot
    from .endpoint import Request
    from .machine import Machine

pytestmark = pytest.mark.acceptance

NAME = "ledger-closing-zone"
GIST = "The ledger is closed at midnight in the time zone of the branch."
NOTE = "Found when the branch of Lisbon was one hour late."
FILE = "src/auth/token.py"
ABOUT_FILE = "Tokens are compared in constant time, or their length leaks to whoever measures."
KETTLE = "The kettle whistle is tuned by its second hole."


@pytest.fixture
def project(machine: Machine, copilot: Copilot) -> Path:
    """A repository on a machine where kg is set up, whose memory holds one lesson that the client itself has saved."""
    machine.setup("copilot")
    folder = machine.repository()
    put = by_copilot("kg_put_node", level="project", id=NAME, gist=GIST, notes=[NOTE])
    copilot.model.script(Turn(calls=(put,)))
    copilot.run("Remember the time zone.", folder)
    assert until(lambda: NAME in machine.nodes())
    copilot.model.requests.clear()
    return folder


@pytest.fixture
def large(machine: Machine, copilot: Copilot) -> Path:
    """A repository whose memory holds more than a preload, and two old lessons: on a file, and on kettles."""
    folder = machine.repository()
    (folder / FILE).parent.mkdir(parents=True)
    (folder / FILE).write_text("the text\n", encoding="utf-8")
    filling = "It was so in each house where anybody looked. " * 6
    old = {"created": "2026-01-01T00:00:00.000Z"}
    about_file = {**old, "gist": f"{ABOUT_FILE} {filling}", "touches": [str(folder / FILE)]}
    kettle = {**old, "gist": f"{KETTLE} {filling}"}
    by_hand(machine, {"constant-time-tokens": about_file, "kettle-whistle-pitch": kettle, **many(150)})
    machine.setup("copilot")
    return folder


def shown(request: Request) -> int:
    """How often the lesson stands in what the model is given, its own tool calls left out."""
    return times((item.text for item in request.items if item.role != "call"), GIST)


def test_a_lesson_stands_before_the_prompt_and_every_tool_is_offered_at_once(project: Path, copilot: Copilot) -> None:
    run = copilot.run("Look into the API.", project / "service" / "api")

    (first,) = copilot.model.asked()
    assert first.place(GIST) < first.place("Look into the API.")
    assert {"kg-kg_read", "kg-kg_put_node", "kg-kg_rules"} <= set(first.tools)
    assert "kg-kg_search" in first.text
    assert run.said == "Done."


def test_a_prompt_and_a_file_bring_the_lesson_that_the_preload_left_out_and_once(large: Path, copilot: Copilot) -> None:
    read = Call(name="view", arguments={"path": str(large / FILE)})
    show = Call(name="bash", arguments={"command": f"cat {FILE}", "description": "Show it"})
    with copilot.talk(large) as talk:
        talk.say("Hello.")
        talk.say("Why is the kettle whistle off?")
        copilot.model.script(Turn(calls=(read,)), Turn(calls=(show,)))
        talk.say("Thank you, that will do for today.")

    hello, asked, thanked, after_read, after_show = copilot.model.asked()
    assert "filler-lesson-149" in hello.text
    assert KETTLE not in hello.text
    assert KETTLE in asked.since(hello)
    assert "-lesson-" not in thanked.since(asked)
    assert ABOUT_FILE not in thanked.text
    assert ABOUT_FILE in after_read.since(thanked)
    assert [after_show.text.count(gist) for gist in (KETTLE, ABOUT_FILE)] == [1, 1]


def test_a_resumed_session_is_given_the_lesson_anew_as_the_client_keeps_no_text_of_a_start(
    project: Path, copilot: Copilot
) -> None:
    session = copilot.run("First.", project).session
    resumed = copilot.run("Second.", project, resume=session).session

    assert resumed == session
    assert [shown(request) for request in copilot.model.asked()] == [1, 1]
    assert copilot.model.asked()[-1].place("First.") < copilot.model.asked()[-1].place("Second.")


def test_after_a_compaction_the_next_prompt_brings_the_lesson_again(project: Path, copilot: Copilot) -> None:
    with copilot.talk(project) as talk:
        for said in ("First.", "/compact", "Second.", "Third."):
            talk.say(said)

    assert len(copilot.model.asked("compaction")) == 1
    assert [shown(request) for request in copilot.model.asked()] == [1, 1, 1]


def test_a_compaction_in_the_middle_of_a_turn_takes_the_lesson_away_from_no_request(
    project: Path, copilot: Copilot
) -> None:
    (project / "long.txt").write_text("alpha beta gamma\n" * 1_150, encoding="utf-8")
    look = Turn(calls=(Call(name="view", arguments={"path": str(project / "long.txt")}),))
    copilot.model.script(*[look] * 5)
    copilot.run("Look at it again and again.", project, COPILOT_PROVIDER_MAX_PROMPT_TOKENS="30000")

    assert copilot.model.asked("compaction")
    assert all(shown(request) for request in copilot.model.asked())
    assert shown(copilot.model.asked()[-1]) == 1
    assert "summarized" in copilot.model.asked()[-1].text


def test_a_subagents_reads_do_not_count_for_its_parent_who_is_shown_the_lesson_and_then_may_change_it(
    project: Path, machine: Machine, copilot: Copilot
) -> None:
    errand = {"agent_type": "general-purpose", "name": "errand", "description": "Read", "prompt": "Read the lesson."}
    lesson = {"level": "project", "id": NAME, "gist": GIST}
    copilot.model.script(
        Turn(calls=(Call(name="task", arguments={**errand, "mode": "sync"}),)),
        Turn(calls=(by_copilot("kg_put_node", **lesson, notes=["Another case."]),)),
        Turn(calls=(by_copilot("kg_put_node", **lesson, notes=[NOTE, "Another case."]),)),
        subagent=(Turn(calls=(by_copilot("kg_read", ids=[NAME]),)), Turn(text="Read it.")),
    )

    copilot.run("Have it read, then change it.", project)

    inside = copilot.model.asked("subagent")
    assert GIST in inside[0].text
    assert NOTE in inside[-1].text
    told, refused, _ = copilot.model.asked()[1:]
    assert NOTE not in told.text
    assert NOTE in refused.since(told)
    assert until(lambda: machine.nodes()[NAME]["notes"] == [NOTE, "Another case."])


def test_an_open_session_is_told_once_what_another_wrote(project: Path, copilot: Copilot) -> None:
    news = "The ledger export wants a comma even in German."
    put = by_copilot("kg_put_node", level="project", id="ledger-export-comma", gist=news)
    with copilot.talk(project) as talk:
        talk.say("First.")
        copilot.model.script(Turn(calls=(put,)))
        copilot.run("Remember the comma.", project)
        copilot.model.requests.clear()
        talk.say("Second.")
        talk.say("Third.")

    second, third = copilot.model.asked()
    assert news in second.text
    assert times((item.text for item in third.items), news) == 1


def test_beside_the_other_clients_settings_nothing_is_said_twice(
    project: Path, machine: Machine, claude: Claude, codex: Codex, copilot: Copilot
) -> None:
    del claude, codex
    machine.setup("claude", "codex")

    copilot.run("First.", project)

    (first,) = copilot.model.asked()
    assert shown(first) == 1
    assert len([tool for tool in first.tools if tool.endswith("kg_read")]) == 1


def test_a_long_lesson_is_read_in_pages_that_the_client_leaves_whole(project: Path, copilot: Copilot) -> None:
    notes = [f"Case {number}: {' '.join(['was dort zu beobachten wär, ausführlich.'] * 40)}" for number in range(24)]
    put = by_copilot("kg_put_node", level="project", id="cases-of-the-branch", gist="All the cases.", notes=notes)
    more = Turn(calls=(by_copilot("kg_read", more=True),))
    read = Turn(calls=(by_copilot("kg_read", ids=["cases-of-the-branch"]),))
    copilot.model.script(Turn(calls=(put,)), read, more, more)
    copilot.run("Remember and read the cases.", project)

    pages = "\n".join(item.text for item in copilot.model.asked()[-1].items if item.role == "tool")
    assert all(note in pages for note in notes)
    assert "too large" not in pages


@pytest.mark.parametrize("text", ["規則は一つではない。", "🧭🪨 follow the cairns"])
def test_a_preload_after_a_tool_is_within_what_the_client_keeps_there(
    machine: Machine, copilot: Copilot, text: str
) -> None:
    by_hand(machine, {f"n{number:03}": {"gist": f"{number}: {text * 8}"} for number in range(200)})
    machine.setup("copilot")
    folder = machine.repository()
    (copilot.config / "hooks" / "kg.json").write_text(_only_after_a_tool(copilot), encoding="utf-8")
    copilot.model.script(Turn(calls=(Call(name="view", arguments={"path": str(folder / "readme.txt")}),)))

    copilot.run("Hello.", folder)

    before, after = copilot.model.asked()
    framed = after.since(before)
    assert framed.rstrip().endswith(">")
    assert "</kg-memory " in framed.rstrip().rpartition("\n")[2]
    assert 9_000 <= len(framed.encode("utf-16-le")) // 2 <= 10_240


def _only_after_a_tool(copilot: Copilot) -> str:
    """What set-up wrote, without the hooks that would bring the preload earlier."""
    settings = json.loads((copilot.config / "hooks" / "kg.json").read_text(encoding="utf-8"))
    settings["hooks"] = {"postToolUse": settings["hooks"]["postToolUse"]}
    return json.dumps(settings)


def test_the_client_keeps_of_a_text_after_a_tool_and_of_a_result_what_is_stated(
    machine: Machine, copilot: Copilot, tmp_path: Path
) -> None:
    folder = machine.repository()
    (copilot.config / "hooks").mkdir()
    size = tmp_path / "size"
    body = f"import json; print(json.dumps({{'additionalContext': 'é' * (int(open({str(size)!r}).read()) - 1) + 'E'}}))"
    command = f'{sys.executable} -c "{body}"'
    hooks = {"postToolUse": [{"type": "command", "bash": command, "matcher": "view", "timeoutSec": 5}]}
    (copilot.config / "hooks" / "mine.json").write_text(json.dumps({"version": 1, "hooks": hooks}), encoding="utf-8")
    capture = str(Path(__file__).with_name("capture.py"))
    server = {"type": "local", "command": sys.executable, "args": [capture, "mcp", str(tmp_path / "log")]}
    (copilot.config / "mcp-config.json").write_text(json.dumps({"mcpServers": {"kg": {**server, "tools": ["*"]}}}))

    def look(units: int) -> Turn:
        size.write_text(str(units), encoding="utf-8")
        return Turn(calls=(Call(name="view", arguments={"path": str(folder / "readme.txt")}),))

    results = [Turn(calls=(by_copilot("kg_read", size=size),)) for size in (20_480, 20_481)]
    copilot.model.script(lambda _: look(10_240), lambda _: look(10_241), *results)
    copilot.run("Hello.", folder)

    asked = copilot.model.asked()
    kept, cut, whole, preview = (later.since(before) for before, later in pairwise(asked))
    assert "é" * 10_239 + "E" in kept
    assert "é" * 10_240 in cut
    assert "éE" not in cut
    assert "x" * 20_480 in whole
    assert "too large" in preview
    assert "x" * 20_480 not in preview


def test_once_taken_off_every_byte_is_back_and_the_client_knows_nothing_of_kg(
    machine: Machine, copilot: Copilot
) -> None:
    mine = copilot.config / "mcp-config.json"
    before = '{\n  "mcpServers": {}\n}\n'
    mine.write_text(before, encoding="utf-8")
    machine.setup("copilot")
    assert mine.read_text(encoding="utf-8") != before
    machine.kg("uninstall", "--yes")

    copilot.run("Hello.", machine.repository())

    (first,) = copilot.model.asked()
    assert mine.read_text(encoding="utf-8") == before
    assert not (copilot.config / "hooks").exists()
    assert "kg" not in "\n".join((*first.tools, *(item.text for item in first.items if item.role == "user")))
