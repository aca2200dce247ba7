"""What the command line looks at: memory without a context, changing nothing."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from kg_core.model import USER, Tier, to_iso
from kg_core.policy import Depth, at_depth, deepened
from kg_core.render import level_steps, node_line, standing
from kg_core.store.slices import in_slices, in_turns, sorted_in_slices
from kg_plugin_api import Code, KgError, SearchRequest
from kg_server.texts.titles import level_title
from kg_server.tools.grounds import grounds_blocks
from kg_server.tools.levels import Levels, level_of
from kg_server.tools.passages import DOCUMENTS, passage_line, passages, without_passages
from kg_server.tools.showing import shown_in_full, whereabouts
from kg_server.turned_off import is_off, off_note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kg_core.model import Graph, Node
    from kg_core.render import Block
    from kg_plugin_api import SearchResults
    from kg_server.memory import Memory
    from kg_server.tools.arguments import Level

_LINES: Final = 500


async def levels_at(memory: Memory, cwd: str) -> Levels:
    """The levels that a session in ``cwd`` would have, with what a person has just edited in their files."""
    project = memory.store.projects.resolve(cwd) if cwd else None
    keys = [USER, *([project.key] if project is not None else [])]
    await memory.load(*keys)
    await memory.store.look()
    return Levels(
        user=memory.durable(USER),
        project=memory.durable(project.key) if project is not None else None,
        aged_in=memory.store.aged.path,
    )


def chosen_level(levels: Levels, name: str) -> Level | None:
    """The level that a person names; None without a name. Raises INVALID for one that is none, or is not here."""
    if name == "project" and levels.project is None:
        sentence = "This folder belongs to no project. Name a folder of one with --cwd, or use --level user."
        raise KgError(Code.INVALID, sentence)
    match name:
        case "":
            return None
        case "user" | "project":
            return name
        case _:
            raise KgError(Code.INVALID, f"There is no level {name!r} here; it is user or project.", {"level": name})


def located(levels: Levels, name: str, level: str) -> tuple[Graph, Node]:
    """The lesson that a person names, on ``level`` or, without, on whichever has it.

    Raises NOT_FOUND, INVALID for a level that is none, and AMBIGUOUS, with the command and the option that help.
    """
    meant = chosen_level(levels, level)
    try:
        return levels.locate(name, meant)
    except KgError as failure:
        if "aged" in failure.data:
            raise
        said = {
            Code.NOT_FOUND: f"There is no lesson {name!r} here. `kg search` finds lessons by their words.",
            Code.AMBIGUOUS: f"Both levels have a lesson {name!r}: add --level user or --level project.",
        }
        raise KgError(failure.code, said.get(failure.code, failure.sentence), dict(failure.data)) from failure


async def show(memory: Memory, cwd: str, ids: Sequence[str]) -> dict[str, object]:
    """The nodes named, or every level: ``text`` as a model reads it, ``nodes`` as values, one after the other, and
    ``missing`` sentences.

    ``note`` says when memory is off in this folder, or may be one that has another folder's name; else it is empty.

    Of a level, ``nodes`` are those in sight; an export has all.
    """
    levels = await levels_at(memory, cwd)
    note = memory.store.projects.left_behind(cwd) if cwd else ""
    if await is_off(memory.store.settings.projects, cwd):
        note = off_note(cwd)
    if not ids:
        return {**await _whole(levels), "missing": [], "note": note}
    found: list[tuple[Graph, Node]] = []
    missing: list[str] = []
    for name in ids:
        matches = levels.named(name)
        found += matches
        if not matches:
            nowhere = f"There is no lesson {name!r} here. `kg search` finds lessons by their words."
            missing.append(levels.aged(name) or nowhere)
    return {
        "text": "\n".join(block.text for block in shown_in_full(found, levels)),
        "nodes": _facts(found),
        "missing": missing,
        "note": note,
    }


async def _whole(levels: Levels) -> dict[str, object]:
    """Every level, in short steps. What is made of each node is made when it is asked for, and let go of: to free it
    all at once would take long.
    """
    texts: list[str] = []
    places: list[tuple[Graph, str]] = []
    for graph in levels.searched():
        blocks = await in_turns(level_steps(graph, levels.user, title=level_title(graph)))
        texts += reversed([text async for text in in_slices(_taken_off(blocks))])
        for tier in (Tier.ACTIVE, Tier.ARCHIVED):
            places += [(graph, node_id) for node_id in await sorted_in_slices(graph.tiers[tier])]
    return {
        "text": "\n".join(texts),
        "nodes": (fact for graph, node_id in places for fact in _facts([(graph, graph.nodes[node_id])])),
    }


def _taken_off(blocks: list[Block]) -> Iterator[str]:
    """The texts of blocks in parts, the last part first; none of the blocks is left."""
    while blocks:
        yield "\n".join(block.text for block in blocks[-_LINES:])
        del blocks[-_LINES:]


async def search(
    memory: Memory, cwd: str, query: str, *, depth: str = "", observer: str = "", observed: str = ""
) -> dict[str, object]:
    """What matches ``query``: ``text`` with one line for each, ``nodes`` and pieces of ``documents`` as values, best
    first; under ``premises`` what conclusions rest on, as deep as ``depth`` or, without, as ``auto`` chooses, and under
    ``reason`` why. Documents are nobody's view.

    Raises INVALID for a depth that is none.
    """
    deep = _depth(depth)
    levels = await levels_at(memory, cwd)
    graphs = {graph.key: graph for graph in levels.searched()}
    request = SearchRequest(
        text=query,
        graphs=tuple(graphs),
        statuses=(),
        observers=(observer,) if observer else (),
        observed=(observed,) if observed else (),
        documents=0 if observer or observed else DOCUMENTS,
    )
    results: SearchResults = await memory.search(at_depth(request, deep))
    nodes = without_passages(results).hits
    hits = [hit for hit in nodes if hit.graph in graphs and hit.id in graphs[hit.graph].nodes]
    found = [(graphs[hit.graph], graphs[hit.graph].nodes[hit.id]) for hit in hits]
    lines = [f"{node_line(node, standing(graph, node.id))}  [{whereabouts(graph, node)}]" for graph, node in found]
    below = deepened(hits, graphs.values(), request, deep)
    lines += [block.text for block in grounds_blocks(below, graphs, is_asked=bool(found) and depth == Depth.AUTO)]
    documents = passages(results.hits)
    lines += [passage_line(passage) for passage in documents]
    return {
        "text": "\n".join(lines),
        "nodes": _facts(found),
        "documents": [asdict(passage) for passage in documents],
        "degraded": results.degraded,
        "depth": str(below.depth),
        "reason": below.reason,
        "premises": _facts(
            [(graphs[place.graph], graphs[place.graph].nodes[place.id]) for place in below.grounds.places]
        ),
        "evidence": [
            {"from": edge.source, "rel": edge.rel, "to": edge.target, "graph": key} for key, edge in below.grounds.edges
        ],
        "withheld": below.grounds.withheld,
        "more": below.grounds.is_cut,
    }


def _depth(name: str) -> Depth:
    try:
        return Depth(name or Depth.AUTO)
    except ValueError as error:
        raise KgError(Code.INVALID, f"There is no depth {name!r}; there are {', '.join(Depth)}.") from error


def _facts(found: Sequence[tuple[Graph, Node]]) -> list[dict[str, object]]:
    return [
        {
            "id": node.id,
            "level": level_of(graph),
            "graph": graph.key,
            "gist": node.gist,
            "notes": list(node.notes),
            "touches": list(node.touches),
            "tags": list(node.tags),
            "tier": (graph.tier(node.id) or Tier.ACTIVE).value,
            "status": standing(graph, node.id).value,
            "kind": node.kind.value,
            "observer": node.observer,
            "observed": node.observed,
            "locked": node.locked,
            "created": to_iso(node.created),
            "written": to_iso(node.written.at) if node.written is not None else "",
            "edges": [
                {"from": edge.source, "rel": edge.rel, "to": edge.target, "notes": list(edge.notes)}
                for edge in graph.edges_of(node.id)
            ],
        }
        for graph, node in found
    ]
