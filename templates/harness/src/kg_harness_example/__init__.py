"""Connects Example Title to kg."""

from __future__ import annotations

from typing import Final

from kg_harness_example.dialect import ExampleDialect
from kg_harness_example.events import EVENTS
from kg_harness_example.wiring import ExampleWiring
from kg_plugin_api import Harness, Limit, Maturity, Path, PathLimit, Recognition, StartContext, Unit, hookimpl

__all__ = ["EXAMPLE", "kg_harnesses"]

_KEPT: Final = Limit(9_000, Unit.CHARACTERS)
"""What the agent keeps of one text, in what it counts."""

EXAMPLE: Final = Harness(
    name="example",
    title="Example Title",
    maturity=Maturity.EXPERIMENTAL,
    recognition=Recognition(
        binaries=("example",),
        config_variable="EXAMPLE_HOME",
        config_default=".example",
        tested_versions=("1.0",),
    ),
    events=EVENTS,
    start_context=StartContext.PERSISTS,
    limits=tuple(PathLimit(path=path, limit=_KEPT) for path in Path),
    dialect=ExampleDialect(),
    wiring=ExampleWiring(),
    environment_to_strip=("EXAMPLE_",),
)


@hookimpl
def kg_harnesses() -> tuple[Harness, ...]:
    """Offers Example Title."""
    return (EXAMPLE,)
