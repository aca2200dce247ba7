from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path
from typing import ClassVar

import pytest

from kg_plugin_api import Carrier
from kg_server.carrier import late, outage
from kg_server.carrier.event import EVENT_SECONDS
from kg_server.carrier.places import Places
from kg_server.carrier.wire import Reply

RUN = Path(outage.__file__).with_name("run.py")


@pytest.fixture
def places(home) -> Places:
    places = Places(str(home.root))
    Path(places.state).mkdir(exist_ok=True)
    return places


@pytest.fixture
def answers(places: Places) -> None:
    """The static answers that a server has left behind."""
    path = Path(places.answers("plain"))
    path.parent.mkdir(parents=True)
    events = {
        "Prompt": {"kind": "prompt", "empty": "", "outage": f"[Prompt] {outage.LINE}"},
        "Start": {"kind": "session_start", "empty": "", "outage": f"[Start] {outage.LINE}"},
        "End": {"kind": "session_end", "empty": "", "outage": ""},
        "Compact": {"kind": "compact", "empty": "", "outage": ""},
        "Step": {"kind": "prompt", "empty": "{}", "outage": ""},
    }
    path.write_text(json.dumps({"version": "0.1.0", "events": events}), encoding="utf-8")


@pytest.fixture
def no_start(places: Places) -> None:
    """Somebody has just tried to start a server, so that nobody tries again for now."""
    Path(places.starting).touch()


@pytest.fixture
def listening(places: Places):
    """Something that takes connections where the server should be; what it does with them is up to the test.

    First it says who it is as the server does, unless it is ``strange``.
    """
    opened = []

    def listen(behave, *, strange: bool = False) -> None:
        server = socket.create_server(("127.0.0.1", 0))
        opened.append(server)
        where = {"port": server.getsockname()[1], "token": "t", "pid": 1, "version": "0.1.0"}
        Path(places.server).write_text(json.dumps(where), encoding="utf-8")

        def run() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                opened.append(connection)
                if not strange:
                    _introduce(connection)
                behave(connection)

        threading.Thread(target=run, daemon=True).start()

    yield listen
    for held in opened:
        held.close()


def test_an_event_is_carried_printed_and_then_acknowledged(served, hook) -> None:
    served.memory.delivery = "d1"
    served.memory.reply = "été 🎉\nzwei"

    done = hook("Prompt", '{"prompt":"ü","n":null}'.encode())

    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, "été 🎉\nzwei", b"")
    ((harness, raw),) = served.memory.events
    assert (harness, raw.native, raw.carrier) == ("plain", "Prompt", Carrier.HOOK_CLIENT)
    assert raw.payload == {"prompt": "ü", "n": None}
    assert served.memory.acknowledged == [("d1", True)]


def test_the_name_of_an_event_may_hold_anything(served, hook) -> None:
    hook("Vor/Spiel é?#")

    assert served.memory.events[0][1].native == "Vor/Spiel é?#"


def test_a_further_hook_of_an_event_tells_which_part_it_is_for(served, home) -> None:
    command = [sys.executable, "-I", "-S", str(RUN), "hook", "--harness", "plain", "--home", str(home.root)]

    for more in ((), ("--part", "3")):
        subprocess.run([*command, "--event", "Start", "--start", *more], input=b"{}", timeout=30, check=True)

    assert [raw.part for _, raw in served.memory.events] == [1, 3]


def test_nothing_is_acknowledged_when_there_is_nothing_to_say(served, hook) -> None:
    served.memory.reply = ""

    assert hook("Prompt").stdout == b""
    assert served.memory.acknowledged == []


def test_a_reply_that_nobody_reads_is_acknowledged_as_not_arrived(served, home) -> None:
    served.memory.delivery = "d1"
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-I", "-S", str(RUN), "hook", "--harness", "plain", "--home", str(home.root)]

    subprocess.run([*command, "--event", "Prompt"], input=b"{}", stdout=writing, timeout=30, check=True)

    os.close(writing)
    assert served.memory.acknowledged == [("d1", False)]


