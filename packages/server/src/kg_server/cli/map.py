"""``kg map show|check|init``"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kg_server.cli.given import NAME
from kg_server.cli.group import Listing
from kg_server.cli.looking import looked
from kg_server.cli.options import as_json, patiently, print_json, with_cwd, with_home
from kg_server.cli.terminal import in_line
from kg_server.counting import counted

if TYPE_CHECKING:
    from kg_core.store import Home


@click.group("map", cls=Listing)
def command() -> None:
    """Show, check or begin the map of this code base: its components, and the rules that hold for them."""


@command.command("show")
@click.argument("path", required=False, type=NAME, metavar="[PATH]")
@click.option("--component", type=NAME, metavar="SLUG", help="What holds for one component.")
@as_json
@with_cwd
@with_home
def show(home: Home, cwd: str, path: str | None, component: str | None, *, as_json: bool) -> None:
    """Show the whole map, or what holds for one file, or for one component."""
    asked = {"cwd": cwd, "path": str(Path(cwd, path)) if path else "", "component": component or ""}
    _print(looked(home, "/api/v1/map", asked), as_json=as_json)


@command.command("check")
@as_json
@with_cwd
@with_home
def check(home: Home, cwd: str, *, as_json: bool) -> int:
    """Say which patterns match nothing, which files have no component, which rules reach nobody, what was overtaken.

    Exit code 1 when a rule does not reach those it is meant for; notes alone exit 0.
    """
    found = looked(home, "/api/v1/map/check", {"cwd": cwd}, "Checking")
    if as_json:
        print_json(found)
    else:
        click.echo(found["text"])
    return 0 if found["ok"] else 1


@command.command("init")
@click.option("--dry-run", is_flag=True, help="Print the map and write nothing.")
@as_json
@with_cwd
@with_home
def init(home: Home, cwd: str, *, dry_run: bool, as_json: bool) -> None:
    """Begin a map in this repository: components from its folders, workspaces and code owners; no rules.

    Outside of one, this folder is taken for the code base. A map that is there is never changed.
    """
    from kg_server.setup.mapfile import Draft

    draft = patiently("Reading the code base", lambda: Draft.of(home, Path(cwd), os.environ))
    if not dry_run:
        draft.write()
    if as_json:
        print_json({"path": str(draft.path), "written": not dry_run, "components": draft.count, "text": draft.text})
    elif dry_run:
        click.echo(draft.text, nl=False)
    else:
        click.echo(f"{in_line(draft.path)} {_begun(draft.count)}, then `kg map check`.")


def _begun(count: int) -> str:
    """What a new map holds, and what is left to the person."""
    if not count:
        return "has no components, as nothing here became one, and no rules. Write down both"
    return f"has {counted(count, 'component')} and no rules. Write down the rules"


def _print(found: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    if found["text"]:
        click.echo(found["text"])
    from kg_core.render import one_line

    problem = one_line(found.get("problem", ""))
    if problem and problem not in found["text"]:
        click.echo(f"Note: {problem}", err=True)
