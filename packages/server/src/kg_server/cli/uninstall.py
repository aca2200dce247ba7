"""``kg uninstall``"""

from __future__ import annotations

import contextlib
import errno
import shutil
from typing import TYPE_CHECKING, Final

import click

from kg_core.model import USER
from kg_plugin_api import Code, KgError
from kg_server.cli import changes
from kg_server.cli.consent import somebody_is_there
from kg_server.cli.options import Report, Waiting, as_json, told, with_home
from kg_server.cli.output import tell_failure
from kg_server.cli.terminal import in_line
from kg_server.cli.turn import LOCK, own_turn
from kg_server.lifecycle.control import Control

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kg_core.claims import Editor, Outcome, Plan
    from kg_core.store import Home
    from kg_server.setup.account import Account

_ATTEMPTS: Final = 5


@click.command("uninstall")
@click.option("--harness", "named", multiple=True, metavar="NAME", help="Only this agent; may be given again.")
@click.option("--purge", is_flag=True, help="Also delete the memory itself. This cannot be undone.")
@click.option("--yes", is_flag=True, help="Ask nothing.")
@changes.with_dry_run
@as_json
@with_home
def command(
    home: Home, named: tuple[str, ...], *, purge: bool, yes: bool, dry_run: bool, full: bool, as_json: bool
) -> int:
    """Take out what setup has put into other programs' settings. The memory stays unless --purge is given.

    With --json, which wants --yes or --dry-run, one document on standard output holds, for each agent and for each
    offer that was accepted, its files with their diffs and what is still open.
    """
    if purge and named:
        raise KgError(Code.INVALID, "--purge deletes the memory of all agents; it does not go with --harness.")
    if not (yes or dry_run or (somebody_is_there() and not as_json)):
        raise KgError(Code.INVALID, "There is nobody to ask: add --yes, or look first with --dry-run.")
    with told(home, dry_run=dry_run, as_json=as_json) as report:
        if dry_run:
            return report.ends(_shown(home, named, report, purge=purge, full=full))
        with own_turn(home, begins=False):
            return report.ends(_run(home, named, report, purge=purge, yes=yes))


def _run(home: Home, named: tuple[str, ...], report: Report, *, purge: bool, yes: bool) -> int:
    from kg_server.setup.connection import Records
    from kg_server.setup.installed import remove_line

    records = Records.at(home).all(named)
    if named and not records:
        click.echo(_nothing(named))
        _tell_unrecorded(home, named)
        return 0
    held = _holds_memory(home)
    if purge and not held:
        click.echo(f"There is no memory in {in_line(home.root)}; nothing is deleted.")
    if not _agreed(records, purge=purge and held, home=home, asking=not yes):
        click.echo("Nothing was changed.")
        return 0
    not_undone = _undo_steps(home, named)
    report.more["open"] = not_undone
    if not named:
        _leave_teams(home)
        records = Records.at(home).all()
    taken_out = [_taken_out(home, name, editor, report) for name, editor in records.items()]
    sound = all(taken_out)
    _tell_unrecorded(home, named)
    with contextlib.suppress(OSError):
        (home.root / "harnesses").rmdir()  # several plug-ins share it: whoever goes last leaves it empty
    if not named:
        if held and Control(home, waiting=Waiting("Stopping the server")).stop():
            click.echo("The server is stopped.")
        if purge and held and sound:
            _purge(home)
        elif held:
            click.echo(f"The memory stays in {in_line(home.root)}.")
        click.echo(f"To remove kg itself: {remove_line()}")
        report.more["remove"] = remove_line()
    if sound and not not_undone:
        return 0
    tell_failure("Not everything was taken out; what is left is named above.")
    return 1


def _nothing(named: Sequence[str]) -> str:
    return in_line(f"kg has put nothing into the settings of {' or '.join(named) or 'other programs'}.")


def _shown(home: Home, named: tuple[str, ...], report: Report, *, purge: bool, full: bool) -> int:
    """Shows what would be done."""
    from kg_server.setup.connection import Records

    records = Records.at(home).all(named)
    for name, editor in records.items():
        plan = editor.plan_removal()
        _account(name, report).planned(plan)
        click.echo(f"# {_called(name)}\n{changes.shown(plan, full=full) or 'Nothing to change.'}")
        _refused(plan)
    if not records:
        click.echo(_nothing(named))
    _tell_unrecorded(home, named)
    if purge and _holds_memory(home):
        click.echo(f"The memory in {home.root} would be deleted.")
    click.echo(changes.unchanged(report.accounts, "uninstall", full=full))
    return 0


def _account(record: str, report: Report) -> Account:
    """A new account of what one record holds."""
    from kg_server.setup.account import Account

    report.accounts.append(Account(record, record))
    return report.accounts[-1]


def _called(record: str) -> str:
    """How a person is told of a record: what was offered behind its agent, a shared project without its number."""
    from kg_server.setup.connection import SHARED

    if record.startswith(SHARED):
        return "shared project"
    agent, _, offer = record.partition(".")
    return f"{agent} ({offer})" if offer else agent


