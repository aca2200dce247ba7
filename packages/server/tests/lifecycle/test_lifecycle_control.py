"""Starting and stopping real server processes."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from kg_core.host import Loaded, Plugins
from kg_core.store import Home
from kg_plugin_api import Code, KgError
from kg_server.carrier import outage
from kg_server.carrier.lock import FileLock
from kg_server.carrier.places import Places
from kg_server.carrier.version import VERSION, newer
from kg_server.carrier.wire import endpoint
from kg_server.cli.group import run_command
from kg_server.client import Client
from kg_server.lifecycle.control import Control, lacks

pytestmark = pytest.mark.usefixtures("stop_server")


def claim_endpoint(places: Places, **changed: object) -> None:
    where = {"port": 1, "token": "t", "pid": 1, "version": VERSION, **changed}
    Path(places.server).write_text(json.dumps(where), encoding="utf-8")


@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGINT])
def test_a_server_told_to_end_while_it_starts_ends(home, asked: signal.Signals) -> None:
    for delay in (0.1, 0.2, 0.3, 0.4):
        server = subprocess.Popen([sys.executable, "-m", "kg_server", "serve", "--home", str(home.root)])
        try:
            time.sleep(delay)
            server.send_signal(asked)
            server.wait(20)
        finally:
            server.kill()
            server.wait()


TOLD_AND_ENDED = """
import os, signal, sys
from pathlib import Path
from kg_core.store import Home
from kg_server import serve
from kg_server.lifecycle.process import run

announce = serve.announce

def announced(home, where):
    announce(home, where)
    os.kill(os.getpid(), signal.SIGTERM)

