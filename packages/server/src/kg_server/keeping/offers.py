"""Imports and restores while they run: what is offered in parts, taken over part by part, and counted."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from kg_core.exchange import taking
from kg_core.exchange.taking import Outcome, restored
from kg_core.model import MAINTAIN, USER, Graph
from kg_core.model.codec import read_edge, read_node, read_progress, read_use
from kg_core.model.merge import dated
from kg_core.model.nesting import is_too_deep
from kg_core.model.visible import shows
from kg_core.policy.activity import worked_on
from kg_core.policy.secrets import scrub_edge, scrub_node, scrub_progress
from kg_core.store import Write
from kg_plugin_api import Code, KgError
from kg_server.keeping import imported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kg_core.exchange.taking import Taken
    from kg_core.model import GraphKey, Millis
    from kg_core.store import Home
    from kg_server.memory import Memory

_RUNS: Final = 8
"""Offers that may be open at a time; the oldest gives way, its client is told to start again."""
_LISTED: Final = 1_000
"""Ids that a summary lists for each graph and outcome, and what it lists of skipped records; beyond that it counts."""


class Kind(StrEnum):
    """How an offer is meant."""

    IMPORT = "import"
    RESTORE = "restore"


@dataclass(slots=True)
class _Run:
    """One offer: how it is meant, what an earlier one from the same source offered, and what became of it so far.

    ``projects`` holds the projects that came with it, by what the source calls them. ``staged`` holds what a dry run
    has made of each graph, ``unlisted`` is how many skipped records are only counted.
    """

    kind: Kind
    source: str
    dry: bool
    at: Millis
    cwd: str
    deleted: frozenset[str]
    known: Mapping[GraphKey, Mapping[str, str]]
    projects: dict[str, GraphKey]
    offered: dict[GraphKey, dict[str, str]] = field(default_factory=dict)
    staged: dict[GraphKey, Graph] = field(default_factory=dict)
    outcomes: dict[GraphKey, dict[Outcome, list[str]]] = field(default_factory=dict)
    counts: Counter[tuple[GraphKey, str]] = field(default_factory=Counter)
    skipped: list[dict[str, str]] = field(default_factory=list)
    unlisted: int = 0
    secrets: int = 0


class Offers:
    """Takes over what clients offer. Every part is one write: whole after a crash, and small enough for the loop."""

    def __init__(self, home: Home, memory: Memory, clock: Callable[[], Millis]) -> None:
        self._home = home
        self._memory = memory
        self._clock = clock
        self._runs: dict[str, _Run] = {}
        self._projects: dict[str, dict[str, GraphKey]] = {}

    async def begin(self, request: Mapping[str, Any]) -> dict[str, object]:
        """Opens an offer of a ``kind`` from a ``source``, an absolute path; also ``dry_run``, ``cwd``, ``deleted``.

        Answers its name and the slug of the project of ``cwd``, if it has one. Raises INVALID for another kind.
        """
        try:
            kind = Kind(request.get("kind", ""))
        except ValueError as error:
            raise KgError(Code.INVALID, "An offer is an import or a restore.") from error
        await self._memory.store.look()  # a file that was edited just now is part of what the offer meets
        source = str(request.get("source", ""))
        before = await asyncio.to_thread(imported.read, self._home, source)
        run = _Run(
            kind=kind,
            source=source,
            dry=bool(request.get("dry_run", False)),
            at=self._clock(),
            cwd=str(request.get("cwd", "")),
            deleted=frozenset(_texts(request.get("deleted"))),
            known=before.versions if kind is Kind.IMPORT else {},
            projects=self._projects.setdefault(source, self._registered(before.projects)),
        )
        while len(self._runs) >= _RUNS:
            del self._runs[next(iter(self._runs))]
        name = secrets.token_hex(8)
        self._runs[name] = run
        project = self._memory.store.projects.resolve(run.cwd)
        return {"offer": name, "project": project.slug if project is not None else ""}

    async def take(self, name: str, part: Mapping[str, Any]) -> dict[str, object]:
        """Takes over one part: a ``target`` and records of nodes, use, edges and progress. For a target that is
        ``aged``, only nodes that are not here.

        Raises NOT_FOUND for an offer that is not open, INVALID for a target that is none, and what a write raises.
        """
        run = self._open(name)
        key = self._target(run, part.get("target", {}))
        await self._memory.load(USER, key)
        _skip(run, _left_out(run.kind, part))
        offer, found = _scrubbed(_graph(run.kind, key, part))
        run.secrets += found
        # From here to the commit nothing else runs: what is judged is what the write meets.
        user = self._now(run, USER) if key != USER else None
        ours = self._now(run, key)
        offer = taking.lacking(ours, offer) if part["target"].get("aged") else offer
        taken = self._judged(run, ours, offer, user if key != MAINTAIN else None)
        if taken.change:
            if run.dry:
                run.staged[key] = ours.apply(taken.change)
            else:
                at, by = self._clock(), str(run.kind)
                change = worked_on(dated(taken.change, at), ours, at, by)
                await self._memory.commit(Write(by=by, at=at, changes=(change,)))
        _count(run, key, taken)
        return {"taken": len(taken.outcomes)}

    async def end(self, name: str) -> dict[str, object]:
        """Closes an offer; the summary of what became of it."""
        run = self._open(name)
        del self._runs[name]
        if run.kind is Kind.IMPORT and not run.dry and run.offered:
            known = {key: {**run.known.get(key, {}), **run.offered.get(key, {})} for key in {*run.known, *run.offered}}
            await imported.write(self._home, run.source, imported.Offered(known, run.projects))
        return _summary(run)

    def _open(self, name: str) -> _Run:
        run = self._runs.get(name)
        if run is None:
            raise KgError(Code.NOT_FOUND, "This import or restore is not open any more. Start it again.")
        return run

    def _now(self, run: _Run, key: GraphKey) -> Graph:
        return run.staged.get(key) or self._memory.pending(key)

    def _judged(self, run: _Run, ours: Graph, offer: Graph, user: Graph | None) -> Taken:
        if run.kind is Kind.RESTORE:
            return restored(ours, offer, user, at=run.at, by=str(run.kind), deleted=run.deleted)
        taken = taking.imported(ours, offer, user, run.known.get(ours.key, {}))
        run.offered.setdefault(ours.key, {}).update(taken.offered)
        return taken

    def _target(self, run: _Run, target: Any) -> GraphKey:
        level = str(target.get("level")) if isinstance(target, dict) else ""
        if level in {USER, MAINTAIN}:
            return level
        if level != "project":
            raise KgError(Code.INVALID, "Name the level: user, project or maintain.")
        projects = self._memory.store.projects
        roots, slug = _texts(target.get("roots")), str(target.get("slug", ""))
        if not slug and not roots:
            project = projects.resolve(run.cwd)
            if project is None:
                raise KgError(Code.INVALID, f"{run.cwd or 'This folder'} belongs to no project. Name another --level.")
            return project.key
        if run.kind is Kind.IMPORT:  # another product's idea of a root may be a folder of what is one project here
            found = next((project for root in roots if (project := projects.resolve(root)) is not None), None)
            if found is not None:
                return found.key
        if slug not in run.projects:  # all parts of a project belong together, and so does what comes the next time
            run.projects[slug] = projects.adopt(slug, roots, _texts(target.get("remotes"))).key
        return run.projects[slug]

    def _registered(self, projects: Mapping[str, GraphKey]) -> dict[str, GraphKey]:
        """Those of an earlier offer that are still there."""
        there = {project.key for project in self._memory.store.projects.all()}
        return {slug: key for slug, key in projects.items() if key in there}


def _graph(kind: Kind, key: GraphKey, part: Mapping[str, Any]) -> Graph:
    """The part as values. Records that are none are left out; the command line makes them all."""
    nodes = {name: read_node(name, record) for name, record in _records(kind, part, "nodes")}
    listed = found if isinstance(found := part.get("edges"), list) else []
    records = [record for record in listed if isinstance(record, dict) and not is_too_deep(record)]
    edges = [edge for record in records if (edge := read_edge(record))]
    return Graph.build(
        key,
        nodes=nodes,
        use={name: read_use(record) for name, record in _records(kind, part, "use")},
        edges={edge.key: edge for edge in edges},
        progress={name: read_progress(record) for name, record in _records(kind, part, "progress")},
    )


def _records(kind: Kind, part: Mapping[str, Any], section: str) -> list[tuple[str, dict[str, Any]]]:
    """The records that are taken."""
    values = part.get(section)
    found = values.items() if isinstance(values, dict) else ()
    return [
        (name, value) for name, value in found if isinstance(value, dict) and not _unkept(kind, section, name, value)
    ]


def _left_out(kind: Kind, part: Mapping[str, Any]) -> list[dict[str, str]]:
    return [
        {"where": f"{section} {name!r}", "reason": reason}
        for section in ("nodes", "progress")
        if isinstance(values := part.get(section), dict)
        for name, value in values.items()
        if (reason := _unkept(kind, section, name, value))
    ]


def _unkept(kind: Kind, section: str, name: str, value: object) -> str:
    """Why a record is not taken, nothing when it is. No file could hold it, as what is written down is to be read
    again; or it is a lesson from elsewhere that says nothing. A restore takes what was here as it was.
    """
    if not name:
        return "it has no name"
    if is_too_deep(value):
        return "it is nested too deeply"
    if kind is Kind.RESTORE or section != "nodes" or not isinstance(value, dict):
        return ""
    if not shows(name):
        return "its id has no visible character"
    gist = value.get("gist")
    if not isinstance(gist, str) or not gist.strip():
        return "it has no gist"
    return "" if shows(gist) else "its gist has no visible character"


def _texts(values: object) -> tuple[str, ...]:
    return tuple(value for value in values if isinstance(value, str)) if isinstance(values, list) else ()


def _scrubbed(offer: Graph) -> tuple[Graph, int]:
    """The offer without secrets, and how many of its nodes, edges and tasks had some."""
    nodes = {key: scrub_node(node) for key, node in offer.nodes.items()}
    edges = {key: scrub_edge(edge) for key, edge in offer.edges.items()}
    progress = {task: scrub_progress(saved) for task, saved in offer.progress.items()}
    found = _differing(offer.nodes, nodes) + _differing(offer.edges, edges) + _differing(offer.progress, progress)
    if not found:
        return offer, 0
    return Graph.build(offer.key, nodes=nodes, use=offer.use, edges=edges, progress=progress), found


def _differing(before: Mapping[Any, object], after: Mapping[Any, object]) -> int:
    return sum(before[key] is not value for key, value in after.items())


def _count(run: _Run, key: GraphKey, taken: Taken) -> None:
    listed = run.outcomes.setdefault(key, {})
    for node_id, outcome in taken.outcomes.items():
        ids = listed.setdefault(outcome, [])
        run.counts[key, outcome] += 1
        if len(ids) < _LISTED:
            ids.append(node_id)
    run.counts[key, "edges"] += taken.edges
    _skip(run, [{"where": f"edge {name!r}", "reason": "one of its ends is not here"} for name in taken.dormant])


def _skip(run: _Run, found: Sequence[dict[str, str]]) -> None:
    listed = found[: max(0, _LISTED - len(run.skipped))]
    run.skipped += listed
    run.unlisted += len(found) - len(listed)


def _summary(run: _Run) -> dict[str, object]:
    return {
        "dry_run": run.dry,
        "graphs": [
            {
                "graph": key,
                "counts": {str(outcome): run.counts[key, outcome] for outcome in Outcome},
                "edges": run.counts[key, "edges"],
                "ids": {str(outcome): ids for outcome, ids in listed.items() if outcome is not Outcome.SAME},
            }
            for key, listed in run.outcomes.items()
        ],
        "skipped": run.skipped,
        "skipped_more": run.unlisted,
        "secrets": run.secrets,
    }
