"""The files of a memory read to see what is wrong with them, those of graphs that nobody has opened too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kg_core.home import is_slug
from kg_core.model import MAINTAIN, USER, project_key
from kg_core.model.beyond import beyond
from kg_core.model.odd import told
from kg_core.render import one_line, relation
from kg_core.store.edits import odd_sentence
from kg_core.store.failures import read_failure
from kg_core.store.problems import Problem, ProblemKind
from kg_core.store.reading import read_graph, read_uses

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from kg_core.home import Home
    from kg_core.model import Graph
    from kg_core.store.files import Files
    from kg_core.store.reading import Reading

_LONGEST: Final = 80
"""Characters of an id that are repeated."""
_NAMED: Final = 5
"""So many edges or lessons of a file are named, and the others counted."""
_ONCE_OPENED: Final = "Once it is opened, it is kept under another name and what can be saved is served."


async def survey(home: Home, files: Files) -> AsyncIterator[Problem]:
    """What a store would find on opening every graph. Blocking while it reads; writes nothing and keeps nothing."""
    user: Graph | None = None
    for key in (USER, MAINTAIN, *map(project_key, filter(is_slug, files.names(home.projects)))):
        path, data, problem = _read(home.graph(key), files)
        if problem is not None:
            yield problem
        if data is not None:
            reading = await read_graph(key, data)
            user = reading.graph if key == USER and not reading.damage else user
            for kind, sentence in _content(path, reading, user).items():
                yield Problem(kind=kind, path=str(path), sentence=sentence)
        path, data, problem = _read(home.use(key), files)
        if problem is not None:
            yield problem
        if data is not None and (damage := (await read_uses(data))[1]):
            sentence = f"{path}: {damage}. What can be read of it is used."
            yield Problem(kind=ProblemKind.DAMAGED, path=str(path), sentence=sentence)


def _read(path: Path, files: Files) -> tuple[Path, bytes | None, Problem | None]:
    """The bytes of a file if it is there, or why it cannot be read."""
    try:
        return path, files.read(path), None
    except (FileNotFoundError, NotADirectoryError):
        return path, None, None
    except OSError as error:
        sentence = read_failure(error, path).sentence
        return path, None, Problem(kind=ProblemKind.DAMAGED, path=str(path), sentence=sentence)


def _content(path: Path, reading: Reading, user: Graph | None) -> dict[ProblemKind, str]:
    """What is wrong with a graph's file. Of ends in the user's memory nothing is said without ``user``."""
    if reading.is_newer:
        return {ProblemKind.NEWER: f"{path} has format {reading.format}: a later version of kg wrote it."}
    graph, odd = reading.graph, [words for each in sorted(reading.odd, key=str) for words in told(reading.graph, each)]
    found = {
        ProblemKind.DAMAGED: f"{path}: {reading.damage}. {_ONCE_OPENED}" if reading.damage else "",
        ProblemKind.ODD: odd_sentence(path, odd) if odd else "",
        ProblemKind.BEYOND: _beyond(path, graph),
        ProblemKind.DORMANT: "" if reading.damage else _dormant(path, graph, user),
    }
    return {kind: sentence for kind, sentence in found.items() if sentence}


def _beyond(path: Path, graph: Graph) -> str:
    found = [(node_id, words) for node_id, node in sorted(graph.nodes.items()) if (words := beyond(node))]
    if not found:
        return ""
    named = [f"{one_line(node_id[:_LONGEST])!r} has {' and '.join(words)}" for node_id, words in found[:_NAMED]]
    limits = "They are used as they are; only what an agent sends is held to these limits."
    return f"{path}: {_listed(named, len(found))}. {limits}"


def _dormant(path: Path, graph: Graph, user: Graph | None) -> str:
    ends = sorted(end for end in graph.incident if graph.is_dormant(end, user))
    edges = sorted({key for end in ends for key in graph.incident[end]})
    if not edges:
        return ""
    named = _listed([relation(graph.edges[key]) for key in edges[:_NAMED]], len(edges))
    return (
        f"{path}: of these edges an end names nothing that is there: {named}. They are kept and not shown, until there "
        "is such a lesson again; an agent's kg_delete_edge takes one out."
    )


def _listed(named: list[str], count: int) -> str:
    return "; ".join(named) + (f"; and {count - len(named)} more" if count > len(named) else "")
