"""``kg restore``"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click

from kg_plugin_api import Code, KgError
from kg_server.cli.given import FILE_PATH, NAME
from kg_server.cli.options import as_json, patiently, print_json, with_cwd, with_home
from kg_server.cli.terminal import in_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from kg_core.exchange.found import Portion
    from kg_core.model import Graph
    from kg_core.store import Home

_VERBS: Final[Mapping[str, str]] = {
    "added": "brought back",
    "updated": "put back",
    "same": "unchanged",
    "conflict": "kept in both versions",
    "forgotten": "deleted, left out (--deleted ID brings one back)",
}


@click.command("restore")
@click.argument("file", type=FILE_PATH)
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--level", type=click.Choice(["user", "project", "maintain"]), help="Only this level.")
@click.option("--project", type=NAME, metavar="SLUG", help="Only this project, as the backup names it.")
@click.option(
    "--deleted",
    multiple=True,
    metavar="ID",
    help="Bring back this lesson although it was deleted; may be given again.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be put back, and do nothing.")
@as_json
@with_cwd
@with_home
def command(
    home: Home,
    cwd: str,
    file: Path,
    ids: tuple[str, ...],
    *,
    level: str | None,
    project: str | None,
    deleted: tuple[str, ...],
    dry_run: bool,
    as_json: bool,
) -> None:
    """Put memory back as it is in FILE, a backup, an export or a single graph file. With ids, only those lessons.

    Lessons that were added since stay, and so does what was deleted. The memory as it is now is backed up first.
    """
    from kg_core.exchange import own
    from kg_server.cli import offering
    from kg_server.client import Client

    path = file.expanduser().absolute()
    with Client(home) as client:
        found = offering.read(client, path, own.FORMAT)
        asked = {
            "kind": "restore",
            "source": str(path),
            "cwd": cwd,
            "dry_run": dry_run,
            "deleted": sorted(_spelt(deleted, found.portions)),
        }
        opened = client.post("/api/v1/offers", asked)
        chosen = _chosen(found.portions, level, project, opened["project"])
        wanted = _spelt((*ids, *deleted), chosen)
        portions = [
            (offering.target(portion, "" if portion.level else level or ""), _only(portion.graph, wanted))
            for portion in (replace(each, aged=each.aged and not wanted) for each in chosen)  # what is named comes back
        ]
        _all_found(wanted, [graph for _, graph in portions], path)
        before = None
        if not dry_run:
            before = patiently("Backing up", lambda: client.post("/api/v1/backup", {}, within=300))["path"]
        summary = {**offering.offer(client, opened["offer"], portions, "Restoring"), "backup": before}
        summary["skipped"] += [{"where": each.where, "reason": each.reason} for each in found.skipped]
    if as_json:
        print_json(summary)
        return
    for line in offering.told(summary, _VERBS):
        click.echo(line)
    if before is not None:
        click.echo(f"The memory as it was before this is in {in_line(before)}.")


def _chosen(portions: Sequence[Portion], level: str | None, project: str | None, here: str) -> list[Portion]:
    """The portions that were asked for."""
    if len(portions) == 1 and not portions[0].level:
        if project or not level:
            raise KgError(Code.INVALID, "A single graph file does not say what it is about: add --level.")
        return list(portions)
    slug = project or (here if level == "project" else None)
    chosen = [
        portion
        for portion in portions
        if (portion.slug == slug and portion.level == "project" if slug is not None else level in {None, portion.level})
    ]
    if not chosen:
        have = ", ".join(portion.slug or portion.level for portion in portions) or "nothing"
        raise KgError(Code.NOT_FOUND, f"The file holds no memory of {slug or level}; it holds: {have}.")
    return chosen


def _spelt(names: Iterable[str], portions: Sequence[Portion]) -> set[str]:
    """Each name as the file spells it, in every way that it does; as it was typed where the file does not have it."""
    from kg_core.model.ids import fold

    wanted = {fold(name): name for name in names}
    there = {node_id for portion in portions for node_id in portion.graph.nodes if fold(node_id) in wanted}
    lacking = wanted.keys() - {fold(node_id) for node_id in there}
    return {*there, *(wanted[name] for name in lacking)}


def _only(graph: Graph, wanted: set[str]) -> Graph:
    """The nodes that were named with their edges; all when none was."""
    from kg_core.model import Graph

    if not wanted:
        return graph
    nodes = {node_id: node for node_id, node in graph.nodes.items() if node_id in wanted}
    edges = {key: edge for key, edge in graph.edges.items() if key.source in nodes or key.target in nodes}
    uses = {node_id: use for node_id, use in graph.use.items() if node_id in nodes}
    return Graph.build(graph.key, nodes=nodes, use=uses, edges=edges)


def _all_found(wanted: set[str], graphs: Sequence[Graph], path: Path) -> None:
    missing = sorted(wanted - {node_id for graph in graphs for node_id in graph.nodes})
    if missing:
        raise KgError(Code.NOT_FOUND, f"{path} holds no lesson {', '.join(map(repr, missing))}.", {"ids": missing})
