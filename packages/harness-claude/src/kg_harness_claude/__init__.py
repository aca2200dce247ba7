"""Connects Claude Code to kg. ``docs/harnesses/claude.md`` lists the files it touches and what was verified how."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from kg_harness_claude.dialect import ClaudeDialect
from kg_harness_claude.events import EVENTS
from kg_harness_claude.names import TOOL_PREFIX
from kg_harness_claude.skills import ClaudeSkills
from kg_harness_claude.wiring import ClaudeWiring
from kg_plugin_api import Harness, Limit, Maturity, Path, PathLimit, Recognition, StartContext, Unit, hookimpl

__all__ = ["CLAUDE", "kg_harnesses"]

_HOOK_REPLY: Final = Limit(9_500, Unit.UTF16)
"""The client keeps 10,000 units of one hook's text; beyond that the model sees a preview and a file name."""

_TOOL_RESULT: Final = Limit(500_000, Unit.UTF16)
"""The most that ``anthropic/maxResultSizeChars`` can ask for; the client keeps a longer result in a file."""

_DIALECT: Final = ClaudeDialect()

CLAUDE: Final = Harness(
    name="claude",
    title="Claude Code",
    maturity=Maturity.STABLE,
    recognition=Recognition(
        binaries=("claude",),
        clients=("claude-code",),
        config_variable="CLAUDE_CONFIG_DIR",
        config_default=".claude",
        tested_versions=("2.1.332",),
    ),
    events=EVENTS,
    # The client sends the contexts of earlier turns again, and leaves out a start context that it already holds.
    start_context=StartContext.PERSISTS,
    limits=(
        PathLimit(path=Path.PRELOAD, limit=_HOOK_REPLY),
        PathLimit(path=Path.EVENT, limit=_HOOK_REPLY),
        PathLimit(path=Path.READ, limit=_TOOL_RESULT),
        PathLimit(path=Path.TOOL, limit=_TOOL_RESULT),
    ),
    dialect=_DIALECT,
    wiring=ClaudeWiring(),
    tool_prefix=TOOL_PREFIX,
    tool_meta=MappingProxyType(
        {
            "*": MappingProxyType(
                {"anthropic/alwaysLoad": True, "anthropic/maxResultSizeChars": _TOOL_RESULT.maximum},
            ),
        },
    ),
    instructions=ClaudeSkills(),
    refuser=_DIALECT,
    environment_to_strip=("ANTHROPIC_", "CLAUDE", "AI_AGENT"),
)


@hookimpl
def kg_harnesses() -> tuple[Harness, ...]:
    """Offers Claude Code."""
    return (CLAUDE,)
