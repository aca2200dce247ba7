from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import os
import socket
import stat
import sys
from typing import TYPE_CHECKING

import pytest

from kg_plugin_api import Argument, Carrier, Code, KgError, Operation
from kg_server import heads
from kg_server.carrier.wire import endpoint
from kg_server.client import Client
from kg_server.errors import ANSWERS
from kg_server.http.replies import large
from kg_server.serve import bound

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST = 4 * 1024 * 1024


class Raw:
    """Requests as a test writes them, byte for byte."""

    def __init__(self, port: int, token: str) -> None:
        self.port, self.token = port, token

    def send(self, head: list[str], body: bytes = b"") -> tuple[int, dict[str, object]]:
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection:
            connection.sendall("\r\n".join([*head, "", ""]).encode() + body)
            received = b""
            while not _complete(received) and (chunk := connection.recv(65536)):
                received += chunk
        status = int(received.split(b" ")[1])
        text = received.partition(b"\r\n\r\n")[2]
        return status, json.loads(text) if text else {}

    def ask(self, first: str, body: bytes | None = None, **changed: str | None) -> tuple[int, dict[str, object]]:
        headers: dict[str, str | None] = {
            "host": f"127.0.0.1:{self.port}",
            "authorization": f"Bearer {self.token}",
            "connection": "close",
        }
        if body is not None:
            headers |= {"content-type": "application/json", "content-length": str(len(body))}
        headers |= {name.replace("_", "-"): value for name, value in changed.items()}
        head = [f"{first} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items() if value is not None)]
        return self.send(head, body or b"")


def _complete(received: bytes) -> bool:
    head, found, body = received.partition(b"\r\n\r\n")
    length = next((line[15:] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), b"0")
    return bool(found) and len(body) >= int(length)


@pytest.fixture
def raw(served) -> Raw:
    return Raw(served.where.port, served.where.token)


def test_health_says_only_ok_without_the_token_and_everything_with_it(raw: Raw) -> None:
    assert raw.ask("GET /health", authorization=None) == (200, {"ok": True})
    assert raw.ask("GET /health", authorization="Bearer wrong") == (200, {"ok": True})

    status, told = raw.ask("GET /health")

    assert status == 200
    assert told["pid"] == os.getpid()
    assert told["executable"] == sys.executable
    assert told["plugins"]["harnesses"] == [{"name": "plain", "title": "Plain", "maturity": "stable"}]
    assert told["graphs"] == 0


def test_fields_after_a_body_are_none_of_its_head(raw: Raw, served) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "kg_read"}}).encode()
    head = [
        *("POST /mcp HTTP/1.1", f"host: 127.0.0.1:{raw.port}", f"authorization: Bearer {raw.token}"),
        *("content-type: application/json", "transfer-encoding: chunked"),
    ]

    assert raw.send(head, b"%x\r\n%b\r\n0\r\nkg-harness: of-a-stranger\r\n\r\n" % (len(body), body))[0] == 200

    assert served.memory.calls[0].harness == ""


def test_connections_that_say_nothing_keep_nobody_out(raw: Raw, served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heads, "MOST_STRANGERS", 5)
    at = ("127.0.0.1", served.where.port)
    known = http.client.HTTPConnection(*at, timeout=10)

    def status_of_known() -> int:
        known.request("GET", "/health", headers={"Authorization": f"Bearer {raw.token}"})
        with known.getresponse() as response:
            response.read()
            return response.status

    with contextlib.ExitStack() as open_ones:
        open_ones.callback(known.close)
        assert status_of_known() == 200
        silent = [open_ones.enter_context(socket.create_connection(at, timeout=10)) for _ in range(8)]
        for connection in silent[:3]:
            assert connection.recv(1) == b""

        assert raw.ask("GET /health")[0] == 200
        held = known.sock
        assert status_of_known() == 200
        assert known.sock is held, "it was not hung up on"


@pytest.mark.parametrize("path", ["POST /mcp", "POST /hooks/plain/Prompt", "POST /ack", "POST /api/v1/stop"])
@pytest.mark.parametrize("token", [None, "", "Bearer", "Bearer wrong", "Basic x", "Bearer ü"])
def test_every_other_route_wants_the_token(raw: Raw, path: str, token: str | None) -> None:
    assert raw.ask(path, b"{}", authorization=token)[0] == 401


