"""How commands give memory to the server: in parts, with progress, and with a summary at the end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from typing import TYPE_CHECKING, Any, Final

import click

from kg_core.exchange.taking import slices
from kg_core.model.codec import edge_record, node_record, progress_record, use_record
from kg_plugin_api import Code, KgError
from kg_server.cli.options import patiently
from kg_server.counting import counted
from kg_server.security import LARGEST_BODY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from kg_core.exchange.found import Found, Portion
    from kg_core.model import Graph
    from kg_server.client import Client

_SECONDS: Final = 120.0


def read(client: Client, path: Path, form: str = "") -> Found:
    """What a source holds; it is read once a server is there to be given it. Raises KgError when it is none."""
    from kg_core.exchange.sources import check, read_source

    check(path, form)
    client.get("/health")
    found: Found = patiently(f"Reading {path.name}", lambda: asyncio.run(read_source(path, form)))
    return found


def offer(client: Client, name: str, portions: Sequence[tuple[Mapping[str, object], Graph]], what: str) -> Any:
    """Gives the portions, each with its target, to an offer that is open, and ends it; the summary of the server."""
    parts = [(target, part) for target, graph in portions for part in slices(graph)]
    parts.sort(key=lambda part: bool(part[1].edges))  # a relation may end in a lesson of another graph
    skipped = []
    begun = said = time.monotonic()
    for number, (target, part) in enumerate(parts, 1):
        request = {"target": target, **_records(part)}
        if len(json.dumps(request)) > LARGEST_BODY:
            skipped += [{"where": node_id, "reason": "it has more than 4 MiB"} for node_id in part.nodes]
        else:
            where = f"{what} stopped at part {number} of {len(parts)}" if number > 1 else ""
            with _unfinished(where):
                client.post(f"/api/v1/offers/{name}", request, within=_SECONDS)
        if time.monotonic() - said > 1:
            said = time.monotonic()
            click.echo(f"{what} … {number} of {counted(len(parts), 'part')}, {said - begun:.0f} s", err=True)
    summary = client.post(f"/api/v1/offers/{name}/end", {}, within=_SECONDS)
    summary["skipped"] = [*skipped, *summary["skipped"]]
    return summary


@contextlib.contextmanager
def _unfinished(where: str) -> Iterator[None]:
    """Adds to what fails meanwhile that parts before it were taken, and what to do about those after it; nothing
    without ``where``, when there was none before.
    """
    try:
        yield
    except KgError as failure:
        if not where:
            raise
        raise KgError(
            failure.code, f"{failure.sentence} {where}: run it again to finish it.", failure.data
        ) from failure


def target(portion: Portion, level: str) -> dict[str, object]:
    """Where a portion goes: to the level that was named, else where its source says."""
    aged = {"aged": True} if portion.aged else {}
    if level:
        return {"level": level, **aged}
    if not portion.level:
        raise KgError(Code.INVALID, "This source does not say what it is about: add --level user or --level project.")
    known: dict[str, object] = {"level": portion.level, **aged}
    if portion.level == "project":
        known |= {"slug": portion.slug, "roots": list(portion.roots), "remotes": list(portion.remotes)}
    return known


def told(summary: Mapping[str, Any], verbs: Mapping[str, str]) -> Iterator[str]:
    """A summary in sentences; ``verbs`` says how each outcome is called."""
    if summary["dry_run"]:
        yield "Nothing was changed; this is what would be done:"
    for graph in summary["graphs"]:
        counts = graph["counts"]
        told_counts = [f"{counts[name]} {verb}" for name, verb in verbs.items() if counts.get(name)]
        edges = [counted(graph["edges"], "relation")] if graph["edges"] else []
        yield f"{graph['graph']}: {', '.join([*told_counts, *edges]) or 'nothing'}."
        for name in ("conflict", "forgotten"):
            ids = graph["ids"].get(name, [])
            if ids:
                yield f"  {verbs[name]}: {', '.join(ids)}"
    if summary["secrets"]:
        yield f"Secrets were found in {counted(summary['secrets'], 'place')}; a placeholder was saved instead of each."
    for each in summary["skipped"]:
        yield f"Skipped: {each['where']}: {each['reason']}."
    if summary.get("skipped_more"):
        yield f"Skipped: {summary['skipped_more']} more."
    if not summary["graphs"]:
        yield "There is nothing in it."


def _records(part: Graph) -> dict[str, object]:
    return {
        "nodes": {node_id: node_record(node) for node_id, node in part.nodes.items()},
        "use": {node_id: use_record(use) for node_id, use in part.use.items()},
        "edges": [edge_record(edge) for edge in part.edges.values()],
        "progress": {task: progress_record(state) for task, state in part.progress.items()},
    }
