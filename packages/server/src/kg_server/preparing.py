"""What every client asks first, made ready before it asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.policy.evidence import know_words
from kg_server.tools.arguments import schema
from kg_server.tools.catalogue import TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterator


def preparations() -> Iterator[None]:
    """The schemas of the tools and the common words of questions, in small steps."""
    for tool in TOOLS.values():
        schema(tool.arguments)
        yield
    yield from know_words()
