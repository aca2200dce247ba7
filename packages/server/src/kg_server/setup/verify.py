"""Proves that memory answers: the way an agent goes, from its own command to the server and back."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kg_plugin_api import Code, KgError
from kg_server.carrier.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_SECONDS: Final = 30.0
_HELLO: Final = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "kg", "version": VERSION}}
_ASKED: Final[tuple[dict[str, object], ...]] = (
    {"method": "initialize", "params": _HELLO},
    {"method": "tools/list"},
    {"method": "tools/call", "params": {"name": "kg_search", "arguments": {"query": "kg setup verifies itself"}}},
)


@dataclass(frozen=True, slots=True)
class Proof:
    """What was proved: how many tools the agent sees, and after how many seconds it had its last answer."""

    tools: int
    seconds: float


def through_shim(command: Sequence[str], cwd: Path) -> Proof:
    """Starts the shim exactly as a client does, in ``cwd``, and asks it what only the memory can answer.

    Nothing is written to the memory. Raises UNAVAILABLE with what went wrong.
    """
    lines = [json.dumps({"jsonrpc": "2.0", "id": at, **asked}) for at, asked in enumerate(_ASKED)]
    begun = time.monotonic()
    try:
        done = subprocess.run(
            list(command),
            cwd=cwd,
            input="\n".join(lines) + "\n",
            capture_output=True,
            encoding="utf-8",
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as failure:
        raise KgError(Code.UNAVAILABLE, f"The MCP shim does not work ({failure}).") from failure
    answers = dict(_answers(done.stdout))
    if set(answers) != set(range(len(_ASKED))):
        said = done.stderr.strip().splitlines()
        raise KgError(Code.UNAVAILABLE, f"The MCP shim did not answer. {said[-1] if said else ''}".strip())
    for answer in answers.values():
        if "result" not in answer or answer["result"].get("isError"):
            raise KgError(Code.UNAVAILABLE, f"The memory does not answer: {_complaint(answer)}")
    return Proof(len(answers[1]["result"]["tools"]), time.monotonic() - begun)


def _answers(output: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for line in output.splitlines():
        try:
            answer = json.loads(line)
        except ValueError:
            continue
        if isinstance(answer, dict) and isinstance(answer.get("id"), int):
            yield answer["id"], answer


def _complaint(answer: dict[str, Any]) -> str:
    if "error" in answer:
        return str(answer["error"].get("message", ""))
    return " ".join(str(part.get("text", "")) for part in answer["result"].get("content", []))
