"""The shim ends with its client, however that ends, and leaves no process."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kg_server.carrier import outage
from kg_server.carrier.places import Places

RUN = Path(outage.__file__).with_name("run.py")


def test_the_shim_ends_when_its_input_does(served, shim) -> None:
    pipes = shim()
    pipes.ask("ping")
    pipes.process.stdin.close()

    assert pipes.process.wait(5) == 0


def test_the_shim_ends_with_its_input_even_if_the_server_never_answers(served, shim, until) -> None:
    served.memory.gate.clear()
    pipes = shim()
    pipes.call(1, "kg_read")
    until(lambda: bool(served.memory.calls))
    pipes.process.stdin.close()
    try:
        assert pipes.process.wait(5) == 0
    finally:
        served.memory.gate.set()


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP])
def test_the_shim_ends_when_it_is_told_to(served, shim, ending: signal.Signals) -> None:
    before = signal.signal(ending, signal.SIG_DFL)  # under nohup it is ignored, and children inherit that
    pipes = shim()
    signal.signal(ending, before)
    pipes.ask("ping")
    pipes.process.send_signal(ending)

    assert pipes.process.wait(5) == -ending


def test_an_interrupt_of_the_terminal_is_the_clients_business(served, shim) -> None:
    pipes = shim()
    pipes.ask("ping")
    pipes.process.send_signal(signal.SIGINT)

    assert pipes.ask("ping")["result"] == {}


@pytest.mark.parametrize("handed_on", [pytest.param("None", id="pipe kept open"), pytest.param("-1", id="own pipe")])
def test_the_shim_ends_with_its_parent_even_if_somebody_keeps_the_pipe_open(served, home, until, handed_on) -> None:
    """The parent is killed; this test, like a client behind a wrapper, may still hold both ends of the pipe."""
    reading, writing = os.pipe()
    command = [sys.executable, "-I", "-S", str(RUN), "mcp", "--harness", "plain", "--home", str(home.root)]
    program = (
        "import subprocess, sys, time; "
        f"child = subprocess.Popen(sys.argv[1:], stdin={handed_on}, stdout=subprocess.DEVNULL); "
        "print(child.pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", program, *command], stdin=reading, stdout=subprocess.PIPE)
    child = int(parent.stdout.readline())
    until(lambda: len(list(Path(f"/proc/{child}/task").iterdir())) > 1)  # it knows its parent, and looks after it

    parent.kill()
    parent.communicate()
    begun = time.monotonic()
    until(lambda: not _runs(child))

    assert time.monotonic() - begun < 5
    os.close(reading)
    os.close(writing)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.slow
def test_fifty_shims_started_and_stopped_leave_no_process(served, shim) -> None:
    pids = []
    for at in range(50):
        pipes = shim()
        pipes.ask("ping")
        pids.append(pipes.process.pid)
        if at % 2:
            pipes.process.stdin.close()
        else:
            pipes.process.terminate()
        pipes.process.wait(5)

    assert [pid for pid in pids if _runs(pid)] == []
    own = json.dumps(str(served.home.root))
    assert not [line for line in _commands() if "run.py" in line and own.strip('"') in line]


def _commands() -> list[str]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
        except OSError:
            continue
    return found


def test_a_shim_goes_on_when_the_kg_that_it_was_started_from_is_gone(home, tmp_path: Path) -> None:
    """As after an upgrade. What it has not read by then it would not find, or find in another version."""
    places = Places(str(home.root))
    places.prepare()
    Path(places.stopped).touch()
    Path(places.answers("plain")).parent.mkdir()
    answers = {"events": {"Compact": {"kind": "compact", "empty": "{}"}}}
    Path(places.answers("plain")).write_text(json.dumps(answers), encoding="utf-8")
    code = tmp_path / "code"
    shutil.copytree(RUN.parent, code / "kg_server" / "carrier")
    (code / "kg_server" / "__init__.py").touch()
    arguments = {"event": "Compact", "payload": {"session": "s-1"}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "kg_event", "arguments": arguments}}
    program = (
        "import shutil, sys; sys.path.insert(0, sys.argv[1])\n"
        "from kg_server.carrier.places import Places\n"
        "from kg_server.carrier.shim import Shim\n"
        "shim = Shim(Places(sys.argv[2]), 'plain', iter([sys.argv[3].encode()]), 1)\n"
        "shim.wake(); shutil.rmtree(sys.argv[1]); shim.next()()"
    )

    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, str(code), str(home.root), json.dumps(call)],
        capture_output=True,
        timeout=30,
        check=True,
    )

    assert (json.loads(done.stdout)["result"]["content"][0]["text"], done.stderr) == ("{}", b"")
    assert len(list(Path(places.late).iterdir())) == 1
