"""The guides as the real clients show them to a model: told in the first request, whole when they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kg_server.guides import guides

from .endpoint import Call, Turn

if TYPE_CHECKING:
    from pathlib import Path

    from .claude import Claude
    from .codex import Codex
    from .machine import Machine

pytestmark = pytest.mark.acceptance

PLUGINS = {"claude": "kg", "codex": "kg-skills"}


@pytest.fixture
def project(machine: Machine, claude: Claude, codex: Codex) -> Path:
    """A repository on a machine where kg is set up for both clients."""
    machine.setup()
    return machine.repository()


def test_claude_code_lists_every_guide_with_its_whole_description_and_shows_a_body_when_asked(
    project: Path, claude: Claude
) -> None:
    claude.model.script(
        *(Turn(calls=(Call(name="Skill", arguments={"skill": f"kg:{guide.name}"}),)) for guide in guides(""))
    )
    claude.run("Hello.", project)

    first, *later = claude.model.asked()
    for guide in guides(""):
        assert f"kg:{guide.name}: {guide.description}" in first.text
        assert guide.body not in first.text
    for guide in guides("mcp__plugin_kg_kg__"):
        assert guide.body.strip() in later[-1].text


def test_codex_lists_every_guide_with_its_whole_description_and_shows_a_body_when_asked(
    project: Path, codex: Codex
) -> None:
    codex.run("Hello.", project)
    codex.run("$kg-skills:capture What did we learn?", project)

    first, asked = codex.model.asked()
    for guide in guides(""):
        assert f"kg-skills:{guide.name}: {guide.description}" in first.text
        assert guide.body not in first.text
    (capture,) = [guide for guide in guides("mcp__kg__") if guide.name == "capture"]
    assert capture.body.strip() in asked.text
