"""One call of a search backend: never waited for too long, and whatever it does, a failure of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from kg_plugin_api import KgError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

Answer = TypeVar("Answer")


async def within(seconds: float, call: Callable[[], Awaitable[Answer]]) -> Answer:
    """The answer of a call that is given up after ``seconds``, without waiting for its end. Raises TimeoutError."""
    task = asyncio.ensure_future(_staying(call))
    try:
        await asyncio.wait((task,), timeout=seconds)
    finally:
        task.cancel()
    if not task.done() or task.cancelled():
        task.add_done_callback(_ignore)
        raise TimeoutError
    return task.result()


async def _staying(call: Callable[[], Awaitable[Answer]]) -> Answer:
    """The answer of a call whose exit is a failure like any other: from a task of its own it would end the loop."""
    try:
        return await call()
    except SystemExit as failure:
        raise RuntimeError("it wants to end the program") from failure


def sayable(said: object) -> dict[str, object]:
    """What a backend said of itself, which is given on as JSON. Raises TypeError where it is none."""
    if not isinstance(said, Mapping):
        raise TypeError(f"its health is a {type(said).__name__}")
    try:
        json.dumps(dict(said), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as failure:
        raise TypeError(f"its health is no JSON: {failure}") from failure
    return dict(said)


def reason(failure: Exception) -> str:
    """Why a call failed, for the middle of a sentence."""
    if isinstance(failure, KgError):
        return failure.sentence.rstrip(".")
    if isinstance(failure, TimeoutError):
        return "no answer in time"
    return f"{type(failure).__name__}: {failure}"[:300].rstrip(".")


def _ignore(task: asyncio.Future[Any]) -> None:
    """Nobody waits for this any more; its failure is not news."""
    if not task.cancelled():
        task.exception()