@pytest.mark.parametrize("payload", [b"", b"  ", b"junk", b"[]", b'"x"', b"{", b"\xff", b'{"a":' + b"[" * 50_000])
def test_junk_on_standard_input_is_silence_and_no_outage(served, hook, places: Places, payload: bytes) -> None:
    done = hook("Prompt", payload)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not Path(places.outage).exists()


def test_a_client_that_keeps_its_pipe_open_is_served_what_it_asked_for(served, home, until) -> None:
    command = [sys.executable, "-I", "-S", str(RUN), "hook", "--harness", "plain", "--home", str(home.root)]
    process = subprocess.Popen([*command, "--event", "Prompt"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        process.stdin.write(b'{"prompt": "half')
        process.stdin.flush()
        until(lambda: _unread(process.stdin.fileno()) == 0)
        time.sleep(0.2)  # longer than it takes to look whether it is whole
        process.stdin.write(b' and half"}\n')
        process.stdin.flush()

        assert process.stdout.read() == b"remembered"
        assert process.wait(5) == 0
    ((_, event),) = served.memory.events
    assert event.payload == {"prompt": "half and half"}


def _unread(pipe: int) -> int:
    """How many bytes nobody has taken out of a pipe yet."""
    found = bytearray(4)
    fcntl.ioctl(pipe, termios.FIONREAD, found)
    return int.from_bytes(found, sys.byteorder)


def test_a_payload_of_twenty_megabytes_is_read_and_not_carried(served, hook) -> None:
    done = hook("Prompt", b'{"tool_response":"' + b"x" * 20_000_000 + b'"}')

    assert (done.returncode, done.stdout) == (0, b"")
    assert served.memory.events == []


@pytest.mark.parametrize("environ", [{"PYTHONWARNINGS": "always"}, {"PYTHONPATH": "/nowhere"}, {"LC_ALL": "C"}])
def test_the_environment_changes_nothing_about_what_is_printed(served, hook, environ: dict[str, str]) -> None:
    served.memory.reply = '{"é": "\\u001b"}'

    done = hook("Prompt", **environ)

    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, '{"é": "\\u001b"}', b"")


@pytest.mark.parametrize("arguments", [[], ["--harness"], ["--nonsense"], ["--harness", "plain", "--event"]])
def test_wrong_arguments_hold_nobody_up(arguments: list[str]) -> None:
    command = [sys.executable, "-I", "-S", str(RUN), "hook", *arguments]

    done = subprocess.run(command, input=b"", capture_output=True, timeout=30, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.usefixtures("answers", "no_start")
def test_the_first_event_of_an_outage_says_one_line_and_then_there_is_silence(hook, places: Places) -> None:
    said = [hook(event).stdout.decode() for event in ("End", "Prompt", "Prompt", "Prompt")]

    assert said[0] == ""
    assert said.count(f"[Prompt] {outage.LINE}") == 0, "the first miss said nothing, so all carriers skip"
    os.utime(places.outage, (1, time.time() - 11))
    assert hook("Prompt").stdout.decode() == f"[Prompt] {outage.LINE}"
    os.utime(places.outage, (1, time.time() - 11))
    assert hook("Prompt").stdout == b""


def test_the_start_of_a_session_waits_for_a_server_that_takes_its_time_and_is_told_once(served, hook, until) -> None:
    """As one that has just begun to read a large memory, on a busy machine: told twice of a start, it is silent."""
    served.memory.gate.clear()
    done: list[subprocess.CompletedProcess[bytes]] = []
    client = threading.Thread(target=lambda: done.append(hook("Start", start=True)))
    client.start()
    until(lambda: len(served.memory.events) == 1)
    time.sleep(2 * EVENT_SECONDS)  # longer than any other event may take
    served.memory.gate.set()
    client.join()

    assert [found.stdout for found in done] == [b"remembered"]
    assert len(served.memory.events) == 1


@pytest.mark.usefixtures("answers", "no_start")
def test_the_start_of_a_session_does_not_wait_for_ever(hook, listening, places: Places) -> None:
    listening(held.append)

    begun = time.monotonic()
    done = hook("Start", start=True)

    assert time.monotonic() - begun < 15  # three seconds, and what a busy machine adds
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, f"[Start] {outage.LINE}", b"")
    assert Path(places.outage).exists()
    held.clear()


@pytest.mark.usefixtures("answers", "no_start")
def test_of_many_events_that_fail_at_once_one_says_so(hook) -> None:
    said: list[bytes] = []
    threads = [threading.Thread(target=lambda: said.append(hook("Prompt").stdout)) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(said)[:-1] == [b""] * 9
    assert sorted(said)[-1].decode() == f"[Prompt] {outage.LINE}"


@pytest.mark.usefixtures("answers", "no_start")
def test_after_a_miss_carriers_skip_until_ten_seconds_have_passed(hook, places: Places, served_later) -> None:
    hook("Prompt")
    served = served_later()

    assert hook("Prompt").stdout == b""
    assert served.memory.events == []

    os.utime(places.outage, (1, time.time() - 10.5))
    assert hook("Prompt").stdout == b"remembered"
    assert not Path(places.outage).exists()
    assert not Path(places.said).exists()


@pytest.mark.usefixtures("answers", "no_start")
def test_starts_and_compactions_that_no_server_took_are_handed_over_before_the_next_event(
    hook, places: Places, served_later
) -> None:
    hook("Start", b'{"n":1}', start=True)
    hook("Prompt", b'{"n":2}')
    hook("Compact", b'{"n":3}')
    served = served_later()
    served.memory.delivery = "d1"

    for number in range(4, 24):  # on a busy machine the time of one event may not suffice for all
        os.utime(places.outage, (1, time.time() - 10.5))
        last = hook("Prompt", b'{"n":%d}' % number)
        if not Path(places.late).exists() and last.stdout:
            break
        Path(places.outage).touch()

    assert last.stdout == b"remembered"
    assert not Path(places.late).exists()
    told = list(dict.fromkeys((raw.native, raw.payload["n"]) for _, raw in served.memory.events))
    assert [each for each in told if each[0] != "Prompt"] == [("Start", 1), ("Compact", 3)]
    assert told[-1] == ("Prompt", number)
    assert ("Prompt", 2) not in told
    assert ("d1", False) in served.memory.acknowledged
    assert served.memory.acknowledged[-1] == ("d1", True)


@pytest.mark.usefixtures("answers", "no_start")
def test_what_somebody_wrote_is_not_kept_with_a_start_that_no_server_took(hook, places: Places, served_later) -> None:
    told = {"sessionId": "s", "cwd": "/work", "source": "new", "prompt_id": "p", "trigger": "auto"}
    written = dict.fromkeys(("initialPrompt", "prompt", "custom_instructions", "compact_summary"), "the password")

    hook("Start", json.dumps({**told, **written}).encode(), start=True)

    (kept,) = Path(places.late).iterdir()
    assert b"the password" not in kept.read_bytes()
    served = served_later()
    os.utime(places.outage, (1, time.time() - 10.5))
    hook("Prompt")
    raw = served.memory.events[0][1]
    assert raw.payload == told
    assert abs(raw.meta[late.LATE] - time.time() * 1000) < 60_000, "so that a server knows what came after it"


@pytest.mark.usefixtures("answers", "no_start")
def test_a_start_whose_answer_got_lost_is_kept_as_of_when_it_came_whatever_is_done_to_the_clock_then(
    hook, listening, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[float] = []
    wall, wall_ns = time.time, time.time_ns

    def behave(connection: socket.socket) -> None:
        connection.recv(64 * 1024)
        heard.append(wall() * 1000)
        monkeypatch.setattr(time, "time", lambda: wall() + 60)
        monkeypatch.setattr(time, "time_ns", lambda: wall_ns() + 60_000_000_000)
        connection.close()

    listening(behave)
    hook("Start", start=True)

    (kept,) = Path(places.late).iterdir()
    event = json.loads(kept.read_bytes().partition(b"\n")[2])
    assert event["meta"][late.LATE] < heard[0], "what the server has made of it since must count as later"


@pytest.mark.usefixtures("answers", "no_start")
def test_what_no_server_took_stays_until_one_does_and_is_bounded(hook, listening, places: Places) -> None:
    Path(places.late).mkdir()
    for number in range(late.MOST):
        (Path(places.late) / f"{number:020d}-1").write_bytes(b"/hooks/plain/Start\n{}")
    listening(lambda connection: held.append(connection))

    done = hook("Start", start=True)

    assert done.stdout.decode() == f"[Start] {outage.LINE}"
    kept = sorted(path.name for path in Path(places.late).iterdir())
    assert len(kept) == late.MOST
    assert kept[0] == f"{1:020d}-1", "as the sessions of the first day of many are over"
    assert kept[-1] > f"{late.MOST:020d}"


def test_what_was_kept_a_day_ago_or_cannot_be_read_is_not_handed_over(hook, served, places: Places) -> None:
    Path(places.late).mkdir()
    kept = [Path(places.late) / name for name in ("1-1", "2-1")]
    kept[0].write_bytes(b'/hooks/plain/Start\n{"carrier": "hook_client", "payload": {}}')
    os.utime(kept[0], (1, time.time() - 25 * 3600))
    kept[1].write_bytes(b"\xff\xfe no path\n{}")

    assert hook("Prompt").stdout == b"remembered"
    assert [raw.native for _, raw in served.memory.events] == ["Prompt"]
    assert not Path(places.late).exists()


def test_an_answer_of_the_last_moment_is_still_said_to_be_lost(places: Places) -> None:
    class AtTheLastMoment:
        asked: ClassVar[list[tuple[str, float]]] = []

        def request(self, _method: str, path: str, _body: bytes, _headers: object, deadline: float) -> Reply:
            self.asked.append((path, deadline))
            return Reply(200, {}, b'{"delivery": "d1"}')

    Path(places.late).mkdir()
    (Path(places.late) / "1-1").write_bytes(b"/hooks/plain/Start\n{}")

    late.hand_over(places, AtTheLastMoment(), 7.0)

    event, ack = AtTheLastMoment.asked
    assert event == ("/hooks/plain/Start", 7.0)
    assert ack[0] == "/ack"
    assert ack[1] > 7.0


def test_what_nobody_has_finished_to_keep_holds_up_what_was_kept_after_it_no_longer_than_it_takes(
    hook, served, places: Places
) -> None:
    Path(places.late).mkdir()
    begun, kept = (Path(places.late) / name for name in ("1-1", "2-1"))
    begun.touch()
    kept.write_bytes(b'/hooks/plain/Start\n{"carrier": "hook_client", "payload": {}}')

    assert hook("Prompt").stdout == b"remembered"
    assert begun.exists()
    os.utime(begun, (1, time.time() - 20))
    assert hook("Prompt").stdout == b"remembered"

    assert [raw.native for _, raw in served.memory.events] == ["Prompt", "Start", "Prompt"]
    assert not Path(places.late).exists()


@pytest.mark.usefixtures("answers", "no_start")
def test_a_start_with_a_large_payload_is_not_kept(hook, places: Places) -> None:
    hook("Start", b'{"n":"' + b"x" * 70_000 + b'"}', start=True)

    assert not Path(places.late).exists()


@pytest.mark.usefixtures("answers", "no_start")
def test_a_new_outage_is_said_again(hook, places: Places, served_later) -> None:
    first = hook("Prompt").stdout
    served = served_later()
    os.utime(places.outage, (1, time.time() - 10.5))
    hook("Prompt")
    served.stop()
    Path(places.starting).touch()

    assert hook("Prompt").stdout == first != b""


@pytest.mark.usefixtures("answers", "no_start")
@pytest.mark.parametrize(
    "behave",
    [
        pytest.param(lambda connection: held.append(connection), id="never answers"),
        pytest.param(lambda connection: _answer_too_late(connection), id="answers too late"),
        pytest.param(lambda connection: _trickle(connection), id="never comes to an end"),
        pytest.param(lambda connection: connection.close(), id="closes"),
        pytest.param(lambda connection: _say(connection, b"\x00\xff\r\n\r\n"), id="answers garbage"),
        pytest.param(lambda connection: _say(connection, b"SSH-2.0-x\r\n"), id="speaks another protocol"),
        pytest.param(lambda connection: _say(connection, b"HTTP/1.1 200 OK\r\n\r\n"), id="says nothing"),
        pytest.param(lambda connection: _say(connection, b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"), id="stops"),
        pytest.param(lambda connection: _say(connection, b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n"), id="lies"),
        pytest.param(lambda connection: _say(connection, b"x" * 200_000), id="never ends its headers"),
        pytest.param(
            lambda connection: _say(connection, b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nnull"),
            id="sends no object",
        ),
    ],
)
@pytest.mark.parametrize("strange", [False, True])
def test_whatever_answers_in_place_of_the_server_holds_nobody_up(hook, listening, behave, *, strange: bool) -> None:
    listening(behave, strange=strange)

    begun = time.monotonic()
    done = hook("Prompt")

    assert time.monotonic() - begun < 5
    assert done.returncode == 0
    assert done.stdout.decode() in {"", f"[Prompt] {outage.LINE}"}
    assert done.stderr == b""
    held.clear()


@pytest.mark.usefixtures("answers", "no_start")
def test_a_port_that_nobody_listens_on_any_more_holds_nobody_up(hook, places: Places) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        where = {"port": server.getsockname()[1], "token": "t", "pid": 1, "version": "0.1.0"}
    Path(places.server).write_text(json.dumps(where), encoding="utf-8")

    begun = time.monotonic()
    done = hook("Prompt")

    assert time.monotonic() - begun < 5
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, f"[Prompt] {outage.LINE}", b"")


def test_after_kg_stop_events_are_silent_and_start_nothing(hook, places: Places) -> None:
    Path(places.stopped).touch()

    done = hook("Prompt")

    assert (done.returncode, done.stdout) == (0, b"")
    assert not Path(places.starting).exists()
    assert not Path(places.outage).exists()


@pytest.mark.usefixtures("answers", "no_start")
@pytest.mark.parametrize("because", ["nobody answers", "stopped", "skipping", "too large", "junk"])
def test_a_client_to_which_silence_is_an_error_is_given_its_empty_reply(hook, places: Places, because: str) -> None:
    payloads = {"too large": b'{"x":"%s"}' % (b"x" * 5_000_000), "junk": b"junk"}
    if because in {"stopped", "skipping"}:
        Path(places.stopped if because == "stopped" else places.outage).touch()

    done = hook("Step", payloads.get(because, b"{}"))

    assert (done.returncode, done.stdout, done.stderr) == (0, b"{}", b"")


def test_an_event_that_is_refused_is_silence_and_no_outage(hook, served, places: Places) -> None:
    served.memory.failure = RuntimeError("boom")

    done = hook("Prompt")

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not Path(places.outage).exists()


def test_a_stale_server_file_of_another_home_harms_nobody(hook, served, tmp_path) -> None:
    """The port is somebody else's now: our token is not taken there, and nothing of ours is."""
    where = {"port": served.where.port, "token": "stale", "pid": 1, "version": "0.1.0"}
    other = tmp_path / "other"
    (other / "state").mkdir(parents=True)
    (other / "state" / "server.json").write_text(json.dumps(where), encoding="utf-8")
    Path(Places(str(other)).starting).touch()
    command = [sys.executable, "-I", "-S", str(RUN), "hook", "--harness", "plain", "--home", str(other)]

    done = subprocess.run([*command, "--event", "Prompt"], input=b"{}", capture_output=True, timeout=30, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert served.memory.events == []


held: list[socket.socket] = []


def _introduce(connection: socket.socket) -> None:
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\r\nkg-process: 1\r\ncontent-length: 2\r\n\r\n{}")


def _say(connection: socket.socket, said: bytes) -> None:
    connection.sendall(said)
    connection.close()


def _answer_too_late(connection: socket.socket) -> None:
    """Answers properly once the other side has given up."""
    with contextlib.suppress(OSError):
        while connection.recv(65536):
            pass
        _say(connection, b'HTTP/1.1 200 OK\r\ncontent-length: 28\r\n\r\n{"output":"x","delivery":""}')


def _trickle(connection: socket.socket) -> None:
    """One byte after the other, each in time."""
    with contextlib.suppress(OSError):
        connection.sendall(b"HTTP/1.1 200 OK\r\nx: ")
        for _ in range(1_000):
            connection.sendall(b"x")
            time.sleep(0.02)
