"""``kg setup --search``"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kg_plugin_api import Code, KgError, StepState
from kg_server.cli.changes import shown
from kg_server.cli.control import control
from kg_server.cli.options import told
from kg_server.cli.output import tell_failure
from kg_server.cli.place import working_folder
from kg_server.cli.readable import brief
from kg_server.cli.terminal import in_line
from kg_server.cli.turn import own_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kg_core.store import Home
    from kg_server.setup.searching import Choice


def choose(
    home: Home,
    name: str,
    options: Sequence[str],
    *,
    agreed: Callable[[], bool],
    dry_run: bool,
    full: bool,
    as_json: bool,
) -> int:
    """Takes the steps of a search backend, has the settings choose it, and waits until it has what this folder sees.

    Nothing is chosen while a step is open. Returns the exit code.
    """
    from kg_server.installed import plugins_of
    from kg_server.setup.searching import choice

    with told(home, dry_run=dry_run, as_json=as_json) as report:
        chosen = choice(home, plugins_of(home), name, options)
        told_of: dict[str, object] = {"backend": chosen.name, "steps": [], "files": [], "open": [], "health": None}
        report.more["search"] = told_of
        if dry_run:
            return report.ends(_shown(chosen, told_of, full=full))
        try:
            with own_turn(home):
                if not _written(chosen, told_of, agreed):
                    return report.ends(0)
                _wait(chosen, told_of)
        except KgError as failure:
            told_of["open"] = [failure.sentence]
            left = "" if told_of["files"] else "The settings are as they were. "
            again = "Run `kg setup` again once that is mended."
            tell_failure(f"{failure.sentence} {left}{again}")
            return report.ends(1)
        return report.ends(0)


def _shown(chosen: Choice, told_of: dict[str, object], *, full: bool) -> int:
    plan, steps = chosen.plan(), [(step.title, step.status()) for step in chosen.steps()]
    told_of["files"] = [str(change.path) for change in plan.changes]
    click.echo(shown(plan, full=full) or "Nothing to change.")
    told_of["steps"] = [{"title": title, "state": str(status.state)} for title, status in steps]
    for title, status in steps:
        why = f" ({status.sentence.rstrip('.')})" if status.sentence else ""
        click.echo(f"# Step: {title}: {status.state}{why}")
    return 0


def _written(chosen: Choice, told_of: dict[str, object], agreed: Callable[[], bool]) -> bool:
    """Takes the steps and writes the settings. False when the person wants them left as they are. Raises KgError."""
    plan, steps = chosen.plan(), chosen.steps()
    for change in plan.changes:
        click.echo(f"This file will be written (--dry-run --full shows how): {in_line(change.path)}")
    for refusal in plan.refusals:
        click.echo(f"NOT changed: {refusal.reason}\nTo do it by hand:\n{refusal.snippet}", err=True)
    if plan.refusals:
        raise KgError(Code.CONFLICT, " ".join(each.reason for each in plan.refusals))
    if plan.changes and not agreed():
        click.echo("Left as it is.")
        return False
    taken: list[dict[str, str]] = []
    told_of["steps"] = taken
    for step in steps:
        status = step.status()
        if status.state is StepState.DONE:
            click.echo(f"{step.title}: {status.sentence}")
        else:
            click.echo(f"{step.title} …")
            step.take(lambda line: click.echo(f"  {line}"))
            click.echo("  Done.")
        taken.append({"title": step.title, "state": str(StepState.DONE)})
    outcome = chosen.editor.apply(plan)
    told_of["files"] = [str(path) for path in outcome.done]
    if outcome.failed is not None:
        raise KgError(Code.READ_ONLY, outcome.failed.sentence)
    return True


def _wait(chosen: Choice, told_of: dict[str, object]) -> None:
    """Restarts the server and waits until the backend has the user's memory and this folder's. Raises KgError."""
    from kg_server.client import Client
    from kg_server.setup.searching import wait

    server = control(chosen.home, "Restarting the server")
    server.restart()
    if chosen.factory is None:
        click.echo("The built-in index answers.")
        return
    with Client(chosen.home) as client:  # what nobody has asked for since the restart is not open, nor indexed
        client.get("/api/v1/show", {"cwd": str(working_folder())})
    health = wait(server.health, lambda line: click.echo(f"  {line}"))
    told_of["health"] = dict(health)
    said = ", ".join(f"{name} {brief(value) or value}" for name, value in health["said"].items())
    click.echo(f"{chosen.factory.title or chosen.name}: it answers ({said}).")
