"""A program that is talked to in lines of JSON, for as long as a test needs it."""

from __future__ import annotations

import json
import subprocess
import threading
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

PATIENCE: Final = 120.0
"""Seconds for one run, or one answer, of a client. The machine may be busy with other tests."""


class Conversation:
    """One program between its start and the end of the ``with`` block. Every wait is bounded."""

    def __init__(self, command: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            command,
            cwd=cwd,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def send(self, message: Mapping[str, object]) -> None:
        """Writes one line."""
        stdin = self._process.stdin
        assert stdin is not None
        stdin.write(json.dumps(message).encode() + b"\n")
        stdin.flush()

    def lines(self) -> Iterator[Mapping[str, Any]]:
        """What the program says, until the reader has heard enough. One that is silent for too long is ended."""
        stdout = self._process.stdout
        assert stdout is not None
        watchdog = threading.Timer(PATIENCE, self._process.kill)
        watchdog.start()
        try:
            for line in stdout:
                yield json.loads(line)
            raise AssertionError("the program ended, or was ended, before it had said what was waited for")
        finally:
            watchdog.cancel()

    def close(self) -> None:
        """Ends the program: its standard input ends, and it has some time to follow."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.close()
        try:
            self._process.wait(PATIENCE)
        finally:
            self._process.kill()
            self._process.wait()
            stdout.close()
