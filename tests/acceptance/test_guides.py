"""The guides as the real clients show them to a model: told in the first request, whole when they are asked for."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING

import pytest

from kg_harness_claude import CLAUDE
from kg_harness_codex import CODEX
from kg_harness_copilot import COPILOT
from kg_plugin_api import Guide
from kg_server.guides import guides

from .endpoint import Call, Turn

if TYPE_CHECKING:
    from pathlib import Path

    from kg_plugin_api import InstructionChannel

    from .claude import Claude
    from .codex import Codex
    from .copilot import Copilot
    from .machine import Machine

pytestmark = pytest.mark.acceptance


@pytest.fixture
def project(machine: Machine, claude: Claude, codex: Codex) -> Path:
    """A repository on a machine where kg is set up for both clients."""
    machine.setup()
    return machine.repository()


def at_the_limits(channel: InstructionChannel | None, folder: Path) -> tuple[Guide, Guide]:
    """Two more skills: one as long as it may be, and one whose description is longer by one."""
    assert channel is not None
    most = channel.description.maximum
    body = "x" * (channel.body.maximum - 5) + "\nEnd\n"
    within = Guide(name="within", title="W", description="w" * (most - 4) + "last", body=body, version=1)
    beyond = Guide(name="beyond", title="B", description="b" * (most - 3) + "last", body="B.\n", version=1)
    for guide in (within, beyond):
        (folder / guide.name).mkdir()
        (folder / guide.name / "SKILL.md").write_text(guide.skill(), encoding="utf-8")
    return within, beyond


def test_claude_code_lists_every_guide_and_shows_the_text_of_one_that_is_used(
    project: Path, machine: Machine, claude: Claude
) -> None:
    within, beyond = at_the_limits(CLAUDE.instructions, machine.memory / "harnesses" / "claude" / "kg" / "skills")
    used = [*guides(CLAUDE.tool_prefix), within]
    calls = (Call(name="Skill", arguments={"skill": f"kg:{guide.name}"}) for guide in used)
    claude.model.script(Turn(calls=tuple(calls)))
    claude.run("Hello.", project)

    first, *later = claude.model.asked()
    for guide in used:
        assert f"kg:{guide.name}: {guide.description}" in first.text
        assert guide.body.strip() not in first.text
        assert guide.body.strip() in later[-1].text
    assert beyond.description not in first.text


def test_codex_lists_every_guide_and_shows_the_text_of_one_that_is_used(project: Path, codex: Codex) -> None:
    folder = codex.config / "plugins" / "cache" / "kg" / "kg-skills" / "1.0.0" / "skills"
    within, beyond = at_the_limits(CODEX.instructions, folder)
    told = [*guides(CODEX.tool_prefix), within]
    codex.run("Hello.", project)
    codex.run("$kg-skills:capture $kg-skills:within What did we learn?", project)

    first, asked = codex.model.asked()
    for guide in told:
        assert f"kg-skills:{guide.name}: {guide.description}" in first.text
        assert guide.body.strip() not in first.text
    for guide in (told[0], within):
        assert guide.body.strip() in asked.text
    assert beyond.description not in first.text


def test_copilot_lists_every_guide_and_shows_the_text_of_one_that_is_used(machine: Machine, copilot: Copilot) -> None:
    machine.setup("copilot")
    within, beyond = at_the_limits(COPILOT.instructions, copilot.config / "skills")
    told = guides(COPILOT.tool_prefix)
    names = [*(f"kg-{guide.name}" for guide in told), within.name]
    copilot.model.script(Turn(calls=tuple(Call(name="skill", arguments={"skill": name}) for name in names)))
    copilot.run("Hello.", machine.repository())

    first, *later = copilot.model.asked()
    listed = html.unescape(json.dumps(first.body, ensure_ascii=False).replace('\\"', '"'))
    for guide in (*told, within):
        assert guide.description in listed
        assert guide.body.strip() not in first.text
        assert guide.body.strip() in later[-1].text
    assert f"<name>kg-{told[0].name}</name>" in listed
    assert f"<name>{beyond.name}</name>" not in listed
