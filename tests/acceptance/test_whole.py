"""All active lessons in front of the model from the first request on, for a person who asks for it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from .lessons import by_hand, many, times

if TYPE_CHECKING:
    from pathlib import Path

    from .claude import Claude
    from .codex import Codex
    from .endpoint import Request
    from .machine import Machine

pytestmark = pytest.mark.acceptance

COUNT = 100


@pytest.fixture
def project(machine: Machine, claude: Claude, codex: Codex) -> Path:
    """A repository on a machine whose user's memory is more than one hook can bring, and who wants all of it."""
    del claude, codex
    by_hand(machine, many(COUNT))
    (machine.memory / "config.toml").write_text("[preload]\nwhole = true\n", encoding="utf-8")
    machine.setup()
    return machine.repository()


def shown(request: Request) -> list[int]:
    """How often each lesson stands in what the model is given."""
    texts = [item.text for item in request.items]
    return [times(texts, f"filler-lesson-{number:03}: ") for number in range(COUNT)]


def test_every_lesson_is_in_the_first_request_once_and_nothing_of_it_is_cut(
    project: Path, claude: Claude, codex: Codex
) -> None:
    session = claude.run("First.", project).session
    claude.run("Second.", project, resume=session)
    thread = codex.run("First.", project).session
    codex.run("Second.", project, resume=thread)

    for model in (claude.model, codex.model):
        assert [shown(request) for request in model.asked()] == [[1] * COUNT] * 2
        assert "persisted-output" not in model.asked()[0].text
        assert "truncated" not in model.asked()[0].text


def test_after_a_compaction_every_lesson_comes_again(project: Path, claude: Claude) -> None:
    session = claude.run("First.", project).session
    claude.run("/compact keep it short", project, resume=session)
    claude.run("Second.", project, resume=session)

    assert shown(claude.model.asked()[-1]) == [1] * COUNT


def test_without_the_setting_a_session_starts_with_one_hook_and_a_core(machine: Machine, claude: Claude) -> None:
    by_hand(machine, many(COUNT))
    machine.setup("claude")

    claude.run("First.", machine.repository())

    hooks = machine.memory / "harnesses" / "claude" / "kg" / "hooks" / "hooks.json"
    (group,) = json.loads(hooks.read_text(encoding="utf-8"))["hooks"]["SessionStart"]
    assert len(group["hooks"]) == 1
    assert 0 < sum(shown(claude.model.asked()[0])) < COUNT
