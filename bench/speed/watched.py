"""``kg`` with every step of its event loop timed: ``python watched.py FILE serve`` writes the long ones to FILE.

A step is what runs without giving way: one call of a callback, or a task from one ``await`` that waits to the next.
Each line is a JSON object with the monotonic time of its begin, the wall time, the processor time of the loop's thread
and the part of it that the garbage collector took, all in seconds, and its name: where the task stood before and after.
"""

from __future__ import annotations

import asyncio
import asyncio.events
import gc
import json
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable

LONG = 0.002
"""Seconds. Shorter steps are not written down."""
_OURS = ("kg_server.", "kg_core.")
_GIVING_WAY = "kg_core.store.slices"
"""Where a task stands while it gives way says nothing about what it does."""


class Recorder:
    """Times steps and the garbage collections within them."""

    def __init__(self, target: TextIO) -> None:
        self._target = target
        self._collecting = self._collecting_since = 0.0
        self._collected = 0.0
        self._is_running = False
        gc.callbacks.append(self._collection)

    def watch(self) -> None:
        """From now on times every step of every loop."""
        unwatched: Callable[[asyncio.Handle], None] = asyncio.events.Handle._run  # noqa: SLF001 - every step is there
        recorder = self

        def run(handle: asyncio.Handle) -> None:
            recorder.step(handle, unwatched)

        asyncio.events.Handle._run = run  # type: ignore[method-assign] # noqa: SLF001

    def step(self, handle: asyncio.Handle, run: Callable[[asyncio.Handle], None]) -> None:
        """Runs one step, and writes it down if it was long."""
        callback = handle._callback  # type: ignore[attr-defined] # noqa: SLF001 - tells the task
        task = getattr(callback, "__self__", None)
        before = place(task) if isinstance(task, asyncio.Task) else ""
        self._collected = 0.0
        self._is_running = True
        began, used = time.perf_counter(), time.thread_time()
        run(handle)
        self._is_running = False
        wall, cpu = time.perf_counter() - began, time.thread_time() - used
        if max(wall, cpu) < LONG:
            return
        if isinstance(task, asyncio.Task):
            after = "" if task.done() else place(task)
            name = " → ".join(dict.fromkeys(filter(None, (before, after)))) or repr(task.get_coro())
        else:
            name = getattr(callback, "__qualname__", "") or repr(callback)
        self._write({"began": began, "wall": wall, "cpu": cpu, "collector": self._collected, "name": name})

    def _collection(self, phase: str, _: dict[str, int]) -> None:
        now = time.thread_time()
        if phase == "start":
            self._collecting, self._collecting_since = now, time.perf_counter()
            return
        taken = now - self._collecting
        self._collected += taken
        wall = time.perf_counter() - self._collecting_since
        if not self._is_running and max(taken, wall) >= LONG and threading.current_thread() is threading.main_thread():
            began = self._collecting_since
            self._write({"began": began, "wall": wall, "cpu": taken, "collector": taken, "name": "between two steps"})

    def _write(self, record: dict[str, object]) -> None:
        self._target.write(json.dumps(record) + "\n")
        self._target.flush()


def place(task: asyncio.Task[Any]) -> str:
    """The innermost of our coroutines that a task stands in; of others the outermost."""
    coroutine: Any = task.get_coro()
    innermost = getattr(coroutine, "__qualname__", "")
    while coroutine is not None:
        frame = getattr(coroutine, "cr_frame", None)
        module = frame.f_globals.get("__name__", "") if frame is not None else ""
        if module.startswith(_OURS) and module != _GIVING_WAY:
            innermost = coroutine.__qualname__
        coroutine = getattr(coroutine, "cr_await", None)
    return innermost


def main() -> None:
    """Runs ``kg`` with the rest of the arguments."""
    # A server writes steps until it ends; the file is closed with the process.
    target = Path(sys.argv[1]).open("a", encoding="utf-8")  # noqa: SIM115
    Recorder(target).watch()
    sys.argv = ["kg", *sys.argv[2:]]
    from kg_server.main import main as kg

    kg()


if __name__ == "__main__":
    main()
