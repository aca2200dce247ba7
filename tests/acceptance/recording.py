"""Recorded payloads: what the clients sent, with everything that belongs to one machine or one run made neutral."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from .machine import Machine

_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_AGENT: Final = re.compile(r"\ba[0-9a-f]{16}\b")
_DAY: Final = re.compile(r"\d{4}([/-])\d\d([/-])\d\d")
_MOMENT: Final = re.compile(r"T\d\d-\d\d-\d\d")
_MEASURED: Final = ("_ms", "_seconds", "_usd", "_tokens", "seconds_since_last_response", "timestamp")


def recorded(file: Path, machine: Machine, project: Path) -> dict[str, dict[str, Any]]:
    """The first event of each name in a file of captures. A name is the event, what varies in it, and the carrier."""
    text = file.read_text(encoding="utf-8")
    for real, neutral in ((project, "/home/user/project"), (machine.home, "/home/user")):
        text = text.replace(str(real), neutral).replace(_slug(real), _slug(neutral))
    names: dict[str, str] = {}
    text = _UUID.sub(lambda found: names.setdefault(found[0], _uuid(len(names) + 1)), text)
    text = _AGENT.sub(lambda found: names.setdefault(found[0], f"a{len(names) + 1:016x}"), text)
    text = _MOMENT.sub("T12-00-00", _DAY.sub(r"2026\g<1>11\g<2>29", text))
    events = [_settled(json.loads(line)) for line in text.splitlines()]
    found: dict[str, dict[str, Any]] = {}
    for event in events:
        found.setdefault(_name(event), event)
    return found


def shape(value: object) -> object:
    """The keys and types of a value, without the values."""
    if isinstance(value, dict):
        return {key: shape(member) for key, member in sorted(value.items())}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


def _name(event: Mapping[str, Any]) -> str:
    payload, meta = event["payload"], event["meta"]
    tool = payload.get("tool_name") or payload.get("toolName")
    varies = [payload.get("source"), tool and str(tool).replace("/", "_"), payload.get("trigger")]
    thread = meta.get("threadId")
    inside = bool(payload.get("agent_id") or payload.get("agentId")) or (
        bool(thread) and thread != payload.get("session_id", thread)
    )
    inside = inside or bool(meta.get("x-codex-turn-metadata", {}).get("parent_thread_id"))
    varies.append("subagent" if inside and not event["native"].lower().startswith("subagent") else None)
    return "-".join([event["native"], *filter(None, varies), event["carrier"]])


def _settled(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _settled(member, name) for name, member in value.items()}
    if isinstance(value, list):
        return [_settled(member) for member in value]
    measured = isinstance(value, int | float) and not isinstance(value, bool) and key.endswith(_MEASURED)
    return type(value)(1) if measured else value


def _slug(path: object) -> str:
    return re.sub("[^A-Za-z0-9]", "-", str(path))


def _uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012x}"
