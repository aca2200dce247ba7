"""The client's transcript: a row of each step, written before the hooks of the next one run."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from .evidence import plays

if TYPE_CHECKING:
    from pathlib import Path


class Transcript:
    """One file of a conversation, which a resumed one goes on with."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        self.steps = len(path.read_text(encoding="utf-8").splitlines())

    @plays("transcript")
    def write(self, kind: str, content: str = "", source: str = "MODEL", **more: object) -> int:
        """Appends a row; its step."""
        step = self.steps
        self.steps += 1
        row = {
            "step_index": step,
            "source": source,
            "type": kind,
            "status": "DONE",
            "created_at": datetime.now(UTC).isoformat(),
            "content": content,
            **more,
        }
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
        return step

    @plays("prompt-row")
    def asked(self, prompt: str) -> int:
        """A person's prompt."""
        content = f"<USER_REQUEST>\n{prompt}\n</USER_REQUEST>\n<ADDITIONAL_METADATA>\nnothing\n</ADDITIONAL_METADATA>"
        return self.write("USER_INPUT", content, "USER")

    @plays("checkpoint")
    def compacted(self) -> int:
        """The conversation was summed up."""
        return self.write("CHECKPOINT", "A summary of what came before.", "SYSTEM")
