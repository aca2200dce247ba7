"""In a folder where a person has turned memory off, the real clients work as without it; elsewhere as with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .endpoint import Turn
from .lessons import by_claude, by_codex, by_hand
from .machine import until

if TYPE_CHECKING:
    from .claude import Claude
    from .codex import Codex
    from .machine import Machine

pytestmark = pytest.mark.acceptance

GIST = "The kettle whistle is tuned by its second hole."
NEW = {"level": "user", "id": "new-lesson", "gist": "A lesson that is new."}
REFUSAL = "The user has turned memory off in this folder"


def test_what_is_off_for_a_folder_is_off_for_both_clients_there_and_nowhere_else(
    machine: Machine, claude: Claude, codex: Codex
) -> None:
    by_hand(machine, {"kettle-whistle-pitch": {"gist": GIST}})
    off, on = machine.repository("acme"), machine.repository("shop")
    (machine.memory / "config.toml").write_text(f'[projects]\noff = ["{off}"]\n', encoding="utf-8")
    machine.setup()

    claude.model.script(Turn(calls=(by_claude("kg_put_node", **NEW),)))
    claude.run("Why is the kettle whistle off?", off)
    codex.model.script(Turn(calls=(by_codex("kg_put_node", **NEW),)))
    codex.run("Why is the kettle whistle off?", off)

    for model in (claude.model, codex.model):
        *_, last = model.asked()
        assert GIST not in last.text
        assert REFUSAL in last.text
    claude.run("Look into it.", on)
    assert GIST in claude.model.asked()[-1].text
    assert until(lambda: "kettle-whistle-pitch" in machine.nodes("user"))
    assert "new-lesson" not in machine.nodes("user")
