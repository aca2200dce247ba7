"""Set-up and its undoing, on machines whose clients are the real ones and whose settings are somebody's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from .claude import Claude
    from .codex import Codex
    from .machine import Machine

pytestmark = pytest.mark.acceptance

CLAUDE_SETTINGS = """\
{
    // what I set myself
    "permissions": {"allow": ["Read"]},
    "autoMemoryEnabled": true,
}
"""
CODEX_SETTINGS = """\
# what I set myself
model = "scripted-model"   # and why

[features]
memories = true
"""


@pytest.fixture
def settings(claude: Claude, codex: Codex) -> tuple[Path, Path]:
    """The two settings files of a person who has some of their own."""
    ours, theirs = claude.config / "settings.json", codex.config / "config.toml"
    ours.write_text(CLAUDE_SETTINGS, encoding="utf-8")
    theirs.write_text(CODEX_SETTINGS, encoding="utf-8")
    return ours, theirs


def test_without_trust_doctor_says_in_words_that_codex_skips_the_hooks(machine: Machine, codex: Codex) -> None:
    machine.kg("setup", "--yes", "--harness", "codex", check=False)

    said = machine.run("kg", "doctor", check=False)
    folder = machine.repository()
    codex.run("Hello.", folder)

    assert "not trusted" in said.stdout
    assert "/hooks" in said.stdout
    assert "kg_search" not in "\n".join(item.text for item in codex.model.asked()[0].items if item.role == "developer")


def test_set_up_with_trust_leaves_doctor_content(machine: Machine, settings: tuple[Path, Path]) -> None:
    machine.setup()

    assert machine.run("kg", "doctor").returncode == 0


def test_set_up_twice_changes_nothing(machine: Machine, settings: tuple[Path, Path]) -> None:
    machine.setup()
    once = [file.read_bytes() for file in settings]
    machine.setup()

    assert [file.read_bytes() for file in settings] == once


def test_uninstall_gives_every_byte_back_and_the_clients_work_without_kg(
    machine: Machine, claude: Claude, codex: Codex, settings: tuple[Path, Path]
) -> None:
    machine.setup()
    assert [file.read_text(encoding="utf-8") for file in settings] != [CLAUDE_SETTINGS, CODEX_SETTINGS]
    machine.kg("uninstall", "--yes")

    assert [file.read_text(encoding="utf-8") for file in settings] == [CLAUDE_SETTINGS, CODEX_SETTINGS]
    assert not (codex.config / "plugins" / "cache" / "kg").exists()
    folder = machine.repository()
    claude.run("Hello.", folder)
    codex.run("Hello.", folder)
    for model in (claude.model, codex.model):
        assert model.asked()
        for request in model.asked():
            assert "kg_" not in "\n".join((*request.tools, request.text))
