"""A person who has turned all hooks of an agent off is told why no lesson comes by itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .claude import Claude
    from .codex import Codex
    from .machine import Machine

pytestmark = pytest.mark.acceptance


def test_hooks_that_are_turned_off_are_named_by_setup_and_doctor(
    machine: Machine, claude: Claude, codex: Codex
) -> None:
    machine.setup()
    folder = machine.repository()
    machine.kg("add", "The kettle whistles at pitch A", "--level", "user")
    settings = machine.home / ".claude" / "settings.json"
    written = json.loads(settings.read_text(encoding="utf-8"))
    settings.write_text(json.dumps({**written, "disableAllHooks": True}), encoding="utf-8")
    config = machine.home / ".codex" / "config.toml"
    features = config.read_text(encoding="utf-8").replace("[features]\n", "[features]\nhooks = false\n")
    config.write_text(features, encoding="utf-8")

    claude.run("Hello.", folder)
    codex.run("Hello.", folder)
    found = machine.run("kg", "doctor", check=False)
    again = machine.run("kg", "setup", "--yes", "--trust-hooks", check=False)

    assert "kettle" not in claude.model.asked()[0].text + codex.model.asked()[0].text
    assert (found.returncode, again.returncode) == (1, 1)
    for named in (f"`disableAllHooks` is true in {settings}", f"`hooks` is false in `[features]` of {config}"):
        assert named in found.stdout
        assert named in again.stdout
    assert "memory answers" in again.stdout
