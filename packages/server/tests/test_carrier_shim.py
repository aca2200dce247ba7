"""Requests through the shim: answered, carried to the server, cancelled, refused."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kg_plugin_api import Carrier
from kg_server.carrier import outage
from kg_server.carrier.event import EVENT_SECONDS
from kg_server.carrier.places import Places
from kg_server.carrier.version import VERSION
from kg_server.generic import GENERIC
from kg_server.tools.specs import specs

if TYPE_CHECKING:
    from kg_core.store import Home

RUN = Path(outage.__file__).with_name("run.py")


def text(message: dict) -> str:
    return message["result"]["content"][0]["text"]


def test_static_requests_need_no_server(served, shim) -> None:
    served.stop()
    Path(Places(str(served.home.root)).stopped).touch()
    pipes = shim()

    found = pipes.ask("server/discover", _meta={"io.modelcontextprotocol/protocolVersion": "2026-07-28"})
    assert found["result"]["supportedVersions"][0] == "2026-07-28"
    assert found["result"]["resultType"] == "complete"
    begun = pipes.ask("initialize", protocolVersion="2025-06-18", capabilities={})
    assert begun["result"]["protocolVersion"] == "2025-06-18"
    assert begun["result"]["instructions"] == "Instructions for plain."
    assert [tool["name"] for tool in pipes.ask("tools/list")["result"]["tools"]] == ["kg_read"]
    assert pipes.ask("ping")["result"] == {}


def test_a_call_goes_to_the_server_and_its_answer_comes_back(served, shim) -> None:
    pipes = shim()

    pipes.call(7, "kg_read", id="été 🎉")
    answer = pipes.receive()

    assert (answer["id"], text(answer), answer["result"]["isError"]) == (7, "remembered", False)
    (call,) = served.memory.calls
    assert (call.name, call.arguments, call.harness) == ("kg_read", {"id": "été 🎉"}, "plain")
    assert len(call.session_hint) == 16


@pytest.mark.parametrize("name", ["Projekt ü".encode(), b"caf\xe9"])
def test_the_server_is_told_where_the_client_started_the_shim(served, shim, tmp_path: Path, name: bytes) -> None:
    folder = tmp_path / os.fsdecode(name)
    folder.mkdir()
    pipes = shim(folder)

    pipes.call(1, "kg_read")
    pipes.receive()

    assert served.memory.calls[0].cwd == str(folder)


def test_calls_of_one_shim_carry_the_same_name_and_those_of_two_do_not(served, shim) -> None:
    for pipes in (one := shim(), one, shim()):
        pipes.call(1, "kg_read")
        pipes.receive()

    first, second, third = (call.session_hint for call in served.memory.calls)
    assert first == second != third


def test_of_whom_the_server_has_told_last_is_told_to_the_next_one(served, shim, until) -> None:
    until(Path(Places(str(served.home.root)).answers("plain")).exists)
    pipes = shim()
    for context, tool in (
        ("ab12", "kg_event"),
        ("", "kg_event"),
        ("cd34", "kg_read"),
        ("", "kg_read"),
        ("", "kg_read"),
    ):
        served.memory.context = context
        pipes.call(1, tool, event="Prompt")
        pipes.receive()

    assert [call.context_hint for call in served.memory.calls] == ["ab12", "cd34", "cd34"]


def test_requests_do_not_wait_for_each_other(served, shim) -> None:
    pipes = shim()
    served.memory.gate.clear()
    for identity in range(8):
        pipes.call(identity, "kg_read")

    assert pipes.ask("ping")["result"] == {}

    served.memory.gate.set()
    assert sorted(pipes.receive()["id"] for _ in range(8)) == list(range(8))


def test_the_hidden_tool_turns_a_hook_into_an_event(served, shim, until) -> None:
    served.memory.delivery = "d1"
    pipes = shim()
    arguments = {"event": "Prompt", "payload": {"prompt": "ü", "agent_id": ""}}
    params = {"name": "kg_event", "arguments": arguments, "_meta": {"threadId": "t1"}}
    pipes.send({"jsonrpc": "2.0", "id": "h", "method": "tools/call", "params": params})

    answer = pipes.receive()

    assert (answer["id"], text(answer)) == ("h", "remembered")
    ((harness, raw),) = served.memory.events
    assert (harness, raw.native, raw.carrier) == ("plain", "Prompt", Carrier.MCP_HOOK)
    assert raw.payload == {"prompt": "ü", "agent_id": ""}
    assert raw.meta["threadId"] == "t1"
    until(lambda: served.memory.acknowledged == [("d1", True)])


def test_a_session_that_starts_waits_for_a_server_that_takes_its_time_and_is_told_once(served, shim, until) -> None:
    until(Path(Places(str(served.home.root)).answers("plain")).exists)
    served.memory.gate.clear()
    pipes = shim()
    pipes.call("s", "kg_event", event="Start", payload={})
    until(lambda: len(served.memory.events) == 1)
    time.sleep(2 * EVENT_SECONDS)  # longer than any other event may take
    served.memory.gate.set()

    assert text(pipes.receive()) == "remembered"
    assert len(served.memory.events) == 1


@pytest.mark.parametrize(("given", "told"), [(3, 3), ("3", 3), (None, 1), ("x", 1), (0, 1), (-3, 1), (10**9, 1)])
def test_a_hook_tells_which_part_it_is_for_as_a_number_or_as_text(served, shim, given: object, told: int) -> None:
    pipes = shim()

    pipes.call(1, "kg_event", event="Start", part=given)
    pipes.receive()

    ((_, raw),) = served.memory.events
    assert raw.part == told


@pytest.mark.parametrize("arguments", [None, [], {}, {"event": 5}, {"event": "Prompt", "payload": "x"}])
def test_a_hook_that_sends_nonsense_is_answered_all_the_same(served, shim, arguments: object) -> None:
    pipes = shim()
    params = {"name": "kg_event", "arguments": arguments}
    pipes.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})

    assert pipes.receive()["result"]["isError"] is False


@pytest.mark.parametrize("name", ["kg_read", "kg_event"])
def test_a_delivery_is_acknowledged_once_it_is_written_and_not_cancelled(served, shim, until, name: str) -> None:
    served.memory.delivery = "d1"
    pipes = shim()

    pipes.call(1, name, event="Prompt")
    pipes.receive()

    until(lambda: served.memory.acknowledged == [("d1", True)])


@pytest.mark.parametrize("name", ["kg_read", "kg_event"])
def test_a_cancellation_that_comes_first_drops_the_answer_and_the_delivery(served, shim, until, name: str) -> None:
    served.memory.delivery = "d1"
    served.memory.gate.clear()
    pipes = shim()
    pipes.call(1, name, event="Prompt")
    until(lambda: bool(served.memory.calls or served.memory.events))
    pipes.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    assert pipes.ask("ping")["result"] == {}
    served.memory.gate.set()

    until(lambda: served.memory.acknowledged == [("d1", False)])
    assert pipes.ask("ping")["id"] == "ping"


def test_a_cancellation_right_after_the_answer_drops_the_delivery(served, shim, until) -> None:
    served.memory.delivery = "d1"
    pipes = shim()
    pipes.call("x", "kg_read")
    pipes.receive()
    pipes.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "x"}})

    until(lambda: served.memory.acknowledged == [("d1", False)])


@pytest.mark.parametrize("request_id", [2, "1", None, [1], {"a": 1}])
def test_a_cancellation_of_something_else_changes_nothing(served, shim, until, request_id: object) -> None:
    served.memory.delivery = "d1"
    served.memory.gate.clear()
    pipes = shim()
    pipes.call(1, "kg_read")
    until(lambda: bool(served.memory.calls))
    pipes.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request_id}})
    served.memory.gate.set()

    assert pipes.receive()["id"] == 1
    until(lambda: served.memory.acknowledged == [("d1", True)])


def test_every_line_on_standard_output_is_json_rpc(served, shim) -> None:
    pipes = shim()
    for junk in (b"junk", b"[]", b"[1]", b"5", b"{}", b"\xff\xfe", b"null", b"[" * 100_000):
        pipes.send(junk)
    pipes.send(b"")
    pipes.send({"jsonrpc": "2.0", "id": 1, "result": {}})
    pipes.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    pipes.send({"jsonrpc": "2.0", "id": 9, "method": "no/such"})

    answers = [pipes.receive() for _ in range(9)]

    assert {answer["error"]["code"] for answer in answers} == {-32700, -32600, -32601}
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)
    pipes.process.stdin.close()
    assert pipes.process.stdout.read() == b""


NOISY = """
import os, sys
from kg_server.carrier import protocol, shim

