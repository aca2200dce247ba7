"""Start, stop and restart, one at a time; what runs is known from an authenticated answer, never from a pid."""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from subprocess import Popen, TimeoutExpired
from typing import TYPE_CHECKING, Any, Final

from kg_plugin_api import Code, KgError
from kg_server.carrier.lock import FileLock
from kg_server.carrier.places import Places, remove, touch
from kg_server.carrier.regular import regular
from kg_server.carrier.start import spawn
from kg_server.carrier.version import VERSION, newer
from kg_server.carrier.wire import endpoint
from kg_server.client import Client

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kg_core.host import Plugins
    from kg_core.store import Home

START_SECONDS: Final = 20.0
STOP_SECONDS: Final = 20.0
_LOCK_SECONDS: Final = 45.0
_POLL: Final = 0.02
_SETTLE_SECONDS: Final = 3.0
_LOG_LINES: Final = 15


@dataclass(frozen=True, slots=True)
class Started:
    """A server that answers: what it says of itself, whether it was started for this, and whether another was ended."""

    health: dict[str, Any]
    fresh: bool
    replaced: bool = False


class Control:
    """Starts and stops the server of one memory home. ``strip`` are variables that it must not inherit.

    ``waiting`` is called from time to time while something takes long, with the seconds that have passed.
    """

    def __init__(
        self, home: Home, *, strip: tuple[str, ...] = (), waiting: Callable[[float], None] = lambda _: None
    ) -> None:
        self._home = home
        self._places = Places(str(home.root))
        self._strip = strip
        self._waiting = waiting

    def start(self, plugins: Plugins | None = None) -> Started:
        """A server that answers, of this version or a newer one, and that has these plug-ins, each as new or newer.

        Raises INVALID for settings that no server could start with, else UNAVAILABLE with the end of the log.
        """
        with self._alone():
            return self._start(plugins)

    def stop(self) -> bool:
        """Ends the server and leaves the stamp that keeps carriers from starting one. False when none ran.

        Where nothing can be written there is no lock to be had, and no server that others could start meanwhile.
        """
        with self._alone(or_unlocked=True):
            stopped = self._stop()
            touch(self._places.stopped)
            return stopped

    def stays_stopped(self) -> bool:
        """Whether, after :meth:`stop`, no carrier starts a server before a session starts."""
        return os.path.exists(self._places.stopped) or not os.access(self._places.state, os.W_OK)  # noqa: PTH110

    def restart(self) -> Started:
        """Ends the server that runs, if any, and starts one. Raises INVALID for wrong settings and then ends none."""
        with self._alone():
            return self._start(replaced=self._make_way())

    def health(self) -> dict[str, Any] | None:
        """What the server says of itself; None when it does not answer."""
        with Client(self._home) as client:
            return client.health()

    @contextlib.contextmanager
    def _alone(self, *, or_unlocked: bool = False) -> Iterator[None]:
        lock = FileLock(self._places.lock)
        try:
            self._take(lock)
        except OSError as failure:
            if not or_unlocked:
                raise _unwritable(failure, self._places.lock) from failure
        try:
            yield
        finally:
            lock.release()

    def _take(self, lock: FileLock) -> None:
        """Raises UNAVAILABLE when others have the lock for long, and OSError where there is none to be had."""
        self._places.prepare()
        if not lock.acquire(time.monotonic() + _LOCK_SECONDS):
            if lock.failure is not None:
                raise lock.failure
            raise KgError(
                Code.UNAVAILABLE, f"Another command has been starting or stopping the server for {_LOCK_SECONDS:.0f} s."
            )

    def _make_way(self) -> bool:
        """Ends the server that runs, except for a next one that its settings would keep from starting.

        False when none ran.
        """
        if self.health() is not None:
            self._settings()
        return self._stop()

    def _settings(self) -> None:
        """Raises INVALID for settings that no server could start with."""
        from kg_core.store import Settings

        Settings.load(self._home)

    def _start(self, plugins: Plugins | None = None, *, replaced: bool = False) -> Started:
        running = self.health()
        if running is not None:
            if not newer(VERSION, str(running["version"])) and (plugins is None or not lacks(running, plugins)):
                remove(self._places.stopped)
                return Started(running, fresh=False)
            replaced = self._make_way()
        touch(self._places.starting)
        log_from = self._log_size()
        try:
            process = spawn(self._places, ["serve"], self._strip)
        except OSError as failure:
            raise _unwritable(failure, self._places.log) from failure
        begun = time.monotonic()
        while time.monotonic() - begun < START_SECONDS:
            running = self.health()
            if running is not None:
                if running["pid"] != process.pid:  # another one was quicker: ours ends when it finds the storage taken
                    _wait_for(process, _SETTLE_SECONDS)
                return Started(running, fresh=True, replaced=replaced)
            if process.poll() is not None:
                remove(self._places.starting)
                self._settings()
                raise KgError(Code.UNAVAILABLE, f"The server could not start. {self._log_end(log_from)}")
            self._waiting(time.monotonic() - begun)
            time.sleep(_POLL)
        raise KgError(
            Code.UNAVAILABLE,
            f"The server did not answer within {START_SECONDS:.0f} s and may still be starting. "
            f"{self._log_end(log_from)}",
        )

    def _stop(self) -> bool:
        """Asks the server to end and waits until it has let go of the storage."""
        before = endpoint(self._places.server)
        with Client(self._home) as client:
            if client.health() is None:
                return self._refuse_hung()
            client.post("/api/v1/stop", {})
        begun = time.monotonic()
        while time.monotonic() - begun < STOP_SECONDS:
            now = endpoint(self._places.server)
            if now is None or before is None or now.token != before.token:
                return True
            self._waiting(time.monotonic() - begun)
            time.sleep(_POLL)
        if self._is_free():  # it could not take back what it had written about itself
            return True
        raise KgError(Code.UNAVAILABLE, f"The server did not end within {STOP_SECONDS:.0f} s. `kg logs` may say why.")

    def _refuse_hung(self) -> bool:
        """Nobody answers. That is fine, unless somebody holds the storage: then a person must look at it."""
        if self._is_free():
            return False
        found = endpoint(self._places.server)
        who = "A server" if found is None else f"A server (process {found.pid} if that is still right)"
        raise KgError(
            Code.UNAVAILABLE,
            f"{who} holds {self._home.root} but does not answer. Look at the process and end it by hand.",
        )

    def _is_free(self) -> bool:
        """Whether nobody holds the storage, as far as can be told."""
        holder = FileLock(str(self._home.lock))
        try:
            return not self._home.lock.exists() or holder.attempt() or holder.failure is not None
        finally:
            holder.release()

    def _log_size(self) -> int:
        try:
            return os.stat(self._places.log).st_size  # noqa: PTH116 - a name that the carriers gave
        except OSError:
            return 0

    def _log_end(self, since: int) -> str:
        lines = tail(self._home, _LOG_LINES, since=since)
        if not lines:
            return f"Its log is {self._home.log}."
        return f"The end of its log, {self._home.log}:\n" + "\n".join(f"  {line}" for line in lines)