serve.announce = announced
run(Home(Path(sys.argv[1])))
"""


@pytest.mark.parametrize("odd", ["1e999", "NaN", "[" * 100_000, "1" + "0" * 5_000, '"x"', "null"])
def test_an_endpoint_that_makes_no_sense_is_none(places: Places, odd: str) -> None:
    claim_endpoint(places)
    assert endpoint(places.server) is not None
    Path(places.server).write_text(f'{{"port": {odd}, "token": "x", "pid": {odd}, "version": "1"}}', encoding="utf-8")
    assert endpoint(places.server) is None


def test_a_server_ends_on_a_signal_in_the_very_moment_in_which_it_can_be_found(home, places: Places) -> None:
    server = subprocess.Popen([sys.executable, "-c", TOLD_AND_ENDED, str(home.root)])
    try:
        server.wait(20)
    finally:
        server.kill()
        server.wait()

    assert endpoint(places.server) is None


def test_start_stop_and_start_again(home, places: Places) -> None:
    control = Control(home)

    first = control.start()
    again = control.start()

    assert (first.fresh, again.fresh) == (True, False)
    assert first.health["pid"] == again.health["pid"]
    assert control.stop() is True
    assert control.health() is None
    assert Path(places.stopped).exists()
    assert not Path(places.server).exists()
    assert control.stop() is False
    assert control.start().fresh is True
    assert not Path(places.stopped).exists()


def test_restart_replaces_the_process(home, servers_of) -> None:
    first = Control(home).start().health["pid"]

    assert Control(home).restart().health["pid"] != first
    assert len(servers_of(home)) == 1


def test_a_server_that_serves_is_not_ended_for_settings_that_none_could_start_with(home) -> None:
    first = Control(home).start().health["pid"]
    home.config.write_text("[rules]\nhold = 1\n", encoding="utf-8")

    with pytest.raises(KgError) as told:
        Control(home).restart()

    assert "rules.hold" in told.value.sentence
    assert Control(home).start().health["pid"] == first
    home.config.unlink()
    assert Control(home).restart().health["pid"] != first


def test_settings_that_no_server_could_start_with_are_told_as_such(home) -> None:
    home.config.write_text("nonsense = 1\n", encoding="utf-8")

    with pytest.raises(KgError, match=r"config\.toml.*nonsense") as told:
        Control(home).start()

    assert told.value.code is Code.INVALID
    assert str(home.log) not in told.value.sentence


def test_a_server_that_cannot_start_is_told_with_the_end_of_its_log(home, places: Places) -> None:
    home.root.mkdir(exist_ok=True)
    home.memory.write_text("in the way\n", encoding="utf-8")

    with pytest.raises(KgError) as told:
        Control(home).start()

    assert str(home.memory) in told.value.sentence
    assert str(home.log) in told.value.sentence
    home.memory.unlink()
    assert Control(home).start().fresh is True, "a failed start leaves nothing that is in the way of the next"


@pytest.mark.parametrize("name", ["server.log", "server.json"])
def test_a_file_that_cannot_be_written_is_named_when_nothing_can_be_started(home, places: Places, name: str) -> None:
    (home.state / name).mkdir()

    with pytest.raises(KgError) as told:
        Control(home).start()

    assert f"{home.state / name} cannot be written" in told.value.sentence
    (home.state / name).rmdir()
    assert Control(home).start().fresh is True


def test_a_lock_that_cannot_be_had_is_named_at_once(home, hook, places: Places) -> None:
    """As one that was made by another user, whom a person was for one command."""
    Path(places.lock).symlink_to("/nowhere/at/all")
    begun = time.monotonic()

    with pytest.raises(KgError, match=r"lifecycle\.lock cannot be written .*no server can be started"):
        Control(home).start()
    hook("Start", start=True)

    assert time.monotonic() - begun < 10


def test_a_memory_that_is_no_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "not mounted")
    (tmp_path / "file").touch()
    for name in ("link", "file"):
        with pytest.raises(KgError, match=rf"{name} cannot be written \(it is no folder\)"):
            Control(Home(tmp_path / name)).start()


def test_carriers_skip_although_their_files_have_the_time_of_another_clock(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() - 3_600)

    outage.missed(places)

    assert outage.skipping(places)


def test_a_server_that_came_up_after_the_start_gave_up_is_found_and_stopped(
    home, until, monkeypatch: pytest.MonkeyPatch, servers_of
) -> None:
    with monkeypatch.context() as hurried:
        hurried.setattr("kg_server.lifecycle.control.START_SECONDS", 0.0)
        with pytest.raises(KgError, match="may still be starting"):
            Control(home).start()
    until(lambda: Control(home).health() is not None)

    (pid,) = servers_of(home)
    again = Control(home).start()

    assert (again.fresh, again.health["pid"]) == (False, pid)
    assert Control(home).stop() is True
    until(lambda: servers_of(home) == [])


def test_a_second_start_while_a_slow_one_is_under_way_leaves_one_server(
    home, until, monkeypatch: pytest.MonkeyPatch, servers_of
) -> None:
    with monkeypatch.context() as hurried:
        hurried.setattr("kg_server.lifecycle.control.START_SECONDS", 0.0)
        with pytest.raises(KgError, match="may still be starting"):
            Control(home).start()

    started = Control(home).start()

    until(lambda: servers_of(home) == [started.health["pid"]])
    assert Control(home).health()["pid"] == started.health["pid"]


def test_a_server_starts_without_its_static_answers(home, places: Places) -> None:
    (home.state / "mcp").write_text("in the way", encoding="utf-8")

    assert Control(home).start().fresh is True


def test_a_lock_file_that_can_only_be_read_is_locked_all_the_same(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "lock"
    path.touch()
    open_file = os.open

    def read_only(name, flags, *rest, **more):
        if flags & os.O_RDWR:
            raise OSError(errno.EROFS, "Read-only file system", str(name))
        return open_file(name, flags, *rest, **more)

    monkeypatch.setattr(os, "open", read_only)
    first, second = FileLock(str(path)), FileLock(str(path))
    assert first.attempt() is True
    assert second.attempt() is False
    first.release()
    assert second.attempt() is True
    second.release()
    missing = FileLock(str(tmp_path / "none"))
    assert missing.attempt() is False
    assert missing.failure is not None
    assert missing.failure.errno == errno.EROFS, "what keeps it from being made, and not that it is not there"


def test_a_second_server_of_one_memory_exits_1_and_names_the_first(home) -> None:
    first = Control(home).start().health["pid"]

    done = subprocess.run(
        [sys.executable, "-m", "kg_server", "serve", "--home", str(home.root)],
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
    )

    assert done.returncode == 1
    assert str(first) in done.stderr
    assert "Traceback" not in done.stderr
    assert Control(home).health()["pid"] == first


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_cleanly(home, until, ending: signal.Signals, servers_of) -> None:
    pid = Control(home).start().health["pid"]

    os.kill(pid, ending)

    until(lambda: not servers_of(home))
    assert not home.server_file.exists()
    assert home.log.read_text(encoding="utf-8").rstrip().endswith("ends")


def test_a_server_that_was_killed_is_no_obstacle(home, until, servers_of) -> None:
    pid = Control(home).start().health["pid"]
    os.kill(pid, signal.SIGKILL)
    until(lambda: not servers_of(home))
    assert home.server_file.exists()

    assert Control(home).start().fresh is True


@pytest.mark.parametrize(
    "written",
    ["", "{", "[]", "null", '{"port": "x"}', '{"port": 1}', "\x00\x00", '{"port":1,"token":"t","pid":2,"version":3}'],
)
def test_whatever_a_server_file_holds_start_and_stop_work(home, places: Places, written: str) -> None:
    Path(places.server).write_text(written, encoding="utf-8")

    assert Control(home).stop() is False
    assert Control(home).start().fresh is True


def test_a_stale_pid_that_belongs_to_somebody_else_harms_nobody(home, places: Places) -> None:
    bystander = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    claim_endpoint(places, pid=bystander.pid)
    try:
        assert Control(home).stop() is False
        assert Control(home).start().fresh is True
        assert Control(home).stop() is True
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_a_port_that_belongs_to_somebody_else_now_harms_nobody(home, places: Places, tmp_path: Path) -> None:
    """The server file names the port of another memory's server: that one is neither stopped nor mistaken for ours."""
    other = type(home)(tmp_path / "other")
    other.root.mkdir()
    running = Control(other).start()
    stranger = endpoint(str(other.server_file))
    claim_endpoint(places, port=stranger.port, pid=running.health["pid"])
    try:
        assert Control(home).health() is None
        assert Control(home).stop() is False
        assert Control(home).start().health["pid"] != running.health["pid"]
        assert Control(other).health()["pid"] == running.health["pid"]
    finally:
        Control(other).stop()


