"""The memory of kg-memory 0.17: a folder with ``user.json``, ``maintain.json`` and ``projects/<slug>/graph.json``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from kg_core.exchange.found import Found, Portion, Skipped
from kg_core.exchange.naming import Names, rel_of
from kg_core.model import (
    USER,
    USER_PREFIX,
    Edge,
    EndKind,
    Graph,
    Progress,
    Stamp,
    StampKind,
    Tier,
    Use,
    Written,
    end_kind,
    to_iso,
)
from kg_core.model.codec import read_node
from kg_core.model.foreign import loads
from kg_core.model.limits import GIST_CHANGES
from kg_core.model.times import LATEST
from kg_core.policy.secrets import scrub

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from kg_core.exchange.found import File
    from kg_core.model import Millis, Node

FORMAT: Final = "kg-memory"
_LEVELS: Final = {"user.json": "user", "maintain.json": "maintain"}
_PROJECTS: Final = "projects/"
_GRAPH: Final = "/graph.json"


def is_one(names: set[str]) -> bool:
    """Whether a folder with these files, as relative paths, is such a memory."""
    return "user.json" in names or any(_is_project(name) for name in names)


def wanted(name: str) -> bool:
    """Whether a file of the folder, by its relative path, is read."""
    stem = name.removesuffix(".prev") + ".json" if name.endswith(".prev") else name
    return stem in _LEVELS or _is_project(stem)


def read(files: Mapping[str, File]) -> Found:
    """All graphs of the folder. Of a damaged file its own previous version is taken, and that is reported."""
    skipped: list[Skipped] = []
    raw: dict[str, tuple[dict[str, Any], Millis]] = {}
    for name in sorted(name for name in files if name.endswith(".json")):
        graph = _parsed(files[name])
        if graph is None:
            before = files.get(name.removesuffix(".json") + ".prev")
            graph = None if before is None else _parsed(before)
            instead = "its previous version is used" if graph is not None else "there is no previous version"
            skipped.append(Skipped(name, f"it is damaged; {instead}"))
        if graph is not None:
            raw[name] = (graph, files[name].modified)
    user = Names(_names(raw["user.json"][0])) if "user.json" in raw else Names(())
    portions = [_portion(name, graph, modified, user, skipped) for name, (graph, modified) in raw.items()]
    return Found(format=FORMAT, portions=tuple(portions), skipped=tuple(skipped))


def _is_project(name: str) -> bool:
    return name.startswith(_PROJECTS) and name.endswith(_GRAPH) and name.count("/") == 2


def _parsed(file: File) -> dict[str, Any] | None:
    try:
        graph = loads(file.text())
    except (ValueError, RecursionError):
        return None
    return graph if isinstance(graph, dict) and isinstance(graph.get("nodes", {}), dict) else None


def _names(graph: Mapping[str, Any]) -> Iterator[str]:
    yield from (name for name, node in graph.get("nodes", {}).items() if isinstance(node, dict) and name != "_meta")


def _portion(name: str, graph: dict[str, Any], modified: Millis, user: Names, skipped: list[Skipped]) -> Portion:
    meta = _table(graph, "_meta")
    versions = _table(meta, "versions")
    names = Names(_names(graph))
    nodes: dict[str, Node] = {}
    uses: dict[str, Use] = {}
    for old, record in graph.get("nodes", {}).items():
        if old in names and isinstance(record, dict):
            node = _node(names[old], record, modified)
            nodes[node.id] = node
            uses[node.id] = _use(record, _table(versions, f"node:{old}"), node)
        elif old != "_meta":
            skipped.append(Skipped(f"{name}: node {old!r}", "it is no record"))
    edges = {edge.key: edge for edge in _edges(name, graph, versions, names, user, skipped)}
    root = meta.get("project_path")
    return Portion(
        graph=Graph.build(USER, nodes=nodes, use=uses, edges=edges, progress=_progress(meta, modified)),
        level=_LEVELS.get(name, "project"),
        slug=name.removeprefix(_PROJECTS).removesuffix(_GRAPH) if _is_project(name) else "",
        roots=(root,) if isinstance(root, str) and root else (),
    )


def _node(node_id: str, record: Mapping[str, Any], modified: Millis) -> Node:
    content = {key: value for key, value in record.items() if not key.startswith("_") and key != "id"}
    written = _table(record, "_written")
    created = _millis(record.get("_created_ts"))
    at = _millis(written.get("ts")) or created or modified
    by = _text(written.get("by"))
    return replace(
        read_node(node_id, content),
        created=created or at,
        written=Written(at=at, by=by, author=_text(written.get("author")) or by),
        conflicts=(),
    )


def _use(record: Mapping[str, Any], version: Mapping[str, Any], node: Node) -> Use:
    orphaned = _millis(record.get("_orphaned_ts"))
    archived = record.get("_archived") is True
    tier = Tier.ORPHANED if orphaned else Tier.ARCHIVED if archived else Tier.ACTIVE
    active = version.get("used_ts") if "used_ts" in version else version.get("ts")
    cases = _times(record, "_recurrence_ts")
    return Use(
        tier=tier,
        orphaned_at=orphaned,
        activity_at=_millis(active) or (node.written.at if node.written is not None else 0),
        read_at=_millis(record.get("_last_read_ts")),
        stamps=tuple(sorted({Stamp(at, _kind(at, cases)) for at in _times(record, "_useful_ts")})),
        credited=_times(record, "_credited_ts"),
        recurrence=tuple(to_iso(at) for at in cases),
        gist_changes=_times(record, "_gist_ts")[-GIST_CHANGES:],
    )


def _kind(at: Millis, cases: Collection[Millis]) -> StampKind:
    """What a vote of that time was: one for a later case has the time of that case's creation."""
    return StampKind.RECURRENCE if at in cases else StampKind.ENDORSEMENT