@pytest.mark.parametrize(
    "changed",
    [
        {"host": "evil.example:{port}"},
        {"host": "evil.example"},
        {"host": "127.0.0.1"},
        {"host": "127.0.0.1:1"},
        {"host": "localhost.:{port}"},
        {"host": "127.0.0.1.evil.example:{port}"},
        {"host": ""},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "https://127.0.0.1:{port}"},
        {"origin": "http://127.0.0.1:1"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
)
def test_what_a_foreign_page_sends_is_refused_before_it_is_routed(raw: Raw, changed: dict[str, str], served) -> None:
    there = {name: value.format(port=raw.port) for name, value in changed.items()}

    assert raw.ask("GET /health", **there)[0] == 403
    assert raw.ask("GET /nowhere", **there)[0] == 403
    assert raw.ask("POST /hooks/plain/Prompt", b"{}", **there)[0] == 403
    assert served.memory.events == []


def test_two_hosts_in_one_request_are_refused(raw: Raw) -> None:
    host = f"Host: 127.0.0.1:{raw.port}"

    assert raw.send(["GET /health HTTP/1.1", host, host, "Connection: close"])[0] == 403


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "LOCALHOST"])
def test_loopback_names_of_this_port_are_let_in(raw: Raw, host: str) -> None:
    own = f"{host}:{raw.port}"

    assert raw.ask("GET /health", host=own, origin=f"http://{own}", sec_fetch_site="same-origin")[0] == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "text/json", None])
def test_a_body_that_a_page_can_send_without_asking_is_refused(raw: Raw, kind: str | None) -> None:
    assert raw.ask("POST /hooks/plain/Prompt", b"{}", content_type=kind)[0] == 415


def test_json_may_name_its_character_set(raw: Raw) -> None:
    body = b'{"carrier":"mcp_hook"}'

    assert raw.ask("POST /hooks/plain/Prompt", body, content_type="Application/JSON; charset=utf-8")[0] == 200


def test_the_server_listens_on_loopback_only(served) -> None:
    with bound(0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"


def test_a_taken_port_is_replaced_by_a_free_one() -> None:
    with bound(0) as first, bound(first.getsockname()[1]) as second:
        assert second.getsockname()[1] not in {0, first.getsockname()[1]}


def test_a_body_that_announces_too_much_is_refused_unread(raw: Raw) -> None:
    status, told = raw.ask("POST /mcp", b"", content_length=str(LARGEST + 1))

    assert status == 413
    assert told["error"]["code"] == "too_large"


def test_a_body_without_a_length_is_read_to_the_limit_only(raw: Raw) -> None:
    chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    head = [
        "POST /mcp HTTP/1.1",
        f"Host: 127.0.0.1:{raw.port}",
        f"Authorization: Bearer {raw.token}",
        "Content-Type: application/json",
        "Transfer-Encoding: chunked",
    ]

    status, told = raw.send(head, chunk * 5 + b"0\r\n\r\n")

    assert status == 413
    assert told["error"]["code"] == "too_large"


@pytest.mark.parametrize("body", [b"", b"nonsense", b"[]", b"1", b"\xff\xfe", b"[" * 100_000])
def test_a_body_that_is_no_object_is_answered_with_a_sentence(raw: Raw, body: bytes) -> None:
    status, told = raw.ask("POST /ack", body)

    assert status == 400
    assert told["error"]["sentence"]


HALF = "\ud800"
"""Half of a surrogate pair: JSON can say it, UTF-8 cannot."""


@pytest.mark.parametrize("method", ["tools/list", "tools/call", HALF])
def test_what_utf_8_cannot_hold_is_answered_all_the_same(raw: Raw, method: str) -> None:
    message = {"jsonrpc": "2.0", "id": HALF, "method": method, "params": {"name": HALF, "arguments": [HALF]}}

    status, told = raw.ask("POST /mcp", json.dumps(message).encode())

    assert (status, told["id"]) == (200, HALF)


def test_text_that_utf_8_cannot_hold_is_shown(raw: Raw, served) -> None:
    served.memory.reply = f"by hand {HALF}"

    status, told = raw.ask("POST /hooks/plain/Prompt", b'{"carrier": "mcp_hook", "payload": {}}')

    assert (status, told["output"]) == (200, f"by hand {HALF}")


def test_a_reply_of_a_tool_has_no_half_of_a_pair_for_which_a_client_would_refuse_it(raw: Raw, served) -> None:
    served.memory.reply = f"by hand {HALF}, été 🎉"
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "kg_read", "arguments": {}}}

    _, told = raw.ask("POST /mcp", json.dumps(message).encode())

    assert told["result"]["content"][0]["text"] == "by hand \ufffd, été 🎉"


