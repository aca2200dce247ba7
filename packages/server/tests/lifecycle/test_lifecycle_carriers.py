"""Carriers that find no server, or one that does not answer: who starts one, who waits, who keeps silent."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from kg_server.carrier import start as carrier_start
from kg_server.carrier.answers import Answers
from kg_server.carrier.places import Places
from kg_server.lifecycle.control import Control
from kg_server.tools.catalogue import TOOLS

RUN = Path(carrier_start.__file__).with_name("run.py")

pytestmark = pytest.mark.usefixtures("stop_server")


def test_a_carrier_does_not_wait_for_a_server_that_it_cannot_start(hook, places: Places) -> None:
    Path(places.log).mkdir()

    assert carrier_start.ensure(places, "plain", time.monotonic() + 3_600, session_start=True) is False
    assert hook("Start", start=True).returncode == 0
    assert hook("Prompt").stderr == b""


def test_the_longer_carriers_wait_for_a_server_the_less_often_they_ask(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, asked = [0.0], []
    monkeypatch.setattr(carrier_start.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(carrier_start.time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    monkeypatch.setattr(carrier_start, "healthy", lambda _: asked.append(now[0]))
    monkeypatch.setattr(carrier_start, "spawn_once", lambda *_, **__: None)

    assert carrier_start.ensure(places, "plain", 10.0) is False

    assert len(asked) < 60
    assert asked[-1] > 9.9
    assert all(later - earlier <= max(0.021, later / 9) for earlier, later in itertools.pairwise(asked))


def test_ten_session_starts_at_once_start_one_server(home, hook, until, servers_of) -> None:
    done: list[subprocess.CompletedProcess[bytes]] = []
    threads = [threading.Thread(target=lambda: done.append(hook("Start", start=True))) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    until(lambda: Control(home).health() is not None)
    assert len(servers_of(home)) == 1
    assert {run.returncode for run in done} == {0}
    assert not (home.state / "outage.json").exists(), "all ten were served"


def test_an_event_that_finds_no_server_has_one_started_and_does_not_wait(home, hook, places: Places, until) -> None:
    begun = time.monotonic()
    hook("Prompt")
    waited = time.monotonic() - begun

    until(lambda: Control(home).health() is not None)
    assert waited < 5
    os.utime(places.outage, (1, time.time() - 11))
    hook("Prompt")
    assert not Path(places.outage).exists()


def test_a_server_that_has_come_up_meanwhile_is_not_started_a_second_time(home, places: Places) -> None:
    Control(home).start()

    assert carrier_start.spawn_once(places, "claude", session_start=True) is None
    assert not Path(places.starting).exists()


def test_after_kg_stop_only_a_session_start_starts_a_server(
    home, hook, shim, places: Places, until, servers_of
) -> None:
    Control(home).start()
    Control(home).stop()
    until(lambda: servers_of(home) == [])

    hook("Prompt")
    pipes = shim()
    pipes.call(1, "kg_read")
    assert "kg start" in pipes.receive()["result"]["content"][0]["text"]
    assert servers_of(home) == []

    hook("Start", start=True)
    assert len(servers_of(home)) == 1
    assert not Path(places.stopped).exists()


def test_a_call_without_a_server_starts_it_and_waits(home, shim, servers_of) -> None:
    pipes = shim()

    pipes.call(1, "kg_search", query="anything")

    answer = pipes.receive()
    assert answer["result"].get("isError") is not True, answer
    assert len(servers_of(home)) == 1


def test_a_call_whose_server_cannot_start_is_told_so(home, shim) -> None:
    home.config.write_text("nonsense = 1\n", encoding="utf-8")
    pipes = shim()

    pipes.call(1, "kg_search", query="anything")

    answer = pipes.receive()
    assert answer["result"]["isError"] is True
    assert "kg doctor" in answer["result"]["content"][0]["text"]


def test_carriers_know_from_the_tools_themselves_which_calls_only_read(home, places: Places, until) -> None:
    Control(home).start()
    until(Path(places.answers("mcp")).exists)

    answers = Answers.load(places, "mcp")

    calls = ({"method": "tools/call", "params": {"name": name}} for name in TOOLS)
    assert {call["params"]["name"] for call in calls if answers.only_reads(call)} == {
        tool.name for tool in TOOLS.values() if tool.read_only
    }


def test_a_server_that_was_only_busy_is_waited_for_once_another_one_has_ended_beside_it(home, places, until) -> None:
    pid, found = Control(home).start().health["pid"], []
    log = Path(places.log)
    Path(places.starting).unlink(missing_ok=True)
    os.kill(pid, signal.SIGSTOP)
    try:
        asking = threading.Thread(
            target=lambda: found.append(carrier_start.ensure(places, "plain", time.monotonic() + 30))
        )
        asking.start()
        until(lambda: "is already served" in log.read_text(encoding="utf-8"))
        until(lambda: found or not Path(places.starting).exists())
    finally:
        os.kill(pid, signal.SIGCONT)
    asking.join()

    assert found == [True]


def test_events_at_a_hung_server_miss_once_and_then_skip(home, hook, places: Places, servers_of) -> None:
    pid = Control(home).start().health["pid"]
    os.kill(pid, signal.SIGSTOP)
    try:
        first = hook("Prompt")
        missed = Path(places.outage).stat().st_mtime_ns
        rest = [hook("Prompt") for _ in range(5)]
        assert {run.returncode for run in (first, *rest)} == {0}
        assert {run.stdout for run in rest} == {b""}
        assert Path(places.outage).stat().st_mtime_ns == missed, "the others did not even ask"
        assert len(servers_of(home)) == 1
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_compaction_that_no_server_took_is_made_up_for_with_the_next_prompt(home, places: Places, until) -> None:
    def event(native: str, *more: str, **fields: str) -> str:
        command = [sys.executable, "-I", "-S", str(RUN), "hook", "--harness", "claude", "--home", str(home.root)]
        payload = {"session_id": "s1", "cwd": str(home.root), "hook_event_name": native, **fields}
        done = subprocess.run(
            [*command, "--event", native, *more],
            input=json.dumps(payload).encode(),
            capture_output=True,
            timeout=30,
            check=True,
        )
        return done.stdout.decode()

    lesson = {"harbour-cranes-idle": {"gist": "Cranes stand idle at low tide."}}
    home.memory.mkdir()
    (home.memory / "user.json").write_text(json.dumps({"format": 1, "nodes": lesson}), encoding="utf-8")
    pid = Control(home).start().health["pid"]
    assert "low tide" in event("SessionStart", "--start", source="startup")
    assert "low tide" not in event("UserPromptSubmit", prompt="thanks")
    os.kill(pid, signal.SIGKILL)
    until(lambda: not Path(f"/proc/{pid}").exists())
    Path(places.starting).touch()

    assert "low tide" not in event("SessionStart", "--start", source="compact")

    Control(home).start()
    os.utime(places.outage, (1, time.time() - 11))
    assert "low tide" in event("UserPromptSubmit", prompt="thanks")
    assert "low tide" not in event("UserPromptSubmit", prompt="thanks")


def test_a_server_inherits_nothing_of_the_agent_that_started_it(home, until, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "CLAUDE_CODE_SESSION_ID", "CODEX_API_KEY", "PYTHONPATH"):
        monkeypatch.setenv(name, "of the agent")

    process = carrier_start.spawn(Places(str(home.root)), ["serve"], ("ANTHROPIC_", "CLAUDE", "CODEX_"))

    seen = Path(f"/proc/{process.pid}/environ").read_bytes()
    assert b"of the agent" not in seen
    assert os.getpgid(process.pid) != os.getpgid(0)
    assert Path(f"/proc/{process.pid}/cwd").readlink() == home.root
    until(lambda: Control(home).health() is not None)


def test_what_carriers_and_server_make_is_for_this_user_only(home, hook, until) -> None:
    home.root.rmdir()
    before = os.umask(0o022)
    try:
        hook("Prompt")
    finally:
        os.umask(before)
    until(lambda: Control(home).health() is not None)

    made = [home.root, *home.root.rglob("*")]
    assert [path for path in made if path.stat().st_mode & 0o077] == []


def test_a_shim_of_a_newer_kg_has_an_older_server_replaced(served, shim, home, until, monkeypatch) -> None:
    monkeypatch.setattr("kg_server.http.health.VERSION", "0.0.1")
    where = json.loads(home.server_file.read_text(encoding="utf-8"))
    home.server_file.write_text(json.dumps({**where, "version": "0.0.1"}), encoding="utf-8")

    shim()

    until(lambda: served.memory.closed == 1)
    until(lambda: (Control(home).health() or {}).get("pid") not in {None, os.getpid()})


def test_of_many_shims_of_a_newer_kg_one_replaces_the_older_server(served, places: Places, monkeypatch) -> None:
    where = json.loads(served.home.server_file.read_text(encoding="utf-8"))
    served.home.server_file.write_text(json.dumps({**where, "version": "0.0.1"}), encoding="utf-8")
    asked: list[list[str]] = []
    monkeypatch.setattr(carrier_start, "spawn", lambda _, command, __: asked.append(command))

    for _ in range(3):
        carrier_start.renew(places, "plain")

    assert asked == [["start"]] * 3, "which each looks first; a restart would end what the one before has started"


def test_a_shim_starts_no_server_for_one_that_was_killed_before_it_was_stopped(home, places: Places) -> None:
    where = {"port": 1, "token": "t", "pid": 1, "version": "0.0.1", "home": str(home.root)}
    home.server_file.write_text(json.dumps(where), encoding="utf-8")
    Control(home).stop()

    carrier_start.renew(places, "plain")

    assert not Path(places.log).exists(), "nothing was run"
