"""The eleven tools, in the order in which clients list them."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from kg_server.tools import (
    delete_edge,
    delete_node,
    progress,
    put_edge,
    put_node,
    read,
    rename_node,
    rules,
    search,
    sync,
    useful,
)
from kg_server.tools.plan import Tool

if TYPE_CHECKING:
    from collections.abc import Mapping

_TOOLS: Final[tuple[Tool[Any], ...]] = (
    Tool(
        name="kg_read",
        title="Read memory",
        arguments=read.Read,
        plan=read.plan,
        steps=read.steps,
        read_only=True,
    ),
    Tool(
        name="kg_search",
        title="Search memory",
        arguments=search.Search,
        plan=search.plan,
        question=search.question,
        read_only=True,
    ),
    Tool(
        name="kg_put_node",
        title="Save a lesson",
        arguments=put_node.PutNode,
        plan=put_node.plan,
        texts=("gist", "notes", "touches", "tags", "observer", "observed"),
        names=("id", "derived_from"),
        graphs=put_node.graphs,
        destructive=True,
    ),
    Tool(
        name="kg_put_edge",
        title="Relate lessons",
        arguments=put_edge.PutEdge,
        plan=put_edge.plan,
        texts=("notes",),
        names=("source", "rel", "target"),
        graphs=put_edge.graphs,
    ),
    Tool(
        name="kg_rename_node",
        title="Rename a lesson",
        arguments=rename_node.RenameNode,
        plan=rename_node.plan,
        names=("new_id",),
        graphs=rename_node.graphs,
        idempotent=False,
    ),
    Tool(
        name="kg_delete_node",
        title="Delete a lesson",
        arguments=delete_node.DeleteNode,
        plan=delete_node.plan,
        destructive=True,
        idempotent=False,
    ),
    Tool(
        name="kg_delete_edge",
        title="Delete a relation",
        arguments=delete_edge.DeleteEdge,
        plan=delete_edge.plan,
        destructive=True,
        idempotent=False,
    ),
    Tool(name="kg_useful", title="Say what helped", arguments=useful.Useful, plan=useful.plan),
    Tool(
        name="kg_sync",
        title="List others' changes",
        arguments=sync.Sync,
        plan=sync.plan,
        steps=sync.steps,
        looks_back=True,
        read_only=True,
    ),
    Tool(
        name="kg_progress",
        title="Keep a task's state",
        arguments=progress.ProgressArguments,
        plan=progress.plan,
        texts=("state",),
        names=("task_id",),
        destructive=True,
    ),
    Tool(
        name="kg_rules",
        title="Read the rules",
        arguments=rules.RulesArguments,
        plan=rules.plan,
        reads_rules=True,
        read_only=True,
    ),
)

TOOLS: Final[Mapping[str, Tool[Any]]] = MappingProxyType({tool.name: tool for tool in _TOOLS})
"""The tools by name."""
