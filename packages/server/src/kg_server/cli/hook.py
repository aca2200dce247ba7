"""``kg hook``, for its help; the entry point starts the hook client itself without this module."""

from __future__ import annotations

import click


@click.command("hook")
@click.option("--harness", required=True, metavar="NAME", help="The agent that runs it, as `kg plugins` names it.")
@click.option("--event", required=True, metavar="NAME", help="The event, as the agent names it.")
@click.option("--start", is_flag=True, help="The event starts a session, which may wait for the server to start.")
@click.option("--part", type=int, default=1, metavar="N", help="Which of several hooks of the same event this is.")
@click.option("--home", metavar="FOLDER", help="The memory to use instead of $KG_HOME or ~/.kg.")
def command(harness: str, event: str, home: str | None, part: int, *, start: bool) -> None:
    """Carry one event: its payload comes on standard input, the reply goes to standard output. Always exits 0."""
    from kg_server.carrier import run

    place = ["--home", home] if home else []
    more = [*(["--start"] if start else []), "--part", str(part)]
    run.main(["hook", "--harness", harness, "--event", event, *more, *place])
