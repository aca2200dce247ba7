"""All sessions of a run, each on a thread of its own."""

from __future__ import annotations

import random
import threading
import traceback
from typing import TYPE_CHECKING, Final

from soak.carriers import Inside, Outside
from soak.manners import Claude, Codex, Plain
from soak.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from soak.carriers import Carriers
    from soak.manners import Manners
    from soak.place import Place

SHIMS: Final = 8
"""Sessions whose shim is a process; each of them costs one."""
_TAKES_BACK: Final = 0.06
"""How often an answer does not arrive; as often nobody says whether an event's did."""
_STACK: Final = 512 * 1024


class Crew:
    """Begins with :meth:`start`. ``crashed`` holds what ended a session before its time."""

    def __init__(self, place: Place, sessions: int, seed: int, now: Callable[[], float]) -> None:
        chance = random.Random(seed)
        self.crashed: list[str] = []
        self._over = threading.Event()
        self._carriers: list[Carriers] = []
        self.sessions = [self._session(place, number, chance.randrange(1 << 30), now) for number in range(sessions)]
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Lets all sessions begin."""
        before = threading.stack_size(_STACK)
        self._threads = [threading.Thread(target=self._live, args=(session,)) for session in self.sessions]
        for thread in self._threads:
            thread.start()
        threading.stack_size(before)

    def stop(self) -> None:
        """Lets every session end what it is doing, and closes its carriers."""
        self._over.set()
        for thread in self._threads:
            thread.join(120)
            if thread.is_alive():
                self.crashed.append(f"{thread.name} does not end")
        for carriers in self._carriers:
            carriers.close()

    def _session(self, place: Place, number: int, seed: int, now: Callable[[], float]) -> Session:
        project = place.projects[number % len(place.projects)]
        kind = (Claude, Claude, Codex, Codex, Plain)[number % 5]
        manners: Manners = kind(f"{kind.harness}-{number}", project)
        carriers: Carriers = (
            Outside(place.home, manners.harness, project, place.python)
            if number < SHIMS
            else Inside(place.home, manners.harness, project)
        )
        self._carriers.append(carriers)
        return Session(manners, carriers, project, seed, now, _TAKES_BACK)

    def _live(self, session: Session) -> None:
        try:
            session.run(self._over)
        except Exception:  # noqa: BLE001 - thread border: the run goes on, and fails for it in the end
            self.crashed.append(f"{session.book.who}: {traceback.format_exc()}")
