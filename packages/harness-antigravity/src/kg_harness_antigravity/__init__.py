"""Connects Antigravity CLI to kg. ``docs/harnesses/antigravity.md`` lists the files it touches and how it was tried."""

from __future__ import annotations

from typing import Final

from kg_harness_antigravity.dialect import AntigravityDialect
from kg_harness_antigravity.events import EVENTS
from kg_harness_antigravity.names import TOOL_PREFIX
from kg_harness_antigravity.skills import AntigravitySkills
from kg_harness_antigravity.transcript import AntigravityTranscript
from kg_harness_antigravity.wiring import AntigravityWiring
from kg_plugin_api import (
    Harness,
    Limit,
    Maturity,
    Path,
    PathLimit,
    Queued,
    Recognition,
    StartContext,
    Unit,
    hookimpl,
)

__all__ = ["ANTIGRAVITY", "kg_harnesses"]

_EVENT: Final = Limit(10_000, Unit.BYTES)
"""What one event may add to the queue; a preload is a core, though the client would take more."""

_DELIVERY: Final = Queued(packet=Limit(40_000, Unit.BYTES), inline=Limit(3_500, Unit.BYTES))
"""A hook's message of 40,000 bytes arrives whole; of a tool's result, at least 3,500 bytes do whatever its settings."""

ANTIGRAVITY: Final = Harness(
    name="antigravity",
    title="Antigravity CLI",
    maturity=Maturity.EXPERIMENTAL,
    # No version is named as tested: the client cannot be installed from a registry, so it was never run.
    recognition=Recognition(
        binaries=("agy",), clients=("antigravity-client",), config_default=".gemini/antigravity-cli"
    ),
    events=EVENTS,
    # Messages stay in the conversation, and a resumed one has no start of its own.
    start_context=StartContext.PERSISTS,
    limits=(
        PathLimit(path=Path.PRELOAD, limit=_EVENT),
        PathLimit(path=Path.EVENT, limit=_EVENT),
        PathLimit(path=Path.READ, limit=None),
        PathLimit(path=Path.TOOL, limit=None),
    ),
    dialect=AntigravityDialect(),
    wiring=AntigravityWiring(),
    delivery=_DELIVERY,
    tool_prefix=TOOL_PREFIX,
    environment_to_strip=("ANTIGRAVITY_", "GEMINI_"),
    transcripts=AntigravityTranscript(),
    instructions=AntigravitySkills(),
)


@hookimpl
def kg_harnesses() -> tuple[Harness, ...]:
    """Offers Antigravity CLI."""
    return (ANTIGRAVITY,)