def test_an_older_server_is_replaced_and_a_newer_one_is_left_alone(home, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Control(home).start().health["pid"]
    monkeypatch.setattr("kg_server.lifecycle.control.VERSION", "0.0.9")
    assert Control(home).start().health["pid"] == first

    monkeypatch.setattr("kg_server.lifecycle.control.VERSION", "9.0.0")
    assert Control(home).start().health["pid"] != first


def test_a_server_that_lacks_a_harness_is_replaced(home) -> None:
    known = Plugins.load().harnesses
    Control(home).start()

    assert Control(home).start(Plugins.of(harnesses=known)).fresh is False
    another = dataclasses.replace(known[0], name="brand-new")
    assert Control(home).start(Plugins.of(harnesses=[*known, another])).fresh is True


@pytest.mark.parametrize(
    ("version", "than", "expected"),
    [
        ("0.2.0", "0.1.9", True),
        ("0.10.0", "0.9.0", True),
        ("1.0", "1.0", False),
        ("0.1", "0.2", False),
        ("x", "1", False),
    ],
)
def test_versions_are_compared_as_numbers(version: str, than: str, *, expected: bool) -> None:
    assert newer(version, than) is expected


def test_a_hung_server_is_named_and_not_killed(home) -> None:
    pid = Control(home).start().health["pid"]
    os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(KgError, match=str(pid)):
            Control(home).stop()
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_large_log_is_put_aside_before_a_start(home, places: Places) -> None:
    Path(places.log).write_bytes(b"x" * 5_000_000)

    Control(home).start()

    assert home.log.stat().st_size < 100_000
    assert Path(places.log + ".1").stat().st_size == 5_000_000


def test_a_server_whose_state_folder_was_removed_is_found_again(home, until, servers_of) -> None:
    control = Control(home)
    pid = control.start().health["pid"]

    shutil.rmtree(home.state)
    until(home.server_file.exists)

    again = control.start()
    assert (again.fresh, again.health["pid"]) == (False, pid)
    assert servers_of(home) == [pid]
    assert (home.state / "mcp" / "mcp.json").exists()
    assert control.stop() is True


def test_a_server_that_another_one_has_replaced_ends(home, until, servers_of) -> None:
    control = Control(home)
    pid = control.start().health["pid"]

    shutil.rmtree(home.state)
    fresh = control.start().health["pid"]

    until(lambda: servers_of(home) == [fresh] or fresh == pid)
    assert control.health()["pid"] == fresh
    assert control.stop() is True
    until(lambda: servers_of(home) == [])


@pytest.mark.parametrize("times", [10, pytest.param(50, marks=pytest.mark.nightly)])
def test_start_and_stop_at_the_same_time_never_leave_a_half_state(home, times: int, servers_of) -> None:
    """A start that meets a stop waits for it, and starts a new server."""
    Control(home).start()
    for _ in range(times):
        stopping = threading.Thread(target=Control(home).stop)
        stopping.start()
        while not _locked(home):
            if not stopping.is_alive():
                break
        assert Control(home).start().health["pid"] in servers_of(home)
        stopping.join()
        if Control(home).health() is None:  # the stop came last
            Control(home).start()
    assert len(servers_of(home)) == 1


def _locked(home) -> bool:
    from kg_server.carrier.lock import FileLock

    lock = FileLock(Places(str(home.root)).lock)
    free = lock.attempt()
    lock.release()
    return not free


def test_the_client_says_what_is_wrong(home, places: Places) -> None:
    with pytest.raises(KgError, match="kg start"):
        Client(home).get("/health")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        claim_endpoint(places, port=silent.getsockname()[1])
        with pytest.raises(KgError, match="does not answer"):
            Client(home).get("/health", within=0.1)


def test_a_server_whose_memory_is_restored_from_a_copy_ends_so_that_it_is_opened_anew(home, tmp_path: Path, until):
    def learn(name: str, gist: str) -> None:
        (tmp_path / "lesson.md").write_text(f"- **{name}**: {gist}\n", encoding="utf-8")
        command = ["import", str(tmp_path / "lesson.md"), "--level", "user", "--home", str(home.root)]
        assert run_command(command) == 0

    first = Control(home).start().health["pid"]
    learn("kettle-holes", "Kettles whistle by two holes")
    copy = tmp_path / "copy"
    shutil.copytree(home.root, copy)
    learn("oven-doors", "Oven doors stay closed")

    for path in [path for path in copy.rglob("*") if path.is_file()]:  # as tar does: each file is another one
        aside = home.root / path.relative_to(copy).with_name("aside")
        shutil.copy2(path, aside)
        aside.replace(aside.with_name(path.name))

    until(lambda: Control(home).health() is None)
    again = Control(home).start()
    assert (again.fresh, again.health["pid"] == first) == (True, False)
    assert Control(home).stop() is True
    assert "Kettles" in home.graph("user").read_text(encoding="utf-8")


def test_a_copy_of_a_memory_folder_is_a_memory_of_its_own(home, tmp_path: Path, places: Places) -> None:
    """The copy of a running one brings along where that one's server listens."""
    first = Control(home).start().health["pid"]
    copy = Home(tmp_path / "copy")
    shutil.copytree(home.root, copy.root)

    assert endpoint(places.server) is not None
    assert endpoint(Places(str(copy.root)).server) is None
    assert Control(copy).health() is None
    assert Control(copy).stop() is False
    second = Control(copy).start().health["pid"]
    assert second != first
    assert Control(copy).stop() is True
    assert Control(home).health()["pid"] == first


def test_a_memory_folder_is_the_same_by_all_its_names(home, tmp_path: Path) -> None:
    running = Control(home).start().health["pid"]
    (tmp_path / "link").symlink_to(home.root)

    assert Control(Home(tmp_path / "link")).start().health["pid"] == running
    assert Control(Home(home.root / ".." / home.root.name)).health()["pid"] == running


def test_a_memory_folder_that_was_moved_is_not_served_where_it_was(home, tmp_path: Path, until) -> None:
    pid = Control(home).start().health["pid"]
    moved = Home(tmp_path / "moved")
    home.root.rename(moved.root)

    assert Control(moved).health() is None
    until(home.server_file.exists)
    assert Control(home).health()["pid"] == pid


def test_a_server_keeps_its_memory_although_the_link_to_it_leads_elsewhere_now(tmp_path: Path, until) -> None:
    link, one, other = tmp_path / "link", tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    link.symlink_to(one)
    try:
        first = Control(Home(link)).start().health["pid"]
        link.unlink()
        link.symlink_to(other)

        assert Control(Home(link)).health() is None
        second = Control(Home(link)).start()
        assert (second.fresh, second.health["pid"] == first) == (True, False)
        until(lambda: (other / "state" / "mcp").is_dir())
        assert Control(Home(one)).health()["pid"] == first
    finally:
        for home in (Home(one), Home(other)):
            Control(home).stop()


@pytest.mark.parametrize(
    ("served", "here", "replaces"),
    [
        (["kg-harness-x 1.0"], ["kg-harness-x 1.0"], False),
        (["kg-harness-x 1.0"], ["kg-harness-x 1.1"], True),
        (["kg-harness-x 1.10"], ["kg-harness-x 1.9"], False),
        (["kg-harness-x 1.0"], ["kg-harness-x 1.1rc1"], True),
        (["kg-harness-x 1.0"], ["somebodys-x 1.0"], True),
        (["kg-harness-x 1.0"], [], False),
        ([], ["kg-harness-x 1.0"], True),
    ],
)
def test_a_set_up_replaces_a_server_whose_plug_ins_are_older_than_its_own(
    served: list[str], here: list[str], replaces: bool
) -> None:
    health = {
        "plugins": {"loaded": [{"name": "x", "distribution": each} for each in served], "harnesses": [], "problems": []}
    }

    assert lacks(health, Plugins(loaded=tuple(Loaded("x", each) for each in here))) is replaces


def test_a_server_with_an_older_plug_in_makes_way(home, monkeypatch: pytest.MonkeyPatch) -> None:
    control, plugins = Control(home), Plugins.load()
    first = control.start(plugins).health["pid"]
    assert control.start(plugins).health["pid"] == first
    health = Control.health

    def older(self: Control) -> dict[str, Any] | None:
        found = health(self)
        if found is not None and found["pid"] == first:
            found["plugins"]["loaded"][0]["distribution"] = plugins.loaded[0].distribution.rpartition(" ")[0] + " 0.0.1"
        return found

    monkeypatch.setattr(Control, "health", older)

    assert control.start().health["pid"] == first, "only what needs its plug-ins asks for them"
    assert control.start(plugins).health["pid"] != first
