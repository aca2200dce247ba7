"""A conversation with the client's own interface, ``codex app-server``: one JSON-RPC message a line."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import threading
import time
from typing import TYPE_CHECKING, Final

from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from kg_plugin_api import Site

_PATIENCE: Final = 30.0
"""Seconds for one answer; a cold start of the program reads some hundred megabytes."""


class AppServer:
    """The program for the length of a ``with`` block. Every failure is a KgError with what to do."""

    def __init__(self, site: Site) -> None:
        if site.binary is None:
            raise KgError(Code.NOT_FOUND, "The program `codex` was not found. Install it, or put it on PATH.")
        environ = {**site.environ, "CODEX_HOME": str(site.config)}
        try:
            self._process = subprocess.Popen(
                [str(site.binary), "app-server"],
                cwd=site.home,
                env=environ,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except OSError as error:
            raise KgError(Code.UNAVAILABLE, f"`{site.binary} app-server` does not start: {error}.") from error
        self._messages: queue.SimpleQueue[Mapping[str, object] | None] = queue.SimpleQueue()
        self._calls = 0
        self._reader = threading.Thread(target=self._read, name="codex-app-server", daemon=True)
        self._reader.start()

    def __enter__(self) -> AppServer:
        client = {"name": "kg", "title": "kg", "version": "1"}
        try:
            self.call("initialize", {"clientInfo": client, "capabilities": {"experimentalApi": True}})
            self._send({"method": "initialized"})
        except KgError:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def call(self, method: str, params: Mapping[str, object]) -> Mapping[str, object]:
        """The result of one call."""
        self._calls += 1
        number = self._calls
        self._send({"id": number, "method": method, "params": dict(params)})
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                message = self._messages.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise _refused(method, f"gave no answer within {_PATIENCE:.0f} s") from None
            if message is None:
                raise _refused(method, "ended before it answered")
            if message.get("id") != number or "method" in message:
                continue
            result = message.get("result")
            if not isinstance(result, dict):
                raise _refused(method, f"answered {json.dumps(message.get('error'))}")
            return result

    def _send(self, message: Mapping[str, object]) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        try:
            stdin.write(json.dumps(message).encode() + b"\n")
            stdin.flush()
        except OSError as error:
            raise _refused(str(message.get("method")), f"took no message ({error})") from error

    def _read(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        with stdout:
            for line in stdout:
                with contextlib.suppress(ValueError):
                    message = json.loads(line)
                    if isinstance(message, dict):
                        self._messages.put(message)
        self._messages.put(None)

    def _end(self) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        with contextlib.suppress(OSError):  # it may have gone already, and taken the pipe with it
            stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()


def _refused(method: str, what: str) -> KgError:
    sentence = f"`codex app-server` {what} ({method}). Start `codex` once by hand, then try again."
    return KgError(Code.UNAVAILABLE, sentence, {"method": method})
