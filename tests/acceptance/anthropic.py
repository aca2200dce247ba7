"""The Messages interface of a scripted model, as far as Claude Code uses it."""

from __future__ import annotations

import itertools
import json
import re
from typing import TYPE_CHECKING, Any, Final

from .endpoint import Item, Request, events

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .endpoint import Turn

_COMPACTION: Final = re.compile(
    r"detailed summary of (?:the|this|our) conversation|Respond with TEXT ONLY", re.IGNORECASE
)


class Messages:
    """Reads what the client sends and writes what a model would answer."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def read(self, path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Request | None:
        """A request for an answer; counting tokens and the like is something else."""
        if path.partition("?")[0] != "/v1/messages":
            return None
        system = "\n".join(_texts(body.get("system")))
        items = [Item(role="system", text=system)]
        for message in body.get("messages", ()):
            items.extend(_items(message["role"], message.get("content")))
        tools = tuple(str(tool["name"]) for tool in body.get("tools") or () if not tool.get("defer_loading"))
        return Request(kind=_kind(headers, system, items, tools), items=tuple(items), tools=tools, body=body)

    def stream(self, request: Request, turn: Turn) -> bytes:
        """The answer, block by block."""
        blocks: list[dict[str, Any]] = [{"type": "text", "text": turn.text}] if turn.text or not turn.calls else []
        blocks += [
            {"type": "tool_use", "id": f"toolu_{next(self._numbers):022d}", "name": call.name, "input": call.arguments}
            for call in turn.calls
        ]
        usage = {"input_tokens": turn.tokens, "output_tokens": 10}
        head = {
            "id": f"msg_{next(self._numbers):022d}",
            "type": "message",
            "role": "assistant",
            "model": request.body.get("model"),
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        }
        reason = {"stop_reason": "tool_use" if turn.calls else "end_turn", "stop_sequence": None}
        return events(
            {"type": "message_start", "message": head},
            *(event for number, block in enumerate(blocks) for event in _block(number, block)),
            {"type": "message_delta", "delta": reason, "usage": usage},
            {"type": "message_stop"},
        )

    def other(self, path: str, body: Mapping[str, Any]) -> Mapping[str, object]:
        """A count of tokens, or nothing."""
        if path.startswith("/v1/messages/count_tokens"):
            return {"input_tokens": len(json.dumps(body.get("messages", ""))) // 4}
        return {}


def _kind(headers: Mapping[str, str], system: str, items: list[Item], tools: tuple[str, ...]) -> str:
    asked = next((item.text for item in reversed(items) if item.role == "user"), "")
    if _COMPACTION.search(asked):
        return "compaction"
    if "x-claude-code-agent-id" in headers or "cc_is_subagent=true" in system:
        return "subagent"
    return "main" if tools else "other"


def _block(number: int, block: Mapping[str, Any]) -> Iterator[dict[str, object]]:
    if block["type"] == "text":
        empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        empty = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    yield {"type": "content_block_start", "index": number, "content_block": empty}
    yield {"type": "content_block_delta", "index": number, "delta": delta}
    yield {"type": "content_block_stop", "index": number}


def _items(role: str, content: object) -> Iterator[Item]:
    if isinstance(content, str):
        yield Item(role=role, text=content)
        return
    for block in content if isinstance(content, list) else ():
        if block.get("type") == "tool_result":
            yield Item(role="tool", text="\n".join(_texts(block.get("content"))))
        elif block.get("type") == "tool_use":
            yield Item(role="call", text=json.dumps(block.get("input"), ensure_ascii=False))
        else:
            yield Item(role=role, text=str(block.get("text", "")))


def _texts(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [str(block.get("text", "")) for block in content] if isinstance(content, list) else []
