"""Connects Codex CLI to kg. ``docs/harnesses/codex.md`` lists the files it touches and what was verified how."""

from __future__ import annotations

from typing import Final

from kg_harness_codex.dialect import CodexDialect
from kg_harness_codex.events import EVENTS
from kg_harness_codex.names import TOOL_PREFIX
from kg_harness_codex.skills import CodexSkills
from kg_harness_codex.wiring import CodexWiring
from kg_plugin_api import Harness, Limit, Maturity, Path, PathLimit, Recognition, StartContext, Unit, hookimpl

__all__ = ["CODEX", "kg_harnesses"]

_HOOK_REPLY: Final = Limit(9_000, Unit.BYTES)
"""The client keeps 10,000 bytes of one hook's text and puts the rest into a readable file in the temp folder."""

_TOOL_RESULT: Final = Limit(36_000, Unit.BYTES)
"""Current models call tools from a script whose whole output is cut at 40,000 bytes."""

_DIALECT: Final = CodexDialect()

CODEX: Final = Harness(
    name="codex",
    title="Codex CLI",
    maturity=Maturity.STABLE,
    recognition=Recognition(
        binaries=("codex",),
        clients=("codex-mcp-client",),
        config_variable="CODEX_HOME",
        config_default=".codex",
        tested_versions=("0.171.0",),
    ),
    events=EVENTS,
    # A resumed session still holds its earlier contexts, and the client adds the new one beside them.
    start_context=StartContext.ACCUMULATES,
    limits=(
        PathLimit(path=Path.PRELOAD, limit=_HOOK_REPLY),
        PathLimit(path=Path.EVENT, limit=_HOOK_REPLY),
        PathLimit(path=Path.READ, limit=_TOOL_RESULT),
        PathLimit(path=Path.TOOL, limit=_TOOL_RESULT),
    ),
    dialect=_DIALECT,
    wiring=CodexWiring(),
    tool_prefix=TOOL_PREFIX,
    instructions=CodexSkills(),
    refuser=_DIALECT,
    environment_to_strip=("CODEX_", "OPENAI_"),
)


@hookimpl
def kg_harnesses() -> tuple[Harness, ...]:
    """Offers Codex CLI."""
    return (CODEX,)