def tail(home: Home, count: int, *, since: int = 0) -> list[str]:
    """The last lines of the server's log, of what was written after the byte ``since``."""
    try:
        with open(home.log, "rb", opener=regular) as file:
            file.seek(0, os.SEEK_END)
            end = file.tell()
            file.seek(max(since if since <= end else 0, end - 200 * count))
            return file.read().decode("utf-8", "replace").splitlines()[-count:]
    except OSError:
        return []


def _unwritable(failure: OSError, path: str) -> KgError:
    place = failure.filename or path
    return KgError(
        Code.READ_ONLY,
        f"{place} cannot be written ({failure.strerror}), so no server can be started.",
        {"path": str(place)},
    )


def _wait_for(process: Popen[bytes], seconds: float) -> None:
    """Waits for the end of a process, for so long at the most."""
    with contextlib.suppress(TimeoutExpired):
        process.wait(seconds)


def lacks(health: dict[str, Any], plugins: Plugins) -> bool:
    """Whether a server has not all of these plug-ins, or one of them in an older version."""
    has = health["plugins"]
    served = {str(loaded["name"]) for loaded in has.get("loaded", ())}
    known = {str(harness["name"]) for harness in has["harnesses"]}
    missing = {loaded.name for loaded in plugins.loaded} - served or {each.name for each in plugins.harnesses} - known
    return bool(missing or outdated(health, plugins))


def outdated(health: dict[str, Any], plugins: Plugins) -> tuple[tuple[str, str], ...]:
    """The plug-ins that a server has in another version than is here, and not in a newer one: its own, and this one.

    Each as ``dist 1.2``.
    """
    served = {str(loaded["name"]): str(loaded["distribution"]) for loaded in health["plugins"].get("loaded", ())}
    pairs = ((served.get(loaded.name, loaded.distribution), loaded.distribution) for loaded in plugins.loaded)
    return tuple((theirs, ours) for theirs, ours in pairs if theirs != ours and not _newer(theirs, ours))


def _newer(distribution: str, than: str) -> bool:
    """Whether it is a newer version of the same."""
    (name, _, version), (other, _, before) = distribution.rpartition(" "), than.rpartition(" ")
    return name == other and newer(version, before)
