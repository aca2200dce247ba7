"""The tools as a client is shown them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_server.interface import ToolSpec
from kg_server.texts import description
from kg_server.tools.arguments import SESSION, schema
from kg_server.tools.catalogue import TOOLS

if TYPE_CHECKING:
    from kg_plugin_api import Harness


def specs(harness: Harness) -> list[ToolSpec]:
    """Every tool in the form of this client; ``session_id`` only where no hook tells who calls."""
    hidden = (SESSION,) if harness.events else ()
    return [
        ToolSpec(
            name=tool.name,
            description=description(tool.name, has_events=bool(harness.events)),
            input_schema=schema(tool.arguments, hidden),
            annotations={
                "title": tool.title,
                "readOnlyHint": tool.read_only,
                "destructiveHint": tool.destructive,
                "idempotentHint": tool.idempotent,
                "openWorldHint": False,
            },
            meta={**harness.tool_meta.get("*", {}), **harness.tool_meta.get(tool.name, {})},
        )
        for tool in TOOLS.values()
    ]