def test_unknown_paths_and_methods_are_answered_in_json(raw: Raw) -> None:
    assert raw.ask("GET /nowhere")[0] == 404
    assert raw.ask("GET /mcp")[0] == 405
    assert raw.ask("DELETE /mcp")[0] == 405
    assert raw.ask("GET /api/v1/stop")[0] == 405
    assert raw.ask("OPTIONS /mcp")[0] == 405
    assert raw.ask("GET /api/v1/plugins/../../health")[0] == 404


def test_an_event_reaches_the_memory_whole_and_its_answer_comes_back(raw: Raw, served) -> None:
    served.memory.delivery = "d1"
    sent = {"carrier": "mcp_hook", "part": 2, "payload": {"prompt": "été 🎉"}, "meta": {"threadId": "t"}}
    body = json.dumps(sent).encode()

    status, told = raw.ask("POST /hooks/plain/Prompt", body)

    assert (status, told) == (200, {"output": "remembered", "delivery": "d1"})
    ((harness, event),) = served.memory.events
    assert (harness, event.native, event.carrier) == ("plain", "Prompt", Carrier.MCP_HOOK)
    assert event.payload == {"prompt": "été 🎉"}
    assert event.meta == {"threadId": "t"}
    assert event.part == 2


@pytest.mark.parametrize(
    "body",
    [
        *({}, {"carrier": "pigeon"}, {"carrier": "mcp_hook", "payload": 1}, {"carrier": None}),
        *({"carrier": "mcp_hook", "part": part} for part in (0, -1, 101, "2", True, None, 1.5)),
    ],
)
def test_an_event_that_is_none_is_refused(raw: Raw, body: dict[str, object]) -> None:
    assert raw.ask("POST /hooks/plain/Prompt", json.dumps(body).encode())[0] == 400


def test_an_acknowledgement_settles_a_delivery(raw: Raw, served) -> None:
    served.memory.delivery = "d1"

    assert raw.ask("POST /ack", b'{"delivery":"d1","arrived":true}') == (200, {"ok": True})
    assert raw.ask("POST /ack", b'{"delivery":"d2","arrived":false}') == (200, {"ok": False})
    assert raw.ask("POST /ack", b'{"delivery":"d1"}')[0] == 400
    assert served.memory.acknowledged == [("d1", True), ("d2", False)]


CALL = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"kg_read","arguments":{}}}'


def test_what_was_sent_to_a_client_without_a_carrier_has_arrived(raw: Raw, served, until) -> None:
    served.memory.delivery = "d1"

    status, _ = raw.ask("POST /mcp", CALL)

    assert status == 200
    until(lambda: served.memory.acknowledged == [("d1", True)])


def test_what_a_client_did_not_wait_for_has_not_arrived(raw: Raw, served, until) -> None:
    served.memory.delivery = "d1"
    served.memory.gate.clear()
    head = ["POST /mcp HTTP/1.1", f"host: 127.0.0.1:{raw.port}", f"authorization: Bearer {raw.token}"]
    head += ["content-type: application/json", f"content-length: {len(CALL)}"]
    with socket.create_connection(("127.0.0.1", raw.port), timeout=10) as connection:
        connection.sendall("\r\n".join([*head, "", ""]).encode() + CALL)
        until(lambda: bool(served.memory.calls))
    assert raw.ask("GET /health")[0] == 200  # the server has noticed by now
    served.memory.gate.set()

    until(lambda: served.memory.acknowledged == [("d1", False)])


@pytest.mark.parametrize("code", list(Code))
def test_every_kind_of_failure_has_its_status(raw: Raw, served, code: Code) -> None:
    served.memory.failure = KgError(code, "Because.", {"path": "/x"})

    status, told = raw.ask("POST /hooks/plain/Prompt", b'{"carrier":"mcp_hook"}')

    assert status == ANSWERS[code].status
    assert told == {"error": {"code": str(code), "sentence": "Because.", "data": {"path": "/x"}}}


def test_what_a_failure_says_is_neither_answered_nor_logged(raw: Raw, served, caplog: pytest.LogCaptureFixture) -> None:
    served.memory.failure = RuntimeError("the user's secret")

    status, told = raw.ask("POST /hooks/plain/Prompt", b'{"carrier":"mcp_hook"}')

    assert status == 500
    assert "RuntimeError" in told["error"]["sentence"]
    assert "secret" not in json.dumps(told)
    assert "RuntimeError" in caplog.text
    assert "secret" not in caplog.text


