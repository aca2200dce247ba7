"""The levels that a call can reach, and finding a node in them by whatever spelling."""

from __future__ import annotations

import shlex
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_core.model import PROJECT_PREFIX, USER, USER_PREFIX, Graph, Node, to_iso
from kg_core.model.ids import fold, is_legal, propose, words
from kg_core.policy.ageing import has_aged
from kg_core.render import one_line
from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from kg_core.model import GraphKey
    from kg_server.tools.arguments import Level

_SEPARATORS = ("-", "_", ".")


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """The user's graph, the project's when the context has one, and the maintainer's for a maintenance context.

    ``aged_in`` names the file of what has aged in a graph; without it nothing is known to have.
    """

    user: Graph
    project: Graph | None = None
    maintain: Graph | None = None
    aged_in: Callable[[GraphKey], Path] | None = None

    def graph(self, level: Level) -> Graph:
        """The graph of a level that the caller names. Raises when this context does not have it."""
        if level == "user":
            return self.user
        if level == "project":
            if self.project is None:
                raise KgError(
                    Code.INVALID,
                    "This session has no project memory. Call kg_read once with cwd, the absolute path of the "
                    "project's folder, or use level 'user'.",
                )
            return self.project
        if self.maintain is None:
            raise KgError(
                Code.REFUSED,
                "The level 'maintain' holds the maintainer's own notes; use 'project' or 'user'. "
                "A maintenance session opens it with kg_read(maintenance=true).",
            )
        return self.maintain

    def searched(self) -> tuple[Graph, ...]:
        """The levels in which a bare id is looked up, the user's first."""
        return (self.user,) if self.project is None else (self.user, self.project)

    def named(self, text: str, level: Level | None = None) -> list[tuple[Graph, Node]]:
        """The nodes that ``text`` names, on ``level`` or on each that has one; ``user:id`` names one of the user's."""
        found = _found((self.graph(level),) if level is not None else self.searched(), text)
        prefix, bare = prefixed(text)
        if found or prefix is None or level not in {None, prefix} or (prefix == "project" and self.project is None):
            return found
        return _found((self.graph(prefix),), bare)

    def locate(self, text: str, level: Level | None) -> tuple[Graph, Node]:
        """The node that ``text`` names, on ``level`` or on whichever has it. Raises NOT_FOUND or AMBIGUOUS."""
        graphs = (self.graph(level),) if level is not None else self.searched()
        found = self.named(text, level)
        if not found and (aged := self.aged(text, level)):
            raise KgError(Code.NOT_FOUND, aged, {"id": text, "aged": True})
        if not found:
            where = " or ".join(level_name(graph) for graph in graphs)
            raise KgError(
                Code.NOT_FOUND,
                f"There is no node {text!r} on level {where}. kg_search finds nodes by their words.",
                {"id": text},
            )
        if len(found) > 1:
            both = "; ".join(f"{level_name(graph)}: {one_line(node.gist)}" for graph, node in found)
            raise KgError(
                Code.AMBIGUOUS,
                f"The id {found[0][1].id!r} exists on two levels ({both}). "
                "Repeat the call with level='user' or level='project'.",
                {"id": found[0][1].id, "levels": [level_name(graph) for graph, _ in found]},
            )
        return found[0]

    def aged(self, text: str, level: Level | None = None) -> str:
        """Where the lesson of this id, in whatever case, has been since it aged, and the command that brings it back;
        empty when there is none, or a year has passed.
        """
        prefix, bare = prefixed(text)
        for graph in (self.graph(level),) if level is not None else self.searched():
            name = unicodedata.normalize("NFC", bare if prefix == level_of(graph) else text.strip())
            if self.aged_in is None or (name := _aged_as(graph, name)) == "":
                continue
            path, where = str(self.aged_in(graph.key)), level_of(graph)
            command = shlex.join(["kg", "restore", path, "--level", where, "--deleted", name])
            place = ", run in a folder of this project," if where == "project" else ""
            return (
                f"The lesson {name!r} ({where}) had long been out of every text and was moved to {path} on "
                f"{to_iso(graph.tombstones[name].at)[:10]}. `{command}`{place} brings it back."
            )
        return ""


def prefixed(text: str) -> tuple[Level | None, str]:
    """The level that stands before an id, and the id without it: edges write ``user:x``, some models ``project:x``."""
    bare = text.strip()
    if bare.startswith(USER_PREFIX):
        return "user", bare.removeprefix(USER_PREFIX)
    if bare.startswith(PROJECT_PREFIX):
        return "project", bare.removeprefix(PROJECT_PREFIX)
    return None, text


def bare_id(graph: Graph, text: str) -> str:
    """The id that a write to a graph means: without the level before it. Raises INVALID when that is another one."""
    prefix, bare = prefixed(text)
    if prefix is None or lookup(graph, text) is not None:
        return text
    if prefix != level_of(graph):
        raise KgError(
            Code.INVALID,
            f"{text!r} names the level '{prefix}', and the call the level {level_name(graph)}. An id has no level in "
            f"it: send {bare!r}, and the level that you mean.",
            {"id": text},
        )
    return bare


def _aged_as(graph: Graph, name: str) -> str:
    """The id of the aged lesson that ``name`` spells: this very one comes first. Empty when there is none."""
    if has_aged(graph, name):
        return name
    return next((each for each in graph.tombstones if has_aged(graph, each) and folds_alike(each, name)), "")


def _found(graphs: Sequence[Graph], text: str) -> list[tuple[Graph, Node]]:
    return [(graph, node) for graph in graphs if (node := lookup(graph, text)) is not None]


def level_of(graph: Graph) -> Level:
    """The level that a graph is."""
    if graph.key == USER:
        return "user"
    return "project" if graph.key.startswith("project:") else "maintain"


def level_name(graph: Graph) -> str:
    """How a level is called in a sentence."""
    return f"'{level_of(graph)}'"


def lookup(graph: Graph, text: str) -> Node | None:
    """The node of this id, or of the same words in other case, separators or Unicode form.

    This very id comes first: one that a person wrote into a file may begin with a space, or be nothing else.
    """
    if text in graph.nodes:
        return graph.nodes[text]
    name = unicodedata.normalize("NFC", text.strip())
    node = graph.find(name)
    if node is not None:
        return node
    parts = words(name if is_legal(name) else propose(name))
    spellings = (separator.join(parts) for separator in _SEPARATORS)
    return next((node for spelling in spellings if (node := graph.find(spelling)) is not None), None)


def is_same_spelling(node: Node, text: str) -> bool:
    """Whether ``text`` is the node's own id, be it in another Unicode form."""
    return text == node.id or unicodedata.normalize("NFC", text.strip()) == unicodedata.normalize("NFC", node.id)


def folds_alike(one: str, other: str) -> bool:
    """Whether two ids are the same node's."""
    return fold(one) == fold(other)