decoded = protocol.decoded

def noisy(line):
    print("noise", flush=True)
    os.write(1, b"more noise")
    return decoded(line)

protocol.decoded = noisy
shim.serve(sys.argv[1], "plain")
"""


def test_what_else_is_printed_does_not_mix_with_the_protocol(served) -> None:
    asked = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'

    done = subprocess.run(
        [sys.executable, "-c", NOISY, str(served.home.root)], input=asked, capture_output=True, timeout=30, check=True
    )

    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1]
    assert b"more noise" in done.stderr


HALF = "\ud800"
"""Half of a surrogate pair: JSON can say it, UTF-8 cannot."""


@pytest.mark.parametrize("method", ["ping", "initialize", "tools/list", "tools/call", "no/such"])
def test_an_id_that_utf_8_cannot_hold_is_given_back_as_it_was(served, shim, method: str) -> None:
    pipes = shim()
    pipes.send({"jsonrpc": "2.0", "id": HALF, "method": method, "params": {"name": HALF}})

    assert pipes.receive()["id"] == HALF
    assert pipes.ask("ping")["result"] == {}


@pytest.mark.parametrize("identity", ["true", "[]", "{}", "NaN", "1e999", "null", "[" * 900 + "]" * 900])
def test_what_can_be_no_id_is_refused_and_the_next_request_answered(served, shim, identity: str) -> None:
    pipes = shim()
    pipes.send(f'{{"jsonrpc":"2.0","id":{identity},"method":"tools/call","params":{{}}}}'.encode())

    assert pipes.receive()["error"]["code"] in {-32600, -32700}
    assert pipes.ask("ping")["result"] == {}


def test_a_line_without_end_fills_no_memory(served, shim) -> None:
    pipes = shim()
    assert pipes.ask("ping")["result"] == {}
    for _ in range(64):
        pipes.process.stdin.write(b"x" * 1024 * 1024)
    pipes.send(b"")

    assert "16 MiB" in pipes.receive()["error"]["message"]
    assert pipes.ask("ping")["result"] == {}
    if sys.platform == "linux":
        (peak,) = re.findall(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pipes.process.pid}/status").read_text("utf-8"))
        assert int(peak) < 80 * 1024


def test_a_line_without_its_end_is_still_taken_at_the_end_of_input(served, shim) -> None:
    pipes = shim()
    pipes.process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
    pipes.process.stdin.close()

    assert pipes.receive() == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_call_in_flight_is_answered_before_the_shim_ends(served, shim) -> None:
    served.memory.gate.clear()
    pipes = shim()
    pipes.call(1, "kg_read")
    pipes.process.stdin.close()
    served.memory.gate.set()

    assert text(pipes.receive()) == "remembered"
    assert pipes.process.wait(5) == 0


def test_a_request_that_is_too_large_is_a_clear_error(served, shim) -> None:
    pipes = shim()
    pipes.call(1, "kg_put_node", gist="x" * 5_000_000)

    answer = pipes.receive()

    assert answer["result"]["isError"] is True
    assert "4 MiB" in text(answer)


def test_a_restarted_server_is_found_again_and_no_call_is_sent_twice(served_later, shim, memory) -> None:
    first = served_later()
    pipes = shim()
    pipes.call(1, "kg_read")
    assert text(pipes.receive()) == "remembered"
    first.stop()
    served_later()

    pipes.call(2, "kg_read")

    assert text(pipes.receive()) == "remembered"
    assert len(memory.calls) == 2


class Breaking(threading.Thread):
    """A server that is well, and breaks off when it is asked to do something, so often. ``asked`` is what it was."""

    def __init__(self, state: Path, times: int = 100) -> None:
        super().__init__(daemon=True)
        self.asked: list[bytes] = []
        self.times = times
        self.listening = socket.create_server(("127.0.0.1", 0))
        found = {"port": self.listening.getsockname()[1], "token": "t", "pid": os.getpid(), "version": VERSION}
        (state / "server.json").write_text(json.dumps(found), encoding="utf-8")

    def run(self) -> None:
        while True:
            try:
                connection, _ = self.listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(ConnectionError), connection, connection.makefile("rb") as lines:
            while first := lines.readline():
                while lines.readline().strip():
                    pass
                if first.startswith(b"POST "):
                    self.asked.append(first)
                    if len(self.asked) <= self.times:
                        return
                body = json.dumps({"jsonrpc": "2.0", "id": 1, "version": VERSION}, separators=(",", ":")).encode()
                head = f"HTTP/1.1 200 OK\r\nKg-Process: {os.getpid()}\r\nContent-Length: {len(body)}\r\n\r\n"
                connection.sendall(head.encode() + body)


def tell_tools(home: Home) -> None:
    """Writes down the tools as a server does."""
    shown = [{"name": spec.name, "annotations": dict(spec.annotations)} for spec in specs(GENERIC)]
    home.answers.mkdir(parents=True)
    (home.answers / "plain.json").write_text(json.dumps({"tools": {"tools": shown}}), encoding="utf-8")


@pytest.mark.parametrize("tool", ["kg_put_node", "kg_useful", "kg_rename_node", "kg_of_another_version"])
def test_a_call_that_may_have_taken_effect_is_not_made_again(home, shim, tool: str) -> None:
    tell_tools(home)
    server = Breaking(home.state)
    server.start()
    pipes = shim()

    pipes.call(1, tool)
    answer = pipes.receive()
    server.listening.close()

    assert answer["result"]["isError"] is True
    assert "may have taken effect" in text(answer)
    assert server.asked == [b"POST /mcp HTTP/1.1\r\n"]


@pytest.mark.parametrize("tool", ["kg_read", "kg_search", "kg_sync", "kg_rules"])
def test_a_call_that_only_reads_is_made_again_when_its_server_goes_away(home, shim, tool: str) -> None:
    tell_tools(home)
    server = Breaking(home.state, times=1)
    server.start()
    pipes = shim()

    pipes.call(1, tool)
    answer = pipes.receive()
    server.listening.close()

    assert answer == {"jsonrpc": "2.0", "id": 1, "version": VERSION}
    assert len(server.asked) == 2


def test_a_call_that_only_reads_is_made_again_once_and_never_said_to_have_had_an_effect(home, shim) -> None:
    tell_tools(home)
    server = Breaking(home.state)
    server.start()
    pipes = shim()

    pipes.call(1, "kg_read")
    answer = pipes.receive()
    server.listening.close()

    assert answer["result"]["isError"] is True
    assert "did not answer" in text(answer)
    assert "effect" not in text(answer)
    assert len(server.asked) == 2


def test_a_call_without_a_server_that_was_stopped_is_told_so(home, shim) -> None:
    Path(Places(str(home.root)).state).mkdir()
    Path(Places(str(home.root)).stopped).touch()
    pipes = shim()

    pipes.call(1, "kg_read")
    answer = pipes.receive()

    assert answer["result"]["isError"] is True
    assert "kg start" in text(answer)


def test_an_event_without_a_server_is_answered_with_nothing_to_print(home, shim) -> None:
    Path(Places(str(home.root)).state).mkdir()
    Path(Places(str(home.root)).stopped).touch()
    pipes = shim()

    pipes.call(1, "kg_event", event="Prompt")

    assert text(pipes.receive()) == ""


def test_an_event_at_a_server_that_does_not_answer_is_answered_with_nothing_to_print(home, shim) -> None:
    Path(Places(str(home.root)).state).mkdir()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        where = {"port": silent.getsockname()[1], "token": "t", "pid": 1, "version": VERSION}
        home.server_file.write_text(json.dumps(where), encoding="utf-8")
        Path(Places(str(home.root)).starting).touch()  # somebody has just tried to start a server
        pipes = shim()

        begun = time.monotonic()
        pipes.call(1, "kg_event", event="Prompt")

        assert text(pipes.receive()) == ""
        assert time.monotonic() - begun < 5


def test_a_missing_harness_is_told_on_standard_error(home) -> None:
    command = [sys.executable, "-I", "-S", str(RUN), "mcp", "--home", str(home.root)]

    done = subprocess.run(command, input=b"", capture_output=True, timeout=30, check=False)

    assert (done.returncode, done.stdout) == (2, b"")
    assert b"--harness" in done.stderr
