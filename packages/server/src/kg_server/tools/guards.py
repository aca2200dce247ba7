"""What keeps a write from undoing what its writer has not seen. Pure."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_server.tools.content import missing

if TYPE_CHECKING:
    from kg_core.model import GraphKey, Node
    from kg_server.contexts import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a write is refused. ``dropped`` are stored notes and touches that it would remove; ``warning`` names the
    write and what it would remove: sent again, it passes while that is still the same. Else it is empty.
    """

    reason: str
    dropped: tuple[str, ...] = ()
    warning: str = ""


def guard(
    stored: Node,
    graph: GraphKey,
    known: Ledger,
    *,
    is_own: bool,
    notes: tuple[str, ...] | None,
    touches: tuple[str, ...] | None,
) -> Refusal | None:
    """Judges a write over ``stored``; ``None`` for notes or touches that were not sent.

    ``is_own`` says that the node stands as the writer sent it a moment ago, which is on its way to the disk.
    """
    if not is_own and not known.has_viewed(graph, stored):
        return Refusal(reason="this session has not seen the node as it stands")
    if not known.has_read(graph, stored):
        unread = [
            name
            for name, kept, sent in (("notes", stored.notes, notes), ("touches", stored.touches, touches))
            if sent is not None and kept and not set(kept) <= set(sent)
        ]
        if unread:
            return Refusal(reason=f"the write replaces {' and '.join(unread)} that this session has not read")
    lists = ((stored.notes, notes), (stored.touches, touches))
    dropped = tuple(text for kept, sent in lists if sent is not None for text in missing(kept, sent))
    if dropped:
        warning = _fingerprint(notes, touches, dropped)
        if known.of(graph, stored.id).warned != warning:
            return Refusal(
                reason=f"the write removes {len(dropped)} of the stored notes and touches",
                dropped=dropped,
                warning=warning,
            )
    return None


def _fingerprint(*lists: tuple[str, ...] | None) -> str:
    return hashlib.sha256(json.dumps(lists).encode("ascii")).hexdigest()
