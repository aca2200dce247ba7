"""What of a request narrows the answer, for every query alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kg_search_pg.words import clean

if TYPE_CHECKING:
    from kg_plugin_api import SearchRequest

NODE: Final = "node"
"""The type of a row of a node."""
ALLOWED: Final = """
    graph = any(%(graphs)s) and type = %(type)s
    and (cardinality(%(tiers)s::text[]) = 0 or tier = any(%(tiers)s))
    and (cardinality(%(statuses)s::text[]) = 0 or status = any(%(statuses)s))
    and (cardinality(%(kinds)s::text[]) = 0 or kind = any(%(kinds)s))
    and (cardinality(%(observers)s::text[]) = 0 or observer = any(%(observers)s))
    and (cardinality(%(observed)s::text[]) = 0 or observed = any(%(observed)s))
    and tags @> %(tags)s::text[]
"""
"""The condition on a row; its parameters come from :func:`parameters`."""


def parameters(request: SearchRequest, type_: str = NODE) -> dict[str, Any]:
    """The parameters of :data:`ALLOWED`, for rows of one type. Only a node was stated or derived."""
    return {
        "type": type_,
        "graphs": [clean(graph) for graph in request.graphs],
        "tiers": list(request.tiers),
        "statuses": list(request.statuses),
        "kinds": list(request.kinds) if type_ == NODE else [],
        "observers": [clean(name) for name in request.observers],
        "observed": [clean(name) for name in request.observed],
        "tags": [clean(tag) for tag in request.tags],
    }
