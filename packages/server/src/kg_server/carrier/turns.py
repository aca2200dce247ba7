"""Threads that take messages in turns, so that none has to be handed from one thread to another."""

from __future__ import annotations

import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MOST_WAITING = 4
"""So many threads wait for their turn at most; one that ends its work and finds more of them ends too."""


class Turns:
    """Leader and followers: whoever has taken a message also does what it asks for, and another one takes the next.

    ``take`` is called by one thread at a time, in the order of the messages; it returns what is left to be done, or
    None when there is no message any more. What is left is done at the same time as the next message is taken.
    """

    def __init__(self, take: Callable[[], Callable[[], None] | None]) -> None:
        self._take = take
        self._turn = threading.Lock()
        self._counting = threading.Lock()
        self._waiting = 0
        self._ended = threading.Event()

    def run(self) -> None:
        """Returns when there is no message any more; work that was taken before may still go on then."""
        self._join()
        self._ended.wait()

    def _join(self) -> None:
        with self._counting:
            self._waiting += 1
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            with self._turn:
                work = self._taken()
                with self._counting:
                    self._waiting -= 1
                    is_last = self._waiting == 0
            if work is None:
                return
            if is_last:
                self._join()
            work()
            with self._counting:
                if self._waiting >= MOST_WAITING:
                    return
                self._waiting += 1

    def _taken(self) -> Callable[[], None] | None:
        """What is left to be done of the next message. The end, of whatever kind, is told to whoever waits for it."""
        work = None
        try:
            work = self._take()
        finally:
            if work is None:
                self._ended.set()
        return work
