"""What ``kg setup --team`` says and does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kg_plugin_api import KgError
from kg_server.cli.changes import shown
from kg_server.cli.control import control
from kg_server.cli.options import patiently
from kg_server.cli.output import tell_failure
from kg_server.cli.place import working_folder
from kg_server.cli.terminal import in_line
from kg_server.cli.turn import own_turn
from kg_server.counting import counted

if TYPE_CHECKING:
    from kg_core.claims import Outcome
    from kg_core.store import Home
    from kg_server.setup.team import Team


def share(home: Home, *, dry_run: bool, full: bool, off: bool) -> int:
    """Lets the repository of this folder take part in an exchange of memory, or not any longer. The exit code."""
    from kg_server.setup.team import Team

    team = Team.around(home, working_folder())
    if off and not team.takes_part:
        if not dry_run and team.copy.exists():
            team.decline()
        click.echo(in_line(f"{team.tree} does not share its memory; there is nothing to end."))
        return 0
    if dry_run:
        _preview(team, off=off, full=full)
        return 0
    with own_turn(home):
        return _leave(home, team) if off else _join(home, team)


def _preview(team: Team, *, off: bool, full: bool) -> None:
    if off:
        click.echo(in_line(f"# {team.tree} would share its memory no longer; {team.copy} would stay."))
        return
    click.echo(in_line(f"# {team.copy} would be kept in step with the memory of this project."))
    for name, value in team.settings().items():
        click.echo(f"# git config --local {name} '{value}'")
    click.echo(shown(team.plan(), full=full) or "Nothing else to change.")


def _join(home: Home, team: Team) -> int:
    outcome = team.register()
    _start(home)
    copy = next((each for each in _synced(home) if each["path"] == str(team.copy)), None)
    if copy is None or copy["problem"]:
        problem = copy["problem"] if copy else "the folder belongs to no project."
        tell_failure(f"The memory was not exchanged: {problem}")
        return 1
    kept = f"{team.copy} is kept in step with the memory of this project. Commit the folder {team.copy.parent}."
    click.echo(in_line(kept))
    if copy["changed"]:
        click.echo(f"New here from it: {counted(copy['changed'], 'lesson')}.")
    if copy["conflicts"]:
        click.echo(f"Both versions are kept of: {', '.join(copy['conflicts'])}.")
    return _ended(outcome)


def _start(home: Home) -> None:
    control(home, "Starting the server").start()


def _leave(home: Home, team: Team) -> int:
    try:
        _synced(home)
    except KgError as failure:
        click.echo(f"Note: the copy was not brought up to date: {failure.sentence}", err=True)
    outcome = team.unregister()
    team.decline()
    stays = "stays in the repository and " if team.copy.exists() else ""
    left = f"{team.copy} {stays}is not kept in step any longer.{commit_of(team, outcome)}"
    click.echo(in_line(left))
    return _ended(outcome)


def _ended(outcome: Outcome) -> int:
    """Tells what could not be written into the work tree; the exit code."""
    for refusal in outcome.refusals:
        tell_failure(refusal.reason)
        click.echo(f"To do it by hand:\n{refusal.snippet}", err=True)
    if outcome.failed is not None:
        tell_failure(outcome.failed.sentence)
    return 0 if outcome.ok else 1


def commit_of(team: Team, outcome: Outcome) -> str:
    """A sentence on what leaving has deleted in the repository and the person has to commit; empty when nothing."""
    deleted = team.to_commit(outcome)
    return f" Commit that {' and '.join(deleted)} is deleted." if deleted else ""


def _synced(home: Home) -> list[dict[str, Any]]:
    from kg_server.client import Client

    with Client(home) as client:
        copies: list[dict[str, Any]] = patiently("Exchanging", lambda: client.post("/api/v1/team", {}, within=120))[
            "copies"
        ]
    return copies
