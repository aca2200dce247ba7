"""The chat completions interface of a scripted model, as far as Copilot CLI uses it."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any, Final

from .endpoint import Item, Request

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .endpoint import Turn

_COMPACTION: Final = "Please create a detailed summary of the conversation"
_SUBAGENT: Final = "As a sub-agent,"


class Completions:
    """Reads what the client sends and writes what a model would answer."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def read(self, path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Request | None:
        """A request for an answer; the list of models and the like is something else."""
        if not path.partition("?")[0].endswith("/chat/completions"):
            return None
        items = [item for message in body.get("messages", ()) for item in _items(message)]
        tools = tuple(str((tool.get("function") or tool.get("custom"))["name"]) for tool in body.get("tools") or ())
        return Request(kind=_kind(items), items=tuple(items), tools=tools, body=body)

    def stream(self, request: Request, turn: Turn) -> bytes:
        """The answer in one piece, the reason why it ends, and what it cost."""
        calls = [
            {
                "index": number,
                "id": f"call_{next(self._numbers)}",
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
            }
            for number, call in enumerate(turn.calls)
        ]
        said = {"role": "assistant", "content": turn.text or None, **({"tool_calls": calls} if calls else {})}
        usage = {"prompt_tokens": turn.tokens, "completion_tokens": 10, "total_tokens": turn.tokens + 10}
        head = {"id": f"chat_{next(self._numbers)}", "object": "chat.completion.chunk", "created": 1}
        end = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if calls else "stop"}
        chunks = (
            {"choices": [{"index": 0, "delta": said, "finish_reason": None}]},
            {"choices": [end]},
            {"choices": [], "usage": usage},
        )
        lines = (json.dumps({**head, "model": request.body.get("model"), **chunk}) for chunk in chunks)
        return b"".join(f"data: {line}\n\n".encode() for line in (*lines, "[DONE]"))

    def other(self, path: str, body: Mapping[str, Any]) -> Mapping[str, object]:
        """An empty list of models, or nothing."""
        return {"object": "list", "data": []} if "/models" in path else {}


def _kind(items: list[Item]) -> str:
    if items and items[-1].role == "user" and _COMPACTION in items[-1].text:
        return "compaction"
    return "subagent" if items and items[0].text.startswith(_SUBAGENT) else "main"


def _items(message: Mapping[str, Any]) -> Iterator[Item]:
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"text": content or ""}]
    for part in parts:
        if part.get("text"):
            yield Item(role=str(message["role"]), text=str(part["text"]))
    for call in message.get("tool_calls") or ():
        yield Item(role="call", text=str((call.get("function") or {}).get("arguments")))
