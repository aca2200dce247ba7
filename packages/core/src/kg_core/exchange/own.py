"""Memory in kg's own forms: a backup, an export, or a single graph file."""

from __future__ import annotations

import codecs
import json
import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from kg_core.exchange import archive
from kg_core.exchange.document import read_whole, with_use
from kg_core.exchange.found import Found, Portion, Skipped
from kg_core.model import MAINTAIN, PROJECT_PREFIX, USER, Graph
from kg_core.model.foreign import loads
from kg_core.policy.ageing import has_aged
from kg_core.store.layout import FORMAT as LATEST
from kg_core.store.reading import read_uses
from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FORMAT: Final = "kg"
_PROJECTS: Final = "projects/"
_GRAPH: Final = "/graph.json"
_AGED: Final = "archive/"


async def read(path: Path) -> Found:
    """The graphs of a file. Raises INVALID when it is damaged, READ_ONLY when a later version of kg wrote it."""
    if archive.is_one(path):
        return await read_backup(archive.read(path), str(path))
    data = path.read_bytes()
    exported = _exported(data, str(path))
    if exported is None:
        return Found(format=FORMAT, portions=(Portion(graph=await read_whole(data, str(path))),))
    portions = []
    for key, record in exported.items():
        graph = await read_whole(json.dumps(record).encode(), f"{path}: {key}")
        level = key if key in {USER, MAINTAIN} else "project"
        root = record.get("root") if isinstance(record, dict) else None
        portions.append(
            Portion(
                graph=graph,
                level=level,
                slug=key.removeprefix(PROJECT_PREFIX) if level == "project" else "",
                roots=(root,) if isinstance(root, str) and root else (),
            )
        )
    return Found(format=FORMAT, portions=tuple(portions))


async def read_backup(files: Mapping[str, bytes], what: str) -> Found:
    """The graphs of a backup, with their use, what has aged in them, and what is known of their projects."""
    portions = []
    skipped: list[Skipped] = []
    for name in sorted(files):
        slug = name.removeprefix(_PROJECTS).removesuffix(_GRAPH)
        is_project = name.startswith(_PROJECTS) and name.endswith(_GRAPH)
        if not is_project and name not in {"user.json", "maintain.json"}:
            continue
        graph = await read_whole(files[name], f"{what}: {name}")
        aged = await _aged_in(graph, files.get(_AGED + name, b""), skipped, _AGED + name)
        uses, _ = await read_uses(files.get(name.removesuffix(".json") + ".use.json", b"{}"))
        known = _registration(files.get(f"{_PROJECTS}{slug}/project.toml", b"")) if is_project else {}
        portion = Portion(
            graph=with_use(graph, uses),
            level="project" if is_project else name.removesuffix(".json"),
            slug=slug if is_project else "",
            roots=_texts(known, "roots"),
            remotes=_texts(known, "remotes"),
        )
        portions += [portion, replace(portion, graph=aged, aged=True)] if aged.nodes else [portion]
    return Found(format=FORMAT, portions=tuple(portions), skipped=tuple(skipped))


async def _aged_in(graph: Graph, data: bytes, skipped: list[Skipped], name: str) -> Graph:
    """What has aged in a graph and has not come back, nor was deleted there for good. A damaged file is skipped."""
    try:
        aged = await read_whole(data, "it", graph.key)
    except KgError as failure:
        skipped.append(Skipped(name, failure.sentence.rstrip(".")))
        return Graph(key=graph.key)
    nodes = {
        node_id: node
        for node_id, node in aged.nodes.items()
        if graph.find(node_id) is None and (node_id not in graph.tombstones or has_aged(graph, node_id))
    }
    edges = {
        key: edge
        for key, edge in aged.edges.items()
        if key not in graph.edges and (key.source in nodes or key.target in nodes)
    }
    return Graph.build(graph.key, nodes=nodes, edges=edges)


def is_one(data: bytes) -> bool:
    """Whether this is an export or a graph file."""
    try:
        record = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and "format" in record and ("nodes" in record or "graphs" in record)


def is_damaged(data: bytes) -> bool:
    """Whether this begins as such a file and is no JSON."""
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return data.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{")
    return False


def _exported(data: bytes, what: str) -> dict[str, Any] | None:
    """The graphs of an export by key; ``None`` when this is a single graph file. Raises READ_ONLY when a later version
    of kg wrote it.
    """
    try:
        record = loads(data)
    except (ValueError, RecursionError):
        return None
    graphs = record.get("graphs") if isinstance(record, dict) else None
    if not isinstance(graphs, dict):
        return None
    form = record.get("format")
    if isinstance(form, int) and form > LATEST:
        raise KgError(Code.READ_ONLY, f"{what} has format {form}, written by a later version of kg.")
    odd = next((key for key in graphs if key not in {USER, MAINTAIN} and not key.startswith(PROJECT_PREFIX)), None)
    if odd is not None:
        raise KgError(Code.INVALID, f"The export names a graph {odd!r}, which is none.")
    return graphs


def _registration(data: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode("utf-8-sig", "surrogateescape"))  # folders may have such names
    except (ValueError, RecursionError):
        return {}


def _texts(table: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values = table.get(name, ())
    return tuple(value for value in values if isinstance(value, str)) if isinstance(values, list) else ()
