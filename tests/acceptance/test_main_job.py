"""What one agent learned, the next one is given: each assertion looks at what the client really sent to the model."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING

import pytest

from .endpoint import Call, Turn
from .lessons import by_claude, by_codex, by_hand, many
from .machine import until

if TYPE_CHECKING:
    from pathlib import Path

    from .claude import Claude
    from .codex import Codex
    from .machine import Machine

pytestmark = pytest.mark.acceptance

GIST = "Retries of the payment worker need jitter, or all of them come back in the same second."
LESSON = {"level": "project", "id": "payment-retries-need-jitter", "gist": GIST}
CURRENT_MODEL = "gpt-6.2-sol"
"""It sees no MCP tool until it looks for one, and calls tools from a script."""


@pytest.fixture
def project(machine: Machine, claude: Claude, codex: Codex) -> Path:
    """A repository on a machine where kg is set up for both clients."""
    machine.setup()
    return machine.repository()


def test_what_claude_code_learned_stands_before_the_prompt_in_codex(
    project: Path, machine: Machine, claude: Claude, codex: Codex
) -> None:
    claude.model.script(Turn(calls=(by_claude("kg_put_node", **LESSON),)))
    claude.run("Remember why the retries failed.", project)
    codex.run("Look into the API.", project / "service" / "api")

    first = codex.model.asked()[0]
    assert first.place(GIST) < first.place("Look into the API.")
    assert until(lambda: "payment-retries-need-jitter" in machine.nodes())


def test_what_codex_learned_is_in_the_first_request_of_claude_code(
    project: Path, machine: Machine, claude: Claude, codex: Codex
) -> None:
    codex.model.script(Turn(calls=(by_codex("kg_put_node", **LESSON),)))
    codex.run("Remember why the retries failed.", project)
    claude.run("Look into the API.", project / "service" / "api")

    assert GIST in claude.model.asked()[0].text
    assert until(lambda: "payment-retries-need-jitter" in machine.nodes())


def test_a_current_model_of_codex_is_told_of_the_tools_and_uses_them_from_a_script(
    project: Path, machine: Machine, codex: Codex
) -> None:
    script = f"const r = await tools.mcp__kg__kg_put_node({json.dumps(LESSON)}); text(JSON.stringify(r));"
    codex.model.script(Turn(calls=(Call(name="exec", arguments={"input": script}),)))
    codex.run("Remember why the retries failed.", project, model=CURRENT_MODEL)
    codex.run("Look into the API.", project, model=CURRENT_MODEL)

    first, _, next_session = codex.model.asked()
    assert "mcp__kg: Memory shared by all coding agents here." in first.text
    assert "mcp__kg__kg_put_node" in first.text
    assert next_session.place(GIST) < next_session.place("Look into the API.")
    assert until(lambda: "payment-retries-need-jitter" in machine.nodes())


def test_a_tool_is_neither_asked_about_nor_deferred_nor_cut(project: Path, claude: Claude, codex: Codex) -> None:
    notes = [f"Case {number}: {' '.join(['what was observed there, at length.'] * 40)}" for number in range(24)]
    claude.model.script(
        Turn(calls=(by_claude("kg_put_node", **LESSON, notes=notes),)),
        Turn(calls=(by_claude("kg_read", ids=[LESSON["id"]]),)),
    )
    claude.run("Remember all the cases.", project)
    more = Turn(calls=(by_codex("kg_read", more=True),))
    codex.model.script(Turn(calls=(by_codex("kg_read", ids=[LESSON["id"]]),)), more, more, more)
    codex.run("Read the cases.", project)

    first, _, read = claude.model.asked()
    assert {"mcp__plugin_kg_kg__kg_read", "mcp__plugin_kg_kg__kg_put_node"} <= set(first.tools)
    assert all(note in read.text for note in notes)
    pages = codex.model.asked()[-1].text
    assert all(note in pages for note in notes)
    assert "truncated" not in pages


@pytest.mark.parametrize(
    ("name", "gist", "prompt"),
    [
        ("kettle-whistle-pitch", "The kettle whistle is tuned by its second hole.", "Why is the kettle whistle off?"),
        ("請求書-端数処理", "請求書の端数処理は明細ごとに切り捨てる。", "請求書の端数処理はどうなっていますか。"),
        ("部署方案", "服务器部署在国内节点,先备份再切换。", "服务器部署的时候要注意什么?"),
    ],
)
def test_a_prompt_that_names_a_subject_brings_the_lesson_that_the_preload_left_out(
    machine: Machine, claude: Claude, codex: Codex, name: str, gist: str, prompt: str
) -> None:
    # Long, as a short one would fill the space that is left below the last of the long ones.
    lesson = {"gist": f"{gist} {'And so it was in each house where anybody looked. ' * 6}"}
    by_hand(machine, {name: {**lesson, "created": "2026-01-01T00:00:00.000Z"}, **many(150)})
    machine.setup()
    folder = machine.repository()
    with claude.talk(folder) as talk:
        for said in ("Hello.", prompt, prompt):
            talk.say(said)
    with codex.talk(folder) as thread:
        for said in ("Hello.", prompt, prompt):
            thread.say(said)

    for model in (claude.model, codex.model):
        before, after, again = model.asked()
        assert "filler-lesson-149" in before.text
        assert gist not in before.text
        assert gist in after.since(before)
        assert again.text.count(gist) == 1


def test_a_prompt_about_nothing_brings_nothing(machine: Machine, claude: Claude, codex: Codex) -> None:
    by_hand(machine, many(150))
    machine.setup()
    folder = machine.repository()
    with claude.talk(folder) as talk:
        talk.say("Hello.")
        talk.say("Thank you, that will do for today.")
    with codex.talk(folder) as thread:
        thread.say("Hello.")
        thread.say("Thank you, that will do for today.")

    for model in (claude.model, codex.model):
        before, after = model.asked()
        assert "-lesson-" in before.text
        assert "-lesson-" not in after.since(before)
        assert "hook success" not in after.text


@pytest.mark.parametrize("text", ["Plain words, and more of them.", "規則は一つではない。", "🧭🪨 follow the cairns"])
def test_the_preload_is_within_the_limit_and_the_newest_lessons_are_in_it(
    machine: Machine, claude: Claude, codex: Codex, text: str
) -> None:
    nodes = {
        f"n{number:03}": {
            "gist": f"{number}: {text * 8}",
            "created": f"2026-06-01T00:{number // 60:02}:{number % 60:02}.000Z",
        }
        for number in range(200)
    }
    nodes["n150"]["gist"] = "long " * 200
    by_hand(machine, nodes)
    machine.setup()
    folder = machine.repository()

    run = claude.run("Hello.", folder)
    codex.run("Hello.", folder)

    outputs = [event["output"] for event in run.events if event.get("subtype") == "hook_response"]
    replies = [json.loads(output) for output in outputs if output]  # a silent one says nothing in so many words
    delivered = max((reply["hookSpecificOutput"]["additionalContext"] for reply in replies if reply), key=len)
    assert delivered in claude.model.asked()[0].text
    assert len(delivered.encode("utf-16-le")) // 2 <= 9_500
    (preload,) = [
        item.text for item in codex.model.asked()[0].items if "kg_search" in item.text and item.role == "developer"
    ]
    assert len(preload.encode()) <= 9_000
    for shown in (delivered, preload):
        assert all(f"n{number}: " in shown for number in (199, 198, 197, 196, 195))


def test_the_first_session_after_boot_has_its_preload(
    project: Path, machine: Machine, claude: Claude, codex: Codex
) -> None:
    claude.model.script(Turn(calls=(by_claude("kg_put_node", **LESSON),)))
    claude.run("Remember why the retries failed.", project)
    for run, model in ((claude.run, claude.model), (codex.run, codex.model)):
        server = machine.server()
        assert server is not None
        os.kill(server, signal.SIGKILL)
        assert until(lambda: machine.server() is None)
        seen = len(model.asked())

        run("Good morning.", project)

        assert GIST in model.asked()[seen].text
