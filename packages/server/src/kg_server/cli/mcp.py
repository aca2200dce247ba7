"""``kg mcp``, for its help; the entry point starts the shim itself without this module."""

from __future__ import annotations

import click


@click.command("mcp")
@click.option("--harness", required=True, metavar="NAME", help="The agent that starts it, as `kg plugins` names it.")
@click.option("--home", metavar="FOLDER", help="The memory to use instead of $KG_HOME or ~/.kg.")
def command(harness: str, home: str | None) -> None:
    """Serve MCP on standard input and output. Agents start this; `kg setup` tells them how."""
    from kg_server.carrier import run

    run.main(["mcp", "--harness", harness, *(["--home", home] if home else [])])
