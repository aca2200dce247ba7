"""Claude Code's auto-memory: a folder of Markdown files, one fact each, with ``MEMORY.md`` as their index."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kg_core.exchange import bullets
from kg_core.exchange.found import File, Found, Portion, Skipped
from kg_core.exchange.naming import Names, tag_of
from kg_core.model import USER, Edge, Graph, Node, Written, from_iso
from kg_core.model.visible import shows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FORMAT: Final = "claude"
INDEX: Final = "MEMORY.md"
_REL: Final = "related-to"
_LINK: Final = re.compile(r"\[\[([^\[\]\n]+)\]\]")
_FIELD: Final = re.compile(r"^\s*([A-Za-z_]\w*):\s*(.*?)\s*$")
_POINTER: Final = re.compile(r"\]\(([^)\s]+\.md)\)")
_SUFFIX: Final = ".md"


@dataclass(frozen=True, slots=True)
class _Fact:
    """One file: its name in the folder, what its frontmatter says, and its body."""

    file: str
    name: str
    fields: Mapping[str, str]
    paragraphs: tuple[str, ...]
    modified: int
    links: tuple[str, ...] = ()


def is_one(names: set[str]) -> bool:
    """Whether a folder with these files is such a memory."""
    return INDEX in names


def wanted(name: str) -> bool:
    """Whether a file of the folder is read."""
    return name.endswith(_SUFFIX)


def read(files: Mapping[str, File]) -> Found:
    """A fact becomes a node: its description is the gist, its paragraphs are notes, ``[[links]]`` are edges.

    Lines of the index that point to a fact say nothing new; other items of it become nodes too.
    """
    skipped: list[Skipped] = []
    facts = [_fact(name, file) for name, file in sorted(files.items()) if name != INDEX]
    loose = _unpointed(files, {fact.file for fact in facts}, skipped)
    names = Names([*(fact.name for fact in facts), *loose.nodes])
    nodes = {names[old]: replace(node, id=names[old]) for old, node in loose.nodes.items()}
    edges: dict[object, Edge] = {}
    for fact in facts:
        if fact.name in nodes or names[fact.name] in nodes:
            skipped.append(Skipped(fact.file, f"another file is named {fact.name!r} too"))
            continue
        if not fact.paragraphs and not fact.fields.get("description"):
            skipped.append(Skipped(fact.file, "it is empty"))
            continue
        nodes[names[fact.name]] = _node(names[fact.name], fact)
    for fact in facts:
        for link in fact.links:
            if link not in names or names[link] not in nodes:
                skipped.append(Skipped(fact.file, f"a link to {link!r}, which is not written yet"))
            elif names[fact.name] in nodes and link != fact.name:
                edge = Edge(source=names[fact.name], rel=_REL, target=names[link], created=fact.modified, by=_by(fact))
                edges[edge.key] = edge
    graph = Graph.build(USER, nodes=nodes, edges={edge.key: edge for edge in edges.values()})
    return Found(format=FORMAT, portions=(Portion(graph=graph),), skipped=tuple(skipped))


def _unpointed(files: Mapping[str, File], known: set[str], skipped: list[Skipped]) -> Graph:
    """What the index says by itself."""
    if INDEX not in files:
        return Graph(key=USER)
    index = files[INDEX]
    lines = []
    for number, line in enumerate(index.text().splitlines(), 1):
        pointers = _POINTER.findall(line)
        missing = [pointer for pointer in pointers if pointer not in known]
        skipped += [Skipped(f"{INDEX}: line {number}", f"it points to {name}, which is not there") for name in missing]
        lines.append("" if pointers else line)
    found = bullets.read(File("\n".join(lines).encode(), index.modified))
    skipped += [Skipped(f"{INDEX}: {each.where}", each.reason) for each in found.skipped]
    return found.portions[0].graph


def _fact(name: str, file: File) -> _Fact:
    head, body = _split(file.text())
    found = ((match.group(1), _unquoted(match.group(2))) for line in head if (match := _FIELD.match(line)))
    fields = {field: value for field, value in found if shows(value)}
    links = tuple(dict.fromkeys(link.strip() for link in _LINK.findall(body)))
    return _Fact(
        file=name,
        name=fields.get("name") or name.removesuffix(_SUFFIX),
        fields=fields,
        paragraphs=tuple(_paragraphs(body)),
        modified=from_iso(fields.get("modified", "")) or file.modified,
        links=links,
    )


def _split(text: str) -> tuple[list[str], str]:
    """The lines of the frontmatter and the body."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != "---":
        return [], text
    end = next((at for at, line in enumerate(lines[1:], 1) if line.strip() == "---"), None)
    return ([], text) if end is None else (lines[1:end], "\n".join(lines[end + 1 :]))


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        inner = value[1:-1]
        return inner.replace('\\"', '"').replace("\\\\", "\\") if value[0] == '"' else inner.replace("''", "'")
    return value


def _paragraphs(body: str) -> Iterator[str]:
    """What says something, so no heading without words."""
    yield from (part.strip() for part in re.split(r"\n\s*\n", body) if shows(part.lstrip("# \n")))


def _node(node_id: str, fact: _Fact) -> Node:
    described = fact.fields.get("description", "")
    gist = described or fact.paragraphs[0].lstrip("# ")
    tag = tag_of(fact.fields.get("type", ""))
    return Node(
        id=node_id,
        gist=gist,
        notes=fact.paragraphs if described else fact.paragraphs[1:],
        tags=(tag,) if tag else (),
        created=fact.modified,
        written=Written(at=fact.modified, by=_by(fact), author=_by(fact)),
    )


def _by(fact: _Fact) -> str:
    return fact.fields.get("originSessionId") or "import"
