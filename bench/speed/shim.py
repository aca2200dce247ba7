"""The stdio bridge as a client starts it: one process, one question, one answer."""

from __future__ import annotations

import json
import subprocess
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

QUESTION = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}


def first_answer(command: Sequence[str], environ: Mapping[str, str]) -> float:
    """Seconds from starting ``command`` to its answer to ``initialize``."""
    began = time.perf_counter()
    with subprocess.Popen(
        command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as bridge:
        assert bridge.stdin is not None
        assert bridge.stdout is not None
        bridge.stdin.write(json.dumps(QUESTION).encode("utf-8") + b"\n")
        bridge.stdin.flush()
        answer = bridge.stdout.readline()
        seconds = time.perf_counter() - began
        bridge.stdin.close()
    if "result" not in json.loads(answer):
        raise RuntimeError(f"no answer to initialize: {answer!r}")
    return seconds
