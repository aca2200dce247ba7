"""What the client's transcript tells that no payload does: the prompt, and that the conversation was compacted.

A transcript is one JSON object a line, with ``type``, ``step_index``, ``created_at`` and ``content``.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final

from kg_plugin_api import TranscriptView

if TYPE_CHECKING:
    from collections.abc import Iterator

_TAIL: Final = 256 * 1024
_OPENING: Final = "<USER_REQUEST>"
_CLOSING: Final = "</USER_REQUEST>"


class AntigravityTranscript:
    """Reads rows, and passes over whatever is none."""

    tail_bytes: Final = _TAIL

    def view(self, tail: bytes, fresh: bytes) -> TranscriptView:
        """The newest prompt in ``tail``, and whether ``fresh`` has a checkpoint."""
        row = next(_rows(tail, "USER_INPUT"), None)
        compacted = any(type(found.get("step_index")) is int for found in _rows(fresh, "CHECKPOINT"))
        if row is None:
            return TranscriptView(compacted=compacted)
        prompt = _request(row.get("content"))
        digest = hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        key = f"{row.get('step_index')}:{row.get('created_at')}:{digest}"
        return TranscriptView(prompt=prompt, prompt_key=key, compacted=compacted)


def _rows(content: bytes, kind: str) -> Iterator[dict[str, Any]]:
    """The rows of a kind, newest first. The word is looked for before a line is parsed: most lines are long."""
    word = kind.encode("ascii")
    for line in reversed(content.splitlines()):
        if word not in line:
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict) and row.get("type") == kind:
            yield row


def _request(content: object) -> str:
    """What the person typed; the client writes more of its own around it."""
    if not isinstance(content, str):
        return ""
    _, opened, rest = content.partition(_OPENING)
    return (rest.rpartition(_CLOSING)[0] or rest).strip() if opened else ""
