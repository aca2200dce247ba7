"""What a tool is about to store, without secrets: the one place through which every text of a client passes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kg_core.model.limits import PROGRESS_BYTES
from kg_core.policy import Scrubbed, scrub
from kg_core.render import Block

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_server.tools.arguments import A
    from kg_server.tools.plan import Tool

_LONGEST: Final = PROGRESS_BYTES
"""Longer texts are refused by every limit, so there is no need to look into them."""
_STEP: Final = 10_000
"""Characters looked through between two turns of the loop."""


class Found(NamedTuple):
    """A secret that was taken out: what it looks like, and of which argument."""

    kind: str
    field: str


async def without_secrets(tool: Tool[A], arguments: A) -> tuple[A, tuple[Found, ...]]:
    """The arguments with placeholders for secrets in everything that the tool stores, and what was found."""
    changed: dict[str, Any] = {}
    found: dict[Found, None] = {}
    looked_through = 0
    for name, is_name in (*((name, False) for name in tool.texts), *((name, True) for name in tool.names)):
        value = getattr(arguments, name)
        texts = (value,) if isinstance(value, str) else value
        scrubbed: list[str] = []
        for text in texts:
            clean = scrub(text, is_name=is_name) if len(text) <= _LONGEST else Scrubbed(text)
            scrubbed.append(clean.text)
            found.update(dict.fromkeys(Found(kind, _shown(arguments, name)) for kind in clean.kinds))
            looked_through += len(text)
            if looked_through > _STEP:
                looked_through = 0
                await asyncio.sleep(0)
        if scrubbed != list(texts):
            changed[name] = scrubbed[0] if isinstance(value, str) else tuple(scrubbed)
    return (arguments.model_copy(update=changed) if changed else arguments), tuple(found)


def warning(found: Sequence[Found]) -> Block:
    """Says what was taken out and where, never the value."""
    places = "; ".join(f"{field}: {kind.replace('-', ' ')}" for kind, field in found)
    return Block(
        text=f"Warning: what looks like a secret was replaced by a placeholder and not kept ({places}). "
        "Memory is no place for secrets: save where one is kept, not what it is."
    )


def _shown(arguments: A, name: str) -> str:
    """The argument as clients call it."""
    return type(arguments).model_fields[name].alias or name
