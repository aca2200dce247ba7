"""How commands that change settings show a person what they would do to files: shortly, or line by line."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from kg_plugin_api import Code, KgError
from kg_server.cli.terminal import in_line
from kg_server.counting import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kg_core.claims import FileChange, Outcome, Plan
    from kg_server.setup.account import Account


def with_dry_run(function: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command ``--dry-run``, and ``--full`` that goes with it. Raises INVALID for the second alone."""

    @click.option("--dry-run", is_flag=True, help="Say what would be done to which file, and do nothing.")
    @click.option("--full", is_flag=True, help="With --dry-run: show every line of every change.")
    @functools.wraps(function)
    def wrapped(*args: Any, dry_run: bool, full: bool, **options: Any) -> Any:
        if full and not dry_run:
            raise KgError(Code.INVALID, "--full goes with --dry-run.")
        return function(*args, dry_run=dry_run, full=full, **options)

    return wrapped


def shown(plan: Plan, *, full: bool) -> str:
    """Each file with what would happen to it on one line, or as a diff; empty when nothing would."""
    return "\n".join(_diff(change) if full else f"  {in_line(change.path)}: {_told(change)}" for change in plan.changes)


def unchanged(accounts: Sequence[Account], command: str, *, full: bool) -> str:
    """What ends a dry run: how many files the command would change, besides those of what is only offered."""
    count = sum(len(account.files) for account in accounts)
    if not count:
        return f"Nothing was changed, and `kg {command}` would change no file."
    how = "" if full else " Add --full to see how."
    return f"Nothing was changed; `kg {command}` would change {counted(count, 'file')}.{how}"


def tell_refused(found: Outcome | Plan, told: str, by_hand: str) -> None:
    """Says on standard error, of each file that stays as it is, why, and all that a person may do there instead."""
    for reason in dict.fromkeys(refusal.reason for refusal in found.refusals):
        snippets = (refusal.snippet for refusal in found.refusals if refusal.reason == reason)
        click.echo(f"  {told}: {reason}", err=True)
        click.echo("\n".join((f"  {by_hand}", *snippets)), err=True)


def _told(change: FileChange) -> str:
    added, removed = change.extent()
    if change.before is None:
        return f"new, {counted(added, 'line')}"
    if change.after is None:
        return f"deleted, {counted(removed, 'line')}"
    if not (added or removed):
        return "its permissions change"
    said = [f"{counted(count, 'line')} {verb}" for count, verb in ((added, "added"), (removed, "taken out")) if count]
    return ", ".join(said)


def _diff(change: FileChange) -> str:
    from kg_server.setup.account import diff

    return diff(change).removesuffix("\n") or f"{change.path}: {_told(change)}"
