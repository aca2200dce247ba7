"""Ends of edges as the tools accept them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kg_core.model import USER, USER_PREFIX, EndKind, end_kind
from kg_core.model.limits import TOUCH_LENGTH
from kg_plugin_api import Code, KgError
from kg_server.tools.content import single_line
from kg_server.tools.levels import Levels, level_name, level_of, lookup, prefixed

if TYPE_CHECKING:
    from kg_core.model import Graph
    from kg_server.tools.arguments import Level

_FILE_NAME: Final = re.compile(r"\\|\.[A-Za-z][A-Za-z0-9]{0,7}(?::\d+)?$")
"""What a file's name has that an id hardly ever has: an ending, or a separator of Windows."""


def graph_for(levels: Levels, source: str, target: str, level: Level | None) -> Graph:
    """The graph that an edge belongs to: the one named, else the project's when an end is there alone, else the user's.

    Raises AMBIGUOUS when an end is on both levels and no other end decides which one is meant.
    """
    if level is not None:
        return levels.graph(level)
    if levels.project is None:
        return levels.user
    bare = [end for end in (source, target) if end_kind(single_line(end)) is EndKind.NODE]
    of_project = [
        end for end in bare if prefixed(end)[0] == "project" or lookup(levels.project, single_line(end)) is not None
    ]
    in_both = [end for end in of_project if lookup(levels.user, single_line(end)) is not None]
    if in_both and in_both == of_project:
        raise KgError(
            Code.AMBIGUOUS,
            f"{in_both[0]!r} exists on the levels 'user' and 'project'. Repeat the call with level='user' or "
            "level='project'.",
            {"id": in_both[0], "levels": ["user", "project"]},
        )
    return levels.project if of_project else levels.user


def resolved_end(graph: Graph, user: Graph, text: str) -> str:
    """An end as it is stored: a node's own id, ``user:id`` across levels, or a path. Raises NOT_FOUND."""
    end = single_line(text)
    kind = end_kind(end)
    if kind is EndKind.PATH:
        if len(end) > TOUCH_LENGTH:
            raise KgError(Code.TOO_LARGE, f"A path has at most {TOUCH_LENGTH} characters.", {"length": len(end)})
        return _bare_path(end)
    if kind is EndKind.NODE and (node := lookup(graph, _within(graph, end))) is not None:
        return node.id
    node = lookup(user, end.removeprefix(USER_PREFIX))
    if node is not None:
        return node.id if graph.key == USER else USER_PREFIX + node.id
    where = "'user'" if kind is EndKind.USER or graph.key == USER else f"{level_name(graph)} or 'user'"
    as_file = end.replace("\\", "/") if "\\" in end else f"./{end}"
    hint = f" A file is written {as_file!r}." if _FILE_NAME.search(end) else ""
    raise KgError(
        Code.NOT_FOUND,
        f"There is no node {end!r} on level {where}, and it is no file path (those contain '/' or '~').{hint} "
        "Save the node first with kg_put_node, or find its id with kg_search.",
        {"end": end},
    )


def stored_end(graph: Graph, text: str) -> str:
    """An end as an existing edge may have it, be the node there or not."""
    end = single_line(text)
    kind = end_kind(end)
    if end in graph.incident or (kind is EndKind.USER and graph.key != USER):
        return end
    if kind is EndKind.PATH:
        return _bare_path(end)
    node = lookup(graph, _within(graph, end))
    if node is not None:
        return node.id
    crossing = USER_PREFIX + end
    return crossing if crossing in graph.incident else end


def _bare_path(end: str) -> str:
    """A path without the backticks that Markdown has around it."""
    return end[1:-1].strip() or end if end.startswith("`") and end.endswith("`") else end


def _within(graph: Graph, end: str) -> str:
    """An end without the level before it, where that is the graph's own."""
    level, bare = prefixed(end)
    return bare if level == level_of(graph) and lookup(graph, end) is None else end
