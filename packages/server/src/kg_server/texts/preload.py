"""The words above the preload."""

from __future__ import annotations

_SAVE = (
    "When you have learned what the next session should know (the cause of a hard bug, a decision with its reason, a "
    "correction by the user, a trap), save it at once with {p}kg_put_node."
)
_HEAD = (
    "The shared memory of all coding agents on this machine (kg). Below is its core; {p}kg_search finds the rest by "
    "words, {p}kg_read with ids gives a lesson's notes, reasons and edges, without ids all gists. "
    f"{_SAVE} When a lesson below helped, say so with {{p}}kg_useful."
)
_EMPTY = f"The shared memory of all coding agents on this machine (kg) is empty here so far. {_SAVE}"


def head(tool_prefix: str, *, is_empty: bool) -> str:
    """The words above the preload, with the tools named as this client shows them."""
    return (_EMPTY if is_empty else _HEAD).format(p=tool_prefix)
