"""The step that tells of hooks that a person has turned off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kg_harness_claude import CLAUDE
from kg_plugin_api import KgError, StepState
from kg_plugin_testing import places

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("text", ['{"disableAllHooks": true}', '\ufeff{"disableAllHooks": true}'])
def test_hooks_that_a_person_turned_off_are_told_and_stay_off(tmp_path: Path, text: str) -> None:
    site = places.site(CLAUDE, tmp_path)
    site.config.mkdir(parents=True)
    (site.config / "settings.json").write_text(text, encoding="utf-8")
    (step,) = CLAUDE.wiring.steps(site)

    status = step.status(site)
    with pytest.raises(KgError):
        step.take(site)
    step.undo(site)

    assert status.state is StepState.OPEN
    assert f"`disableAllHooks` is true in {site.config / 'settings.json'}" in status.sentence
    assert (site.config / "settings.json").read_text(encoding="utf-8") == text


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"disableAllHooks": false}', '{"disableAllHooks": "true"}'])
def test_other_settings_turn_nothing_off(tmp_path: Path, text: str) -> None:
    site = places.site(CLAUDE, tmp_path)
    (step,) = CLAUDE.wiring.steps(site)
    assert step.status(site).state is StepState.DONE
    site.config.mkdir(parents=True)
    (site.config / "settings.json").write_text(text, encoding="utf-8")

    step.take(site)

    assert step.status(site).state is StepState.DONE