def _agreed(records: dict[str, Editor], *, purge: bool, home: Home, asking: bool) -> bool:
    for name, editor in records.items():
        for change in editor.plan_removal().changes:
            click.echo(f"{_called(name)}: {in_line(change.path)}")
    if not asking:
        return True
    if not click.confirm("Take kg out of these files?" if records else "Stop the server?", default=True):
        return False
    return not purge or click.confirm(f"Delete the whole memory in {home.root}? This cannot be undone.", default=False)


def _holds_memory(home: Home) -> bool:
    """Whether kg has kept a memory here: a folder that was named by mistake must not lose anything."""
    return any(path.exists() for path in (home.lock, home.journal, home.graph(USER)))


def _purge(home: Home) -> None:
    """Deletes what kg keeps in the home, and the home itself when nothing else lies there.

    The lock goes last: whoever waits for it then begins anew, and nothing of theirs may be deleted.
    """
    state = [] if home.state.is_symlink() or not home.state.is_dir() else list(home.state.iterdir())
    within = [path for path in state if path.name != LOCK]
    for path in (home.memory, home.root / "harnesses", home.config, *within, home.state):
        if path.is_symlink() or path.is_file():
            path.unlink(missing_ok=True)
        elif path.exists():
            _delete(path)
    try:
        home.root.rmdir()
    except OSError:
        click.echo(f"The memory in {in_line(home.root)} is deleted. What else lies there stays.")
    else:
        click.echo(f"{in_line(home.root)} is deleted.")


def _delete(folder: Path) -> None:
    """Deletes a folder whole, also while a carrier of a session that goes on puts a last file there, or takes it."""
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            shutil.rmtree(folder)
        except OSError as failure:
            if not folder.exists():  # the other was faster
                return
            if failure.errno not in {errno.ENOTEMPTY, errno.ENOENT} or attempt == _ATTEMPTS:
                raise
        else:
            return


def _undo_steps(home: Home, named: Sequence[str]) -> list[str]:
    """Takes back what was done through the clients, newest first, as far as their plug-ins are still here.

    Returns what could not be taken back.
    """
    from kg_core.host import Plugins
    from kg_server.setup.connection import Connection, Records
    from kg_server.setup.machine import Machine
    from kg_server.setup.service import SERVICE

    left: list[str] = []
    machine, records = Machine.this(home), Records.at(home)
    for harness in (*Plugins.load().harnesses, SERVICE):
        if (named and harness.name not in named) or harness.name not in records.all():
            continue
        connection = Connection.of(machine, harness)
        try:
            for step in reversed(connection.steps()):
                connection.undo(step)
        except KgError as failure:
            click.echo(f"  NOT undone: {failure.sentence}", err=True)
            left.append(failure.sentence)
    return left


def _tell_unrecorded(home: Home, named: Sequence[str]) -> None:
    """Names the files in which something stands as kg puts it there and no record says that it did.

    It was there before, or the record went with the state folder; so it stays, and a person decides.
    """
    from kg_core.claims import ClaimState
    from kg_core.host import Plugins
    from kg_server.setup.connection import Connection
    from kg_server.setup.machine import Machine

    machine = Machine.this(home)
    for harness in Plugins.load().harnesses:
        if named and harness.name not in named:
            continue
        with contextlib.suppress(KgError):
            standing = Connection.of(machine, harness).standing()
            left = (each.claim.path for each in standing if each.state is ClaimState.PRESENT and not each.ours)
            for path in dict.fromkeys(left):
                click.echo(f"{harness.name}: {path} stays: what it has of kg was there before, or its record is lost.")


def _leave_teams(home: Home) -> None:
    """Takes kg out of the repositories that share their memory; the exchange copies stay there."""
    from kg_server.cli.team import commit_of
    from kg_server.setup.team import Team

    for team in Team.all(home):
        outcome = team.unregister()
        commit = commit_of(team, outcome)
        stays = f" {team.copy} stays." if team.copy.exists() else ""
        click.echo(in_line(f"{team.tree}: its memory is not shared any more.{stays}{commit}"))


def _taken_out(home: Home, name: str, editor: Editor, report: Report) -> bool:
    plan = editor.plan_removal()
    outcome = editor.apply(plan)
    account = _account(name, report)
    account.wrote(plan, outcome)
    for note in outcome.notes:
        click.echo(f"  {note.path}: {note.sentence}")
    if outcome.failed is not None:
        click.echo(f"  NOT taken out: {outcome.failed.sentence}", err=True)
        account.still_open.append(outcome.failed.sentence)
        for path in outcome.open:
            click.echo(f"  Not tried: {path}", err=True)
    for refusal in outcome.refusals:
        account.still_open.append(refusal.reason)
    _refused(outcome)
    # In its own folder nobody reads it any more. Elsewhere its agent does, and would start a server of kg again.
    left = [note.path for note in outcome.notes if note.whole and not note.path.is_relative_to(home.root)]
    for path in left:
        sentence = f"{path} is still read by its agent. Delete it, or move it away."
        click.echo(f"  NOT taken out: {sentence}", err=True)
        account.still_open.append(sentence)
    if left or not outcome.ok:
        return False
    click.echo(f"{_called(name)}: taken out.")
    return True


def _refused(found: Outcome | Plan) -> None:
    changes.tell_refused(found, "NOT taken out", "To take it out by hand, remove:")
