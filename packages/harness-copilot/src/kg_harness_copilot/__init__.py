"""Connects GitHub Copilot CLI to kg. ``docs/harnesses/copilot.md`` lists its files and what was verified how."""

from __future__ import annotations

from typing import Final

from kg_harness_copilot.dialect import CopilotDialect
from kg_harness_copilot.events import EVENTS
from kg_harness_copilot.names import TOOL_PREFIX
from kg_harness_copilot.skills import CopilotSkills
from kg_harness_copilot.wiring import CopilotWiring
from kg_plugin_api import Harness, Limit, Maturity, Path, PathLimit, Recognition, StartContext, Unit, hookimpl

__all__ = ["COPILOT", "kg_harnesses"]

_HOOK_REPLY: Final = Limit(10_000, Unit.UTF16)
"""After a tool the client keeps 10,240 units, and drops the rest without a word.

A session start and a prompt may bring more; a preload may ride any event, though, and so keeps to the narrowest.
"""

_TOOL_RESULT: Final = Limit(20_000, Unit.BYTES)
"""The client keeps 20,480 bytes of a result; of a longer one the model sees a preview and a file name."""

_DIALECT: Final = CopilotDialect()

COPILOT: Final = Harness(
    name="copilot",
    title="GitHub Copilot CLI",
    maturity=Maturity.STABLE,
    recognition=Recognition(
        binaries=("copilot",),
        clients=("copilot-cli",),
        config_variable="COPILOT_HOME",
        config_default=".copilot",
        tested_versions=("1.0.102",),
    ),
    events=EVENTS,
    # The client keeps no text of a session start: each process asks for it anew and puts it before everything.
    start_context=StartContext.REPLACED,
    limits=(
        PathLimit(path=Path.PRELOAD, limit=_HOOK_REPLY),
        PathLimit(path=Path.EVENT, limit=_HOOK_REPLY),
        PathLimit(path=Path.READ, limit=_TOOL_RESULT),
        PathLimit(path=Path.TOOL, limit=_TOOL_RESULT),
    ),
    dialect=_DIALECT,
    wiring=CopilotWiring(),
    tool_prefix=TOOL_PREFIX,
    instructions=CopilotSkills(),
    refuser=_DIALECT,
    # What it gives to the programs that it starts: itself, its user's tokens, the project's folder, options for git.
    environment_to_strip=("COPILOT_", "GITHUB_TOKEN", "GH_TOKEN", "CLAUDE_PROJECT_DIR", "GIT_CONFIG_"),
)


@hookimpl
def kg_harnesses() -> tuple[Harness, ...]:
    """Offers GitHub Copilot CLI."""
    return (COPILOT,)
