"""The client's hooks: read from a file in which one invalid entry voids all, and run as real processes."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .evidence import plays
from .messages import Reply, VoidError, parse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_TOOLS = frozenset({"PreToolUse", "PostToolUse"})
_EVENTS = frozenset({"SessionStart", "PreInvocation", "PostInvocation", "Stop", *_TOOLS})
_LARGEST_TIMEOUT = 2**31


@dataclass(frozen=True)
class Handler:
    """One command of a hook. ``matcher`` is empty for an event that is of no tool."""

    event: str
    command: str
    timeout: int
    folder: Path
    matcher: str = ""


@plays("hooks-file", "bundles", "one-voids-all", "flat-lists", "timeouts", "unknown-events")
def read(file: Path, log: list[str]) -> list[Handler]:
    """The handlers of a file; none, and a line in the log, when any entry is invalid."""
    if not file.exists():
        return []
    try:
        bundles = json.loads(file.read_text(encoding="utf-8"))
        return [handler for bundle in bundles.values() for handler in _bundle(bundle, file.parent)]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        log.append(f"{file}: every hook was dropped: {error!r}")
        return []


def _bundle(bundle: dict[str, Any], folder: Path) -> list[Handler]:
    if not isinstance(bundle.get("enabled", True), bool):
        raise TypeError("enabled")
    found: list[Handler] = []
    for name, entries in bundle.items():
        event = next((known for known in _EVENTS if known.lower() == name.lower()), "")
        if not event or not isinstance(entries, list):
            continue
        for entry in entries:
            if event in _TOOLS:
                re.compile(entry["matcher"])
                found += [_handler(event, each, folder, entry["matcher"]) for each in entry["hooks"]]
            else:
                found.append(_handler(event, entry, folder, ""))
    return found if bundle.get("enabled", True) else []


def _handler(event: str, entry: dict[str, Any], folder: Path, matcher: str) -> Handler:
    timeout = entry.get("timeout", 30)
    if type(timeout) is not int or not 0 < timeout < _LARGEST_TIMEOUT:
        raise ValueError(f"timeout {timeout!r}")
    if entry["type"] != "command" or not isinstance(entry["command"], str):
        raise ValueError("handler")
    return Handler(event, entry["command"], timeout, folder, matcher)


@dataclass(frozen=True)
class Hooks:
    """The handlers of all files, run one after the other."""

    handlers: Sequence[Handler]
    environ: Mapping[str, str]
    log: list[str]

    @plays("shell", "failures")
    def run(self, event: str, payload: Mapping[str, object], tool: str = "") -> list[Reply]:
        """What the hooks of an event reply; what fails is logged and left out."""
        replies: list[Reply] = []
        for handler in self.handlers:
            if handler.event != event or (handler.matcher and not re.fullmatch(handler.matcher, tool)):
                continue
            environ = {**self.environ, "ANTIGRAVITY_CONVERSATION_ID": str(payload["conversationId"])}
            try:
                done = subprocess.run(
                    ["sh", "-c", handler.command],
                    input=json.dumps(payload).encode(),
                    cwd=handler.folder,
                    env=environ,
                    capture_output=True,
                    timeout=handler.timeout,
                    check=True,
                )
                replies.append(parse(event, done.stdout))
            except (VoidError, subprocess.SubprocessError) as error:
                self.log.append(f"{event}: {error}")
        return replies
