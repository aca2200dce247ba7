"""One private Postgres: made, started, waited for and ended."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from time import monotonic
from typing import IO, TYPE_CHECKING, Final

import psycopg

from kg_plugin_api import SearchUnavailable
from kg_search_pg.embedded import guard, leftover, sayings
from kg_search_pg.embedded.places import PORT, private

if TYPE_CHECKING:
    from kg_search_pg.embedded.places import Places
    from kg_search_pg.embedded.programs import Programs

USER: Final = "kg"
_START_SECONDS: Final = 45.0
_MAKE_SECONDS: Final = 60.0
_STOP_SECONDS: Final = guard.GENTLE_SECONDS + 3 * guard.HARD_SECONDS
_LOOK_SECONDS: Final = 0.05
_SETTINGS: Final = {
    "listen_addresses": "",
    "port": PORT,
    "unix_socket_permissions": "0700",
    "max_connections": "20",
    "shared_buffers": "64MB",
    "maintenance_work_mem": "128MB",
    "synchronous_commit": "off",  # what the index loses is sent again
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "min_wal_size": "32MB",
    "max_wal_size": "256MB",
    "jit": "off",
    "io_method": "sync",
    "max_parallel_workers_per_gather": "0",
    "max_parallel_maintenance_workers": "0",  # containers often have little shared memory
    "log_min_messages": "fatal",  # an error would be told with the text that was stored or searched
    "log_min_error_statement": "panic",
    "log_checkpoints": "off",
}
"""For a server of one program on one machine that holds what can be made again."""


_EMPTY: Final = frozenset({b"hostaddr", b"options", b"require_auth", b"requirepeer"})
"""What libpq takes as empty, and what would keep us from our own server."""


class EmbeddedServer:
    """The private Postgres of one memory, on a local socket alone. One process may run it at a time."""

    def __init__(self, places: Places, programs: Programs) -> None:
        self._places = places
        self._programs = programs
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def dsn(self) -> str:
        """How to connect, whatever the environment says."""
        ours = {"host": str(self._places.sockets), "port": PORT, "user": USER, "dbname": "postgres"}
        return psycopg.conninfo.make_conninfo(**{**_unsaid(), **ours})

    @property
    def is_running(self) -> bool:
        """Whether the process that was started still lives."""
        return self._process is not None and self._process.poll() is None

    def explained(self, sentence: str, *, is_lost: bool) -> str:
        """A sentence on what failed in it, with what a person needs to mend it: where it is full, and why it ended if
        the connection ``is_lost``. Blocking, and short. Without an end mark.
        """
        why = sayings.end(sayings.read(self._places.log)) if is_lost else ""
        told = f"{sentence} ({why})" if why else sentence
        return ". ".join(filter(None, (told, sayings.advice(told, self._places.root)))).rstrip(".")

    async def start(self) -> None:
        """Makes the data folder if there is none, and starts, anew if it runs. Raises SearchUnavailable."""
        await self.stop()
        try:
            await asyncio.to_thread(self._begin)
            await self._answers()
        except OSError as error:
            await self.stop()
            raise SearchUnavailable(f"{error.filename or self._places.root}: {error.strerror or error}.") from error
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Ends it, within a few seconds even when it is frozen. May be called twice."""
        process, self._process = self._process, None
        if process is not None:
            await asyncio.to_thread(_stop, process)
        if not self._places.sockets.is_relative_to(self._places.root):
            with contextlib.suppress(OSError):
                self._places.sockets.rmdir()

    def _begin(self) -> None:
        private(self._places.root)
        private(self._places.sockets)
        leftover.clear(self._places)
        if not (self._places.data / "PG_VERSION").exists() or self._is_of_another_version():
            self._make()
        options = {**_SETTINGS, "unix_socket_directories": _quoted(self._places.sockets)}
        settings = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        postgres = self._programs.command("postgres", "-D", str(self._places.data), *settings)
        with self._places.log.open("wb") as log:
            self._process = _guarded(postgres, log)

    def _is_of_another_version(self) -> bool:
        """Whether the data are of a Postgres that this one cannot read: an index is made anew, not carried over."""
        major = self._told_by("postgres", "--version").decode("ascii", "replace").split()[-1].partition(".")[0]
        return (self._places.data / "PG_VERSION").read_text(encoding="ascii", errors="replace").strip() != major

    def _make(self) -> None:
        """A new data folder in place of what is there; a half made one never counts. What is at the end of a link is
        somebody's, and stays. Raises SearchUnavailable.
        """
        if self._places.data.is_symlink():
            raise SearchUnavailable(
                f"{self._places.data} is a link to a place without the data of this Postgres. "
                "Remove the link, so that our Postgres can be there."
            )
        unfinished = self._places.root / "data.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        if self._programs.owner is not None:
            os.chown(unfinished, *self._programs.owner)
        arguments = ("-D", str(unfinished), "-U", USER, "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
        self._told_by("initdb", *arguments)
        if self._places.data.exists():
            shutil.rmtree(self._places.data)
        unfinished.rename(self._places.data)

    def _told_by(self, program: str, *arguments: str) -> bytes:
        """What a program of Postgres answers. Raises SearchUnavailable where it fails, with why."""
        try:
            done = subprocess.run(
                self._programs.command(program, *arguments),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_MAKE_SECONDS,
                check=False,
                env=_environment(),
            )
        except subprocess.TimeoutExpired as error:
            late = f"The program {program} did not end within {_MAKE_SECONDS:.0f} s for {self._places.root}."
            raise SearchUnavailable(late) from error
        if done.returncode:
            said = f"The program {program} failed for {self._places.root}: {sayings.reason(done.stderr)}."
            raise SearchUnavailable(" ".join(filter(None, (said, sayings.advice(said, self._places.root)))))
        return done.stdout

    async def _answers(self) -> None:
        """Returns once it takes connections."""
        deadline = monotonic() + _START_SECONDS
        while True:
            try:
                connection = await psycopg.AsyncConnection.connect(self.dsn, connect_timeout=5)
            except psycopg.OperationalError as error:
                if not self.is_running:
                    said = sayings.reason(sayings.read(self._places.log)) or sayings.silence(self._places.root)
                    raise self._not_started(f": {said}") from error
                if monotonic() > deadline:
                    said = sayings.reason(str(error).encode("utf-8", "replace"))
                    raise self._not_started(f" within {_START_SECONDS:.0f} s: {said}") from error
                await asyncio.sleep(_LOOK_SECONDS)
            else:
                await connection.close()
                return

    def _not_started(self, how: str) -> SearchUnavailable:
        """What a person reads, with what mends it: nothing is in the folder but an index."""
        sentence = f"Postgres did not start{how.rstrip('.')}."
        anew = f"If that lasts, delete {self._places.data}: the index is built anew."
        return SearchUnavailable(f"{sentence} {sayings.advice(sentence, self._places.root) or anew}")


def _unsaid() -> dict[str, str]:
    """What the environment, or a service that it names, tells libpq of somebody's own Postgres, as if it did not."""
    is_service = "PGSERVICE" in os.environ
    return {
        option.keyword.decode("ascii"): (option.compiled or b"").decode("ascii")
        for option in psycopg.pq.Conninfo.get_defaults()
        if option.envvar and (is_service or os.fsdecode(option.envvar) in os.environ)
        if option.compiled is not None or option.keyword in _EMPTY
    }


def _environment() -> dict[str, str]:
    """The environment of the programs, without what it tells those of somebody's own Postgres."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")}


def _guarded(command: list[str], log: IO[bytes]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(Path(guard.__file__)), *command],
        stdin=subprocess.PIPE,
        stdout=log,
        stderr=log,
        cwd="/",
        env=_environment(),
        start_new_session=True,  # an interrupt at a terminal is for kg, which then ends it in order
    )


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _quoted(folder: Path) -> str:
    """A folder as an element of a list of folders."""
    return '"' + str(folder).replace('"', '""') + '"'
