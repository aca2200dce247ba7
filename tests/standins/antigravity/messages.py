"""The client's parser of what hooks print: one message for each event, and no mercy."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from .evidence import plays

_MOST_BYTES = 48_926


class VoidError(ValueError):
    """A reply that is no message of its event. The client logs it and goes on as if there had been none."""


@dataclass(frozen=True)
class Reply:
    """What a reply asks for: messages of the system for the model, and before a tool, a decision."""

    messages: tuple[str, ...] = ()
    decision: str = ""


_INJECTING = frozenset({"SessionStart", "PreInvocation", "PostInvocation"})
_DECISIONS = frozenset({"allow", "deny", "ask", "force_ask", "deny_unless_prior_grant"})


@dataclass
class _Fields:
    """An object whose every key must be asked for, and be of one type."""

    value: Any
    asked: set[str] = field(default_factory=set)

    def of(self, key: str, kind: type) -> Any:
        self.asked.add(key)
        if not isinstance(self.value, dict):
            raise VoidError("no object")
        found = self.value.get(key)
        if found is not None and type(found) is not kind:
            raise VoidError(f"{key} is no {kind.__name__}")
        return found

    def done(self) -> None:
        if not isinstance(self.value, dict):
            raise VoidError("no object")
        if unknown := set(self.value) - self.asked:
            raise VoidError(f"unknown field {sorted(unknown)[0]}")


@plays("strict-replies", "empty-refuses", "nothing-printed", "after-tools", "message-limit")
def parse(event: str, printed: bytes) -> Reply:
    """The reply that a hook printed. Raises VoidError."""
    try:
        fields = _Fields(json.loads(printed.decode("utf-8")))
    except ValueError as error:
        raise VoidError(f"no JSON: {printed[:40]!r}") from error
    messages: list[str] = []
    if event in _INJECTING:
        for step in fields.of("injectSteps", list) or ():
            messages += _step(step)
    decision = fields.of("decision", str) if event == "PreToolUse" else ""
    if event == "PreToolUse":
        fields.of("reason", str)
        if decision and decision not in _DECISIONS:
            raise VoidError(f"no decision: {decision}")
        decision = decision or "deny"
    fields.done()
    return Reply(tuple(map(_cut, messages)), decision or "")


def _step(value: Any) -> list[str]:
    step = _Fields(value)
    inner = step.of("systemMessage", dict)
    ephemeral = step.of("ephemeralMessage", dict)
    step.done()
    found: list[str] = []
    for kind, message in (("systemMessage", inner), ("ephemeralMessage", ephemeral)):
        if message is not None:
            text = _Fields(message)
            found.append(text.of(kind, str) or "")
            text.done()
    return found


def _cut(text: str) -> str:
    return text.encode("utf-8")[:_MOST_BYTES].decode("utf-8", "ignore")
