"""Plain Markdown: every item of a list is a lesson, what is indented below it are its notes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kg_core.exchange.found import Found, Portion, Skipped
from kg_core.exchange.naming import Names, id_of_text, marked, tag_of
from kg_core.model import USER, Graph, Node, Written
from kg_core.model.ids import fold, propose
from kg_core.model.visible import shows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kg_core.exchange.found import File
    from kg_core.model import Millis

FORMAT: Final = "markdown"
_BY: Final = "import"
_ITEM: Final = re.compile(r"^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$")
_HEADING: Final = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
_NAMED: Final = re.compile(r"^(\*\*|__)([^*]+?):?\1:?\s+(.*)$", re.DOTALL)
_FENCE: Final = re.compile(r"^\s*(```|~~~)")
_RULE: Final = re.compile(r"^\s*([-*_])(?:\s*\1){2,}\s*$")


@dataclass(slots=True)
class Item:
    """One item of the outermost list: the line it starts on, its text, its notes, the heading above it."""

    line: int
    text: str
    heading: str
    notes: list[str] = field(default_factory=list)


def read(file: File) -> Found:
    """The lessons of one file; lines that belong to no list are skipped and named.

    ``**name**: text`` names its id; else it is made of the first words. The time of the file is that of every lesson.
    """
    skipped: list[Skipped] = []
    found = list(items(file.text(), skipped))
    nodes: dict[str, Node] = {}
    taken: dict[str, str] = {}
    ids = Names(name for item in found if (name := _name(item.text)))
    for item in found:
        name = _name(item.text)
        gist = _gist(item.text)
        if not shows(gist):
            skipped.append(Skipped(f"line {item.line}", "the item is empty"))
            continue
        node_id = ids[name] if name else id_of_text(gist)
        if taken.get(fold(node_id), gist) != gist:
            node_id = marked(node_id, gist)
        if fold(node_id) in taken:
            skipped.append(Skipped(f"line {item.line}", f"the same as an item before it: {node_id!r}"))
            continue
        taken[fold(node_id)] = gist
        tag = tag_of(item.heading)
        nodes[node_id] = Node(
            id=node_id,
            gist=gist,
            notes=tuple(dict.fromkeys(filter(shows, item.notes))),
            tags=(tag,) if tag else (),
            created=file.modified,
            written=written(file.modified),
        )
    graph = Graph.build(USER, nodes=nodes)
    return Found(format=FORMAT, portions=(Portion(graph=graph),), skipped=tuple(skipped))


def written(modified: Millis) -> Written:
    """The stamp of what a source without times and authors holds."""
    return Written(at=modified, by=_BY, author=_BY)


def items(text: str, skipped: list[Skipped]) -> Iterator[Item]:
    """The items of the outermost lists, in order."""
    current: Item | None = None
    heading, depth, fenced, loose = "", 0, False, True
    for number, line in enumerate(text.splitlines(), 1):
        if _FENCE.match(line):
            fenced = not fenced
        found = None if fenced or _RULE.match(line) else _ITEM.match(line)
        title = None if fenced else _HEADING.match(line)
        if title is not None or (not fenced and _RULE.match(line)):
            if current is not None:
                yield current
            current = None
            heading = title.group(1) if title is not None else heading
        elif found is not None and (current is None or len(found.group(1).expandtabs(4)) <= depth):
            if current is not None:
                yield current
            depth, loose = len(found.group(1).expandtabs(4)), False
            current = Item(number, found.group(2).strip(), heading)
        elif current is not None and found is not None:
            current.notes.append(found.group(2).strip())
            loose = False
        elif not line.strip():
            loose = True
        elif current is not None and (not loose or line[:1].isspace() or fenced):
            _continue(current, line)
        else:
            if current is not None:
                yield current
            current = None
            skipped.append(Skipped(f"line {number}", f"it belongs to no list: {line.strip()[:60]!r}"))
    if current is not None:
        yield current


def _continue(item: Item, line: str) -> None:
    """A line that goes on with the item, or with its last note."""
    if item.notes:
        item.notes[-1] = f"{item.notes[-1]}\n{line.strip()}".strip()
    else:
        item.text = f"{item.text} {line.strip()}".strip()


def _name(text: str) -> str:
    """The name that an item gives itself, when it looks like one."""
    match = _NAMED.match(text)
    name = match.group(2).strip() if match is not None else ""
    return name if propose(name) == name else ""


def _gist(text: str) -> str:
    match = _NAMED.match(text) if _name(text) else None
    return match.group(3).strip() if match is not None else text
