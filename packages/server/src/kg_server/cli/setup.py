"""``kg setup``"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kg_plugin_api import Code, KgError, StepState
from kg_server.cli.control import control
from kg_server.cli.options import with_home

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_core.claims import Outcome, Plan
    from kg_core.store import Home
    from kg_plugin_api import Harness
    from kg_server.setup.choice import Choice
    from kg_server.setup.connection import Connection


@click.command("setup")
@click.option("--harness", "named", multiple=True, metavar="NAME", help="Only this agent; may be given again.")
@click.option("--yes", is_flag=True, help="Ask nothing: do what is needed and accept what is offered.")
@click.option("--trust-hooks", is_flag=True, help="Also trust our hooks in the agents' own interfaces.")
@click.option("--dry-run", is_flag=True, help="Show every change to every file and do nothing.")
@with_home
def command(home: Home, named: tuple[str, ...], *, yes: bool, trust_hooks: bool, dry_run: bool) -> int:
    """Connect the agents on this machine to kg, start the server, and prove that memory works."""
    from kg_server.installed import plugins_of
    from kg_server.setup.choice import chosen
    from kg_server.setup.connection import Connection, Records
    from kg_server.setup.installed import lasting
    from kg_server.setup.machine import Machine

    if not lasting():
        raise KgError(Code.REFUSED, "This kg runs from a cache that may vanish. Install it with pip, uv tool or pipx.")
    machine, plugins = Machine.this(home), plugins_of(home)
    choice = chosen(plugins, machine, named)
    _tell(choice, plugins.harnesses)
    connections = [Connection(harness, machine.site(harness), Records.at(home)) for harness in choice.harnesses]
    if dry_run:
        for connection in connections:
            _preview(connection)
        return 0
    asking = not yes
    if asking and connections and not sys.stdin.isatty():
        raise KgError(Code.INVALID, "There is nobody to ask: add --yes, or look first with --dry-run.")
    sound = [_connect(connection, asking=asking, trust_hooks=trust_hooks) for connection in connections]
    _prove(home, connections, [harness.name for harness in plugins.harnesses])
    return 0 if all(sound) else 1


def _tell(choice: Choice, installed: Sequence[Harness]) -> None:
    from kg_server.setup.installed import add_line

    for name in choice.missing:
        click.echo(f"{name} is on this machine, but its plug-in is not. Add it with: {add_line(name)}")
    if not choice.harnesses:
        have = ", ".join(harness.name for harness in installed)
        hint = f"Name one with --harness ({have})." if have else "Any MCP client can run `kg mcp --harness mcp`."
        click.echo(f"No agent was found here. {hint} `kg demo` shows how two of them share a memory.")


def _preview(connection: Connection) -> None:
    plan = connection.plan()
    click.echo(f"# {connection.harness.title}")
    click.echo(plan.diff() or "Nothing to change.")
    _refused(plan)
    for offer in connection.offers():
        click.echo(f"# Offered: {offer.question}\n{connection.accepted(offer).diff()}")
    for step in connection.steps():
        if connection.state(step).state is not StepState.DONE:
            click.echo(f"# Step: {step.title}\n{step.explanation}")


def _connect(connection: Connection, *, asking: bool, trust_hooks: bool) -> bool:
    """Writes the claims of one harness, takes its steps and makes its offers. False when something is left wrong."""
    title, plan = connection.harness.title, connection.plan()
    if plan.empty:
        click.echo(f"{title}: already connected." if not plan.refusals else f"{title}:")
    else:
        click.echo(f"{title}: these files will be written (`kg setup --dry-run` shows how):")
        for change in plan.changes:
            click.echo(f"  {change.path}")
        if asking and not click.confirm("Go on?", default=True):
            click.echo(f"{title}: left as it is.")
            return True
    sound = _written(connection.apply(plan), plan)
    sound &= _take_steps(connection, trust_hooks=trust_hooks)
    for offer in connection.offers():
        if not asking or click.confirm(offer.question, default=True):
            sound &= _written(connection.accept(offer), connection.accepted(offer))
            click.echo(f"  {offer.question} Yes.")
    return sound


def _take_steps(connection: Connection, *, trust_hooks: bool) -> bool:
    sound = True
    for step in connection.steps():
        if connection.state(step).state is StepState.DONE:
            continue
        if step.needs_consent and not trust_hooks:
            click.echo(f"  Left to you: {step.title}. {step.explanation} Or run `kg setup --trust-hooks`.")
            continue
        click.echo(f"  {step.title} …")
        try:
            step.take(connection.site)
            click.echo("  Done.")
        except KgError as failure:
            click.echo(f"  NOT done: {step.title}. {failure.sentence} {step.explanation}", err=True)
            sound = False
    return sound


def _written(outcome: Outcome, plan: Plan) -> bool:
    for note in outcome.notes:
        click.echo(f"  {note.path}: {note.sentence}")
    if outcome.backup is not None:
        click.echo(f"  The originals are in {outcome.backup}.")
    if outcome.failed is not None:
        click.echo(f"  NOT written: {outcome.failed.path}: {outcome.failed.sentence}", err=True)
    _refused(plan)
    return outcome.ok


def _refused(plan: Plan) -> None:
    for refusal in plan.refusals:
        click.echo(f"  NOT changed: {refusal.path}: {refusal.reason}", err=True)
        click.echo(f"  To do it by hand:\n{refusal.snippet}", err=True)


def _prove(home: Home, connections: Sequence[Connection], harnesses: Sequence[str]) -> None:
    """Starts the server, of this version and with these plug-ins, and asks it the way each agent does."""
    from kg_server.setup.launch import shim
    from kg_server.setup.verify import through_shim

    started = control(home, "Starting the server").start(harnesses=harnesses)
    click.echo(f"The server runs (process {started.health['pid']}) and keeps the memory in {home.root}.")
    for name, command in [(c.harness.title, c.site.launch.shim) for c in connections] or [("mcp", shim(home, "mcp"))]:
        proof = through_shim(command, Path.home())
        click.echo(f"{name}: memory answers, {proof.tools} tools, {proof.seconds * 1000:.0f} ms.")
    if connections:
        click.echo("Start a new session of your agent: what it learns, the others are given. `kg doctor` checks all.")