def _edges(
    name: str,
    graph: Mapping[str, Any],
    versions: Mapping[str, Any],
    names: Names,
    user: Names,
    skipped: list[Skipped],
) -> Iterator[Edge]:
    records = graph.get("edges")
    for key, record in records.items() if isinstance(records, dict) else ():
        where = f"{name}: edge {key!r}"
        ends = [record.get(end) for end in ("from", "to")] if isinstance(record, dict) else [None]
        if not all(isinstance(end, str) and end for end in ends):
            skipped.append(Skipped(where, "it does not say from where to where"))
            continue
        found = [_end(str(end), names, user) for end in ends]
        missing = [end for end, at in zip(ends, found, strict=True) if at is None]
        if missing:
            skipped.append(Skipped(where, f"{missing[0]!r} does not exist"))
            continue
        source, target = (str(end) for end in found)
        notes = record.get("notes", ())
        yield Edge(
            source=source,
            rel=rel_of(_text(record.get("rel"))),
            target=target,
            notes=tuple(str(note) for note in notes) if isinstance(notes, list) else (),
            created=_millis(_table(versions, f"edge:{key}").get("ts")),
            by=_text(_table(versions, f"edge:{key}").get("session")),
        )


def _end(end: str, names: Names, user: Names) -> str | None:
    if end_kind(end) is EndKind.PATH:
        return end
    if end in names:
        return names[end]
    return USER_PREFIX + user[end] if end in user else None


def _progress(meta: Mapping[str, Any], modified: Millis) -> dict[str, Progress]:
    progress: dict[str, Progress] = {}
    for task, state in _table(meta, "progress").items():
        if isinstance(state, dict):
            kept = {key: value for key, value in state.items() if key not in {"_trail", "last_ts"}}
            at = _millis(state.get("last_ts")) or modified
            progress[scrub(task, is_name=True).text] = Progress(state=kept, at=at, by="")
    return progress


def _table(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _millis(value: object) -> Millis:
    """Seconds since the epoch as milliseconds; 0 for what is no time."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < LATEST / 1000:
        return 0
    return round(value * 1000)


def _times(record: Mapping[str, Any], name: str) -> tuple[Millis, ...]:
    values = record.get(name)
    return tuple(sorted({at for value in values if (at := _millis(value))})) if isinstance(values, list) else ()