def test_the_command_line_reads_through_the_api(served) -> None:
    client = Client(served.home)
    try:
        assert client.get("/api/v1/show", {"cwd": "/w", "id": ["a", "b"]}) == {"text": "/w a b"}
        assert client.get("/api/v1/search", {"cwd": "/w", "query": "été"}) == {"text": "found été"}
        assert client.get("/api/v1/preview", {"harness": "plain", "cwd": "/w"})["unit"] == "utf16"
    finally:
        client.close()


async def fails(_: object) -> dict[str, object]:
    raise ValueError("a person's secret")


async def leaves(_: object) -> dict[str, object]:
    raise SystemExit(3)


async def says_no_json(_: object) -> dict[str, object]:
    return {"at": object()}


async def says_nothing(_: object) -> None:
    return None


WRONG = {"fail": fails, "leave": leaves, "say": says_no_json, "hush": says_nothing}
"""Operations that no plug-in should have."""


@pytest.fixture
def plugins(plugins) -> Iterator[object]:
    async def run(arguments):
        if arguments.get("fail"):
            raise KgError(Code.UNAVAILABLE, "Not now.")
        return {"got": dict(arguments)}

    argument = Argument(name="word", help="A word.")
    operations = [
        Operation(name="look", help="Looks.", arguments=(argument,), run=run, changes=False),
        Operation(name="do", help="Does.", arguments=(argument,), run=run),
        *(Operation(name=name, help="Fails.", arguments=(), run=wrong) for name, wrong in WRONG.items()),
    ]
    return type(plugins).of(harnesses=plugins.harnesses, operations={"extra": operations})


def test_operations_of_plug_ins_are_served_and_a_get_changes_nothing(served) -> None:
    client = Client(served.home)
    try:
        assert client.get("/api/v1/plugins/extra/look", {"word": "w"}) == {"got": {"word": "w"}}
        assert client.post("/api/v1/plugins/extra/do", {"word": "w"}) == {"got": {"word": "w"}}
        with pytest.raises(KgError, match="POST it"):
            client.get("/api/v1/plugins/extra/do")
        with pytest.raises(KgError, match=r"no operation .*`kg restart`"):
            client.post("/api/v1/plugins/extra/other", {})
        with pytest.raises(KgError, match="Not now"):
            client.post("/api/v1/plugins/extra/do", {"fail": True})
    finally:
        client.close()


@pytest.mark.parametrize("name", WRONG)
def test_an_operation_that_fails_is_a_problem_of_its_plug_in_and_named_to_whoever_asked(served, name: str) -> None:
    with Client(served.home) as client:
        with pytest.raises(KgError, match=rf"The plug-in extra failed at {name} \(\w+\). `kg plugins` says where."):
            client.post(f"/api/v1/plugins/extra/{name}", {})
        (problem,) = client.get("/api/v1/plugins", within=2.0)["problems"]

    assert problem["name"] == "extra"
    assert problem["reason"].startswith(f"Its operation {name} failed: ")
    assert "a person's secret" not in problem["reason"]


def test_the_server_file_is_private_and_goes_with_the_server(served) -> None:
    path = served.home.server_file

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert set(json.loads(path.read_text(encoding="utf-8"))) == {"port", "token", "pid", "version", "home"}

    served.stop()

    assert not path.exists()
    assert served.memory.closed == 1


def test_the_server_file_of_a_successor_is_left_alone(served) -> None:
    successor = {"port": 1, "token": "other", "pid": 1, "version": "9"}
    where = served.where
    client = Client(served.home)
    client.health()
    served.home.server_file.write_text(json.dumps(successor), encoding="utf-8")

    client.post("/api/v1/stop", {})
    served._thread.join(10)

    found = endpoint(str(served.home.server_file))
    assert found is not None
    assert found.token == "other"
    assert where.token != "other"
    client.close()


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"nodes": [], "note": ""},
        {
            "text": "主\ud800" * 60_000,
            "nodes": [{"id": number, "gist": "\ud800"} for number in range(120)],
            "missing": ["x"],
        },
    ],
    ids=["nothing", "an empty list", "a long list"],
)
def test_a_large_reply_is_the_same_json_in_pieces(content: dict[str, object]) -> None:
    sent: list[dict[str, object]] = []

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    async def reply() -> None:
        given = {name: iter(value) if name == "nodes" else value for name, value in content.items()}
        await (await large(given))({}, None, send)

    asyncio.run(reply())

    body = b"".join(message["body"] for message in sent[1:])
    assert json.loads(body) == content
    assert (b"content-length", str(len(body)).encode()) in sent[0]["headers"]
    assert [message.get("more_body", False) for message in sent[1:]] == [True] * (len(sent) - 2) + [False]
