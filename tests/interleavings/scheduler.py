"""An event loop that chooses nothing: which job of a thread is done and which timer fires is somebody else's choice.

Callbacks that are ready run in the order in which asyncio would run them, so all that is left to choose is what comes
from outside: requests, the ends of jobs on threads, and time. Nothing here waits; time is a number.
"""

from __future__ import annotations

import asyncio
import inspect
from asyncio import events
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

T = TypeVar("T")

TURNS_AT_MOST = 20_000
"""Turns of the loop without anything from outside; more of them is a loop that never rests."""


class NeverRests(Exception):
    """The code keeps the loop busy by itself."""


@dataclass(slots=True)
class Job:
    """A blocking call that waits for its thread; ``future`` is ``None`` when nobody waits for it."""

    call: Callable[[], Any]
    future: asyncio.Future[Any] | None = None


class Thread:
    """Stands in for a pool of one thread: its jobs are done in order, each when it is told to."""

    def __init__(self, _workers: int = 1, thread_name_prefix: str = "") -> None:
        self.name = thread_name_prefix
        self.jobs: deque[Job] = deque()
        loop: Any = asyncio.get_running_loop()
        loop.threads.append(self)

    def submit(self, call: Callable[[], Any]) -> None:
        """Adds a job for which nobody waits."""
        self.jobs.append(Job(call))

    def shutdown(self, *, wait: bool = True) -> None:
        """Nothing to end."""
        del wait


class Loop:
    """As much of a loop as asyncio needs, one turn at a time. ``failures`` are exceptions that nothing caught."""

    def __init__(self) -> None:
        self.ready: deque[asyncio.Handle] = deque()
        self.timers: list[asyncio.TimerHandle] = []
        self.threads: list[Thread] = []
        self.tasks: dict[asyncio.Task[Any], None] = {}
        self.failures: list[str] = []
        self.now = 0.0

    # What asyncio asks of a loop

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return False

    def time(self) -> float:
        return self.now

    def call_soon(self, callback: Callable[..., object], *args: Any, context: Any = None) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, _as_any(self), context)
        self.ready.append(handle)
        return handle

    def call_later(
        self, delay: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self.now + delay, callback, *args, context=context)

    def call_at(
        self, when: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        timer = asyncio.TimerHandle(when, callback, args, _as_any(self), context)
        self.timers.append(timer)
        return timer

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        if handle in self.timers:
            self.timers.remove(handle)

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=_as_any(self))

    def create_task(self, coro: Coroutine[Any, Any, T], *, name: object = None, context: Any = None) -> asyncio.Task[T]:
        del name
        task = asyncio.Task(coro, loop=_as_any(self), context=context)
        task._log_destroy_pending = False  # type: ignore[attr-defined]  # a machine that stops ends no task
        self.tasks[task] = None
        task.add_done_callback(self._done)
        return task

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:
        assert isinstance(executor, Thread)
        assert not args
        future = self.create_future()
        executor.jobs.append(Job(func, future))
        return future

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        self.failures.append(f"{context.get('message')}: {context.get('exception')!r}")

    # What decides

    def turn(self) -> None:
        """One turn: what is ready now, not what becomes ready by it."""
        events._set_running_loop(_as_any(self))
        try:
            for _ in range(len(self.ready)):
                handle = self.ready.popleft()
                if not handle.cancelled():
                    handle._run()
        finally:
            events._set_running_loop(None)

    def rest(self) -> None:
        """Turns until nothing is ready. Raises NeverRests."""
        for _ in range(TURNS_AT_MOST):
            if not self.ready:
                return
            self.turn()
        raise NeverRests(f"the loop still has work after {TURNS_AT_MOST} turns")

    def start(self, coro: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """A task from outside."""
        events._set_running_loop(_as_any(self))
        try:
            return self.create_task(coro)
        finally:
            events._set_running_loop(None)

    def finish(self, thread: Thread) -> None:
        """Does the oldest job of a thread; whoever waits for it is told in the next turn."""
        job = thread.jobs.popleft()
        result, failure = None, None
        try:
            result = job.call()
        except BaseException as error:  # noqa: BLE001 - a thread hands on whatever its job raises
            failure = error
        if job.future is not None:
            self.call_soon(_settle, job.future, result, failure)

    def fire(self, timer: asyncio.TimerHandle) -> None:
        """Lets a timer's time come, early or late: how long anything takes is not known."""
        self.timers.remove(timer)
        self.now = max(self.now, timer.when())
        self.ready.append(timer)

    def complete(self, task: asyncio.Task[T]) -> T:
        """Runs to the end of a task with nothing going wrong on the threads, and no timer but when all else waits."""
        for _ in range(TURNS_AT_MOST):
            self.rest()
            if task.done():
                return task.result()
            thread = next((thread for thread in self.threads if thread.jobs), None)
            if thread is not None:
                self.finish(thread)
            else:
                self.fire(min(self.timers, key=lambda timer: timer.when()))
        raise NeverRests("a task does not end")

    def abandon(self) -> None:
        """Nothing of it runs again. What was begun is left as it is; what was not yet begun is no oversight."""
        for task in self.tasks:
            coroutine: Any = task.get_coro()
            if inspect.getcoroutinestate(coroutine) == inspect.CORO_CREATED:
                coroutine.close()

    def _done(self, task: asyncio.Task[Any]) -> None:
        self.tasks.pop(task, None)


def _as_any(loop: Loop) -> Any:
    """The loop where asyncio's own types ask for one of theirs."""
    return loop


def _settle(future: asyncio.Future[Any], result: object, error: BaseException | None) -> None:
    if future.cancelled():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
