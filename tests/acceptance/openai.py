"""The Responses interface of a scripted model, as far as Codex uses it."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any, Final

from .endpoint import Item, Request, events

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .endpoint import Call, Turn

_TEXT_FIELDS: Final = frozenset({"text", "output", "arguments", "input", "content", "query", "description"})


class Responses:
    """Reads what the client sends and writes what a model would answer."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def read(self, path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Request | None:
        """A request for an answer; the list of models and the like is something else."""
        if not path.partition("?")[0].endswith("/responses"):
            return None
        items = [Item(role="system", text=str(body.get("instructions") or ""))]
        items += [_item(entry) for entry in body.get("input") or ()]
        return Request(kind=_kind(headers), items=tuple(items), tools=tuple(_tools(body)), body=body)

    def stream(self, request: Request, turn: Turn) -> bytes:
        """The answer, item by item."""
        output = [self._call(call) for call in turn.calls]
        if turn.text or not output:
            content = [{"type": "output_text", "text": turn.text, "annotations": []}]
            message = {"type": "message", "role": "assistant", "status": "completed", "content": content}
            output.insert(0, {**message, "id": self._name("msg")})
        response = {"id": self._name("resp"), "object": "response", "model": request.body.get("model")}
        usage = {
            "input_tokens": turn.tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 10,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": turn.tokens + 10,
        }
        done = {**response, "status": "completed", "output": output, "usage": usage}
        return events(
            {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
            *(
                {"type": "response.output_item.done", "output_index": number, "item": item}
                for number, item in enumerate(output)
            ),
            {"type": "response.completed", "response": done},
        )

    def other(self, path: str, body: Mapping[str, Any]) -> Mapping[str, object]:
        """An empty list of models, or nothing."""
        return {"object": "list", "data": [], "models": []} if "/models" in path else {}

    def _call(self, call: Call) -> dict[str, object]:
        name = self._name("call")
        text = call.arguments.get("input")
        if isinstance(text, str) and set(call.arguments) == {"input"}:  # a tool that takes free text
            kind: dict[str, object] = {"type": "custom_tool_call", "input": text}
        else:
            kind = {"type": "function_call", "arguments": json.dumps(call.arguments)}
        place = {"namespace": call.namespace} if call.namespace else {}
        return {**kind, **place, "id": f"item_{name}", "call_id": name, "name": call.name, "status": "completed"}

    def _name(self, kind: str) -> str:
        return f"{kind}_{next(self._numbers)}"


def _kind(headers: Mapping[str, str]) -> str:
    try:
        turn = json.loads(headers.get("x-codex-turn-metadata", "{}"))
    except ValueError:
        turn = {}
    if turn.get("request_kind") == "compaction":
        return "compaction"
    return "subagent" if turn.get("thread_source") == "subagent" else "main"


def _item(entry: Mapping[str, Any]) -> Item:
    kind = str(entry.get("type"))
    role = str(entry.get("role") or ("tool" if kind.endswith("_output") else "call" if "call" in kind else kind))
    return Item(role=role, text="\n".join(_strings(entry)))


def _strings(value: object, field: str = "") -> Iterator[str]:
    if isinstance(value, str):
        if field in _TEXT_FIELDS:
            yield value
    elif isinstance(value, list):
        for member in value:
            yield from _strings(member, field)
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from _strings(member, key)


def _tools(body: Mapping[str, Any]) -> Iterator[str]:
    added = [tool for entry in body.get("input") or () for tool in entry.get("tools") or ()]
    for tool in [*(body.get("tools") or ()), *added]:
        if tool.get("type") == "namespace":
            yield from (f"{tool['name']}__{member['name']}" for member in tool.get("tools") or ())
        else:
            yield str(tool.get("name") or tool.get("type"))
