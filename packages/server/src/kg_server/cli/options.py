"""What several commands share: which memory, JSON output, and saying that something takes its time."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shlex
import sys
import threading
import time
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from kg_core.home import Home
from kg_plugin_api import Code, KgError
from kg_server.cli.given import NAME
from kg_server.cli.place import working_folder
from kg_server.cli.terminal import in_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from kg_server.setup.account import Account


def with_home(function: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command the memory home: of ``--home``, else of the environment, whose misspelt variables it names."""

    @click.option(
        "--home", "folder", type=NAME, metavar="FOLDER", help="The memory to use instead of $KG_HOME or ~/.kg."
    )
    @functools.wraps(function)
    def wrapped(*args: Any, folder: str | None, **options: Any) -> Any:
        environ = {**os.environ, "KG_HOME": folder} if folder else os.environ
        home = Home.from_environ(environ, working_folder())
        for name, meant in () if folder else home.misspelt:
            click.echo(f"Note: kg does not know the variable {name}; did you mean {meant}?", err=True)
        try:
            return function(*args, home=home, **options)
        except KgError as failure:
            if not folder or "`kg " not in failure.sentence:
                raise
            raise KgError(failure.code, f"{failure.sentence} Add{addressed()} to it.", failure.data) from failure

    return wrapped


def addressed() -> str:
    """What a command named to a person needs so that it means the memory that this one was given; mostly nothing."""
    folder = click.get_current_context().params.get("folder")
    return f" --home {shlex.quote(folder)}" if folder else ""


def as_json(function: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command the flag ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")(function)


def with_cwd(function: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command the folder whose memory is meant."""

    @click.option("--cwd", type=NAME, metavar="FOLDER", help="The folder whose memory is meant instead of this one.")
    @functools.wraps(function)
    def wrapped(*args: Any, cwd: str | None, **options: Any) -> Any:
        folder = working_folder() / (cwd or "")
        if not os.path.isdir(folder):  # noqa: PTH112 - where pathlib raises for a folder that cannot be looked at
            click.echo(f"Note: there is no folder {in_line(folder)}.", err=True)
        return function(*args, cwd=str(folder), **options)

    return wrapped


def apart(option: str, others: Mapping[str, object]) -> None:
    """Raises INVALID when one of ``others``, by name, was given too: beside ``option`` it would mean nothing."""
    for name, given in others.items():
        if given:
            raise KgError(Code.INVALID, f"{name} does not go with {option}.")


def print_json(value: object) -> None:
    """Prints a value for a program: as JSON whatever encoding standard output has."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:  # an old locale, or half a surrogate pair, as the name of a file may have
        text = json.dumps(value, indent=2)
    click.echo(text)


@dataclass(slots=True)
class Report:
    """What a command that changes settings says to a program when it ends."""

    accounts: list[Account] = field(default_factory=list)
    more: dict[str, object] = field(default_factory=dict)
    code: int = 1

    def ends(self, code: int) -> int:
        """The command is done, with this exit code."""
        self.code = code
        return code


@contextlib.contextmanager
def told(home: Home, *, dry_run: bool, as_json: bool) -> Iterator[Report]:
    """With ``as_json``, one document on standard output once all is done; what is said meanwhile goes to the other.

    A command that raises prints none: its error is told, and its exit code, as always.
    """
    report = Report()
    if not as_json:
        yield report
        return
    with contextlib.redirect_stdout(sys.stderr):
        yield report
    print_json(
        {
            "ok": report.code == 0,
            "exit_code": report.code,
            "dry_run": dry_run,
            "home": str(home.root),
            **report.more,
            "harnesses": [account.record() for account in report.accounts],
        }
    )


class Waiting:
    """Says once a second, on standard error, that something still goes on; silent in the first second."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._said = 0

    def __call__(self, seconds: float) -> None:
        """``seconds`` have passed since it began."""
        if int(seconds) > self._said:
            self._said = int(seconds)
            click.echo(f"{self._what} … {self._said} s", err=True)


def patiently(what: str, work: Callable[[], Any]) -> Any:
    """What ``work`` returns; ``what`` is said when it takes more than a second.

    Whoever interrupts it waits no longer: the work is left to end with the command.
    """
    waiting, begun = Waiting(what), time.monotonic()
    done: Future[Any] = Future()
    threading.Thread(target=_settle, args=(done, work), daemon=True).start()
    while not wait([done], timeout=0.1).done:
        waiting(time.monotonic() - begun)
    return done.result()


def _settle(done: Future[Any], work: Callable[[], Any]) -> None:
    try:
        done.set_result(work())
    except BaseException as failure:  # noqa: BLE001 - it is raised where somebody waits for it
        done.set_exception(failure)
