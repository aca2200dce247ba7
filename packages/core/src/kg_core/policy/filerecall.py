"""File recall: which lessons the use of a file brings to mind. Mostly none."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from kg_core.model import Status, Tier
from kg_core.policy.decision import NAMED, Candidate, Decision, Reason, Source
from kg_core.policy.recall import Recalled
from kg_core.render import Block, Mark, MarkKind, gist_block, one_line, replacements, standing

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from kg_core.model import Graph, GraphKey, Millis
    from kg_core.policy.touches import TouchIndex, TouchMatch

MOST: Final = 3
"""So many lessons come with one event."""
PER_MINUTE: Final = 5
"""So many events of one context bring lessons within a minute; an agent that looks around reads some twenty files."""
_MINUTE: Final = 60_000
_CORRECTIONS: Final = 16
"""So many corrections of corrections are followed."""
_NAME: Final = "lessons on files"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileUse:
    """A file that a tool has read or edited.

    ``name`` is its path relative to the project, else the absolute one; ``spellings`` are all ways to write its path,
    ``former`` the names that it has at other times, and ``remaining`` those of their folders that there still are.
    """

    name: str
    spellings: tuple[str, ...]
    former: tuple[str, ...] = ()
    remaining: frozenset[str] = frozenset()

    @property
    def digest(self) -> str:
        """What stands for the file where its name is not kept."""
        return hashlib.sha256(self.name.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def is_gone(self, folder: str) -> bool:
        """Whether there is no such folder any more, of those above a former name."""
        return folder not in self.remaining


@dataclass(frozen=True, slots=True)
class Touching:
    """A lesson that touches a file that was used."""

    graph: Graph
    file: FileUse
    match: TouchMatch

    @property
    def place(self) -> tuple[GraphKey, str]:
        """The node over all levels."""
        return self.graph.key, self.match.id


def touching(
    uses: Sequence[FileUse], graphs: Sequence[Graph], indexes: Mapping[GraphKey, TouchIndex]
) -> list[Touching]:
    """The lessons that touch the files and may be shown unasked, best first, each once.

    A correction stands in for what it corrects. First goes how the pointer meets the file, then active before archived,
    then what was written or used last.
    """
    found = [
        Touching(graph, use, replace(match, id=node_id))
        for graph in graphs
        if graph.key in indexes
        for use in uses
        for match in indexes[graph.key].match(use.spellings, use.former, partial(_is_held, graph), use.is_gone)
        for node_id in _held(graph, match.id)
    ]
    best: dict[tuple[GraphKey, str], Touching] = {}
    for each in sorted(found, key=_order):
        best.setdefault(each.place, each)
    return list(best.values())


def recall_files(
    uses: Sequence[FileUse],
    graphs: Sequence[Graph],
    indexes: Mapping[GraphKey, TouchIndex],
    known: Container[tuple[GraphKey, str]],
    told: Mapping[str, Millis],
    now: Millis,
) -> Recalled:
    """What the use of files brings to mind: at most :data:`MOST` lessons that are not in front of the model.

    ``told`` are the digests of the files that lessons came with, and when: a file brings lessons once, and all of them
    at most :data:`PER_MINUTE` times in a minute.
    """
    fresh = [use for use in uses if use.digest not in told]
    found = touching(fresh, graphs, indexes)
    new = [each for each in found if each.place not in known]
    shown = new[:MOST]
    is_whole = all(graph.key in indexes and indexes[graph.key].is_whole for graph in graphs)
    if uses and not fresh:
        reason = Reason.THROTTLED
    elif not found and not is_whole:
        reason = Reason.DEGRADED
    elif not found:
        reason = Reason.NOT_CURRENT if _touches_any(fresh, graphs, indexes) else Reason.NOTHING_FOUND
    elif not new:
        reason = Reason.IN_VIEW
    elif sum(now - _MINUTE < at <= now for at in told.values()) >= PER_MINUTE:
        reason = Reason.THROTTLED
    else:
        reason = Reason.SHOWN
    about = shown[0].file.name if shown else next((use.name for use in uses), "")
    decision = Decision(
        source=Source.FILE,
        reason=reason,
        candidates=tuple(_candidate(each, known, shown, reason) for each in found[:NAMED]),
        about=about,
        degraded=not is_whole,
    )
    return Recalled(_blocks(shown) if decision.is_injected else (), decision)


def _is_held(graph: Graph, node_id: str) -> bool:
    return bool(_held(graph, node_id))


def _held(graph: Graph, node_id: str) -> list[str]:
    """What may be shown unasked for a node: itself if it is current and not forgotten, else what supersedes it."""
    found: list[str] = []
    seen = {node_id}
    waiting = [node_id]
    while waiting and len(seen) <= _CORRECTIONS:
        each = waiting.pop(0)
        status = standing(graph, each) if each in graph.nodes else Status.RETRACTED
        if status is Status.CURRENT and graph.tier(each) is not Tier.ORPHANED:
            found.append(each)
        newer = replacements(graph, each) if status is Status.SUPERSEDED else ()
        waiting += [other for other in newer if other not in seen]
        seen.update(newer)
    return found


def _order(each: Touching) -> tuple[tuple[int, int], bool, Millis, str]:
    node, use = each.graph.nodes[each.match.id], each.graph.use_of(each.match.id)
    latest = max(use.activity_at, node.created, node.written.at if node.written is not None else 0)
    return each.match.rank, use.tier is not Tier.ACTIVE, -latest, node.id


def _touches_any(uses: Sequence[FileUse], graphs: Sequence[Graph], indexes: Mapping[GraphKey, TouchIndex]) -> bool:
    return any(indexes[graph.key].match(use.spellings) for graph in graphs if graph.key in indexes for use in uses)


def _candidate(
    each: Touching, known: Container[tuple[GraphKey, str]], shown: Sequence[Touching], reason: Reason
) -> Candidate:
    """A lesson, and what became of it in a decision with this reason."""
    if each.place in known:
        reason = Reason.IN_VIEW
    elif each not in shown:
        reason = Reason.OUTSCORED
    return Candidate(graph=each.graph.key, id=each.match.id, reason=reason, how=each.match.how)


def _blocks(shown: Sequence[Touching]) -> tuple[Block, ...]:
    """A line for each lesson, the first below a heading that names the files."""
    files = tuple(dict.fromkeys(each.file for each in shown))
    lines = [
        replace(gist_block(each.graph, each.match.id, MarkKind.SEEN, float(len(shown) - place)), parent=_NAME)
        for place, each in enumerate(shown)
    ]
    heading = f"Lessons on {', '.join(one_line(file.name) for file in files)}:"
    marks = (*(Mark(MarkKind.FILE, "", file.digest) for file in files), *lines[0].marks)
    lines[0] = replace(lines[0], text=f"{heading}\n{lines[0].text}", marks=marks, name=_NAME, parent="")
    return tuple(lines)
