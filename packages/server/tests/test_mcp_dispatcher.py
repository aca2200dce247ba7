from __future__ import annotations

import asyncio
import json

import mcp_types
import pytest
from mcp_types import methods

from kg_plugin_api import Code, KgError
from kg_server.carrier import protocol
from kg_server.mcp.dispatcher import Dispatcher, Outgoing

MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


@pytest.fixture
def ask(memory, plugins):
    """Posts one message: a body, or a method with its params."""
    dispatcher = Dispatcher(memory, plugins)

    def post(body: object = None, headers: dict[str, str] | None = None, **message: object) -> Outgoing:
        if body is None:
            body = {"jsonrpc": "2.0", "id": 1, **message}
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return asyncio.run(dispatcher.handle(raw, headers or {}))

    return post


def modern(method: str, **params: object) -> tuple[dict[str, object], dict[str, str]]:
    """A request of the newest revision, as it comes over HTTP."""
    meta = {**MODERN, **params.pop("_meta", {})}
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": method}
    if "name" in params:
        headers["mcp-name"] = str(params["name"])
    return message, headers


@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", "2025-03-26"])
def test_initialize_is_answered_in_the_revision_asked_for(ask, version: str) -> None:
    info = {"name": "plain-client", "version": "1"}

    outgoing = ask(method="initialize", params={"protocolVersion": version, "capabilities": {}, "clientInfo": info})

    result = outgoing.body["result"]
    assert outgoing.status == 200
    assert result["protocolVersion"] == version
    assert result["instructions"] == "Instructions for plain."
    mcp_types.InitializeResult.model_validate(result)


@pytest.mark.parametrize("version", ["2024-11-05", "2099-01-01", 5, None])
def test_initialize_in_another_revision_is_offered_the_newest_with_a_handshake(ask, version: object) -> None:
    assert (
        ask(method="initialize", params={"protocolVersion": version}).body["result"]["protocolVersion"] == "2025-11-25"
    )


def test_initialize_is_never_required(ask, memory) -> None:
    outgoing = ask(method="tools/call", params={"name": "kg_read", "arguments": {"id": "a"}})

    assert outgoing.body["result"] == {"content": [{"type": "text", "text": "remembered"}], "isError": False}
    assert memory.calls[0].arguments == {"id": "a"}


@pytest.mark.parametrize("session", ["old", "ü", ""])
def test_an_old_session_id_means_nothing(ask, session: str) -> None:
    headers = {"mcp-session-id": session, "mcp-protocol-version": "2025-06-18"}

    assert ask(method="tools/list", headers=headers).status == 200


def test_ping_is_answered_in_the_old_revisions_and_gone_in_the_newest(ask) -> None:
    assert ask(method="ping").body["result"] == {}
    message, headers = modern("ping")
    assert ask(message, headers).status == 404


def test_notifications_are_accepted_and_dropped(ask) -> None:
    for method in ("notifications/initialized", "notifications/cancelled", "notifications/whatever"):
        outgoing = ask({"jsonrpc": "2.0", "method": method})
        assert (outgoing.status, outgoing.body) == (202, None)


def test_discover_names_what_we_speak(ask) -> None:
    message, headers = modern("server/discover")

    outgoing = ask(message, headers)

    found = methods.SERVER_RESULTS["server/discover", "2026-07-28"].model_validate(outgoing.body["result"])
    assert found.supported_versions[0] == "2026-07-28"
    assert found.capabilities.tools is not None
    assert outgoing.body["result"]["instructions"] == "Instructions for anybody."


@pytest.mark.parametrize("method", ["tools/list", "server/discover", "tools/call"])
def test_results_of_the_newest_revision_fit_its_types(ask, method: str) -> None:
    message, headers = modern(method, **({"name": "kg_read", "arguments": {}} if method == "tools/call" else {}))

    result = ask(message, headers).body["result"]

    methods.validate_server_result(method, "2026-07-28", result)
    assert result["resultType"] == "complete"


@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", "2025-03-26"])
@pytest.mark.parametrize("method", ["tools/list", "tools/call", "ping"])
def test_results_of_the_old_revisions_fit_their_types_and_hold_nothing_newer(ask, method: str, version: str) -> None:
    result = ask(method=method, params={"name": "kg_read"}, headers={"mcp-protocol-version": version}).body["result"]

    methods.validate_server_result(method, version, result)
    assert "resultType" not in result
    assert "ttlMs" not in result


def test_schemas_are_flat_and_the_hidden_tool_is_not_listed(ask) -> None:
    listed = ask(method="tools/list", headers={"kg-harness": "plain"}).body["result"]["tools"]

    assert [tool["name"] for tool in listed] == ["kg_read"]
    assert listed[0]["_meta"] == {"shown/to": "plain"}
    assert not {"anyOf", "oneOf", "allOf", "$ref"} & set(json.dumps(listed).replace('"', " ").split())


def test_the_harness_is_known_by_its_header_or_its_client(ask, memory) -> None:
    ask(method="tools/call", params={"name": "kg_read"}, headers={"kg-harness": "plain", "kg-shim": "s1"})
    message, headers = modern("tools/call", name="kg_read", _meta={protocol.CLIENT_KEY: {"name": "Plain-Client"}})
    ask(message, headers)
    ask(method="tools/call", params={"name": "kg_read", "_meta": {"threadId": "t"}})

    assert [call.harness for call in memory.calls] == ["plain", "plain", ""]
    assert memory.calls[0].session_hint == "s1"
    assert memory.calls[2].meta == {"threadId": "t"}


def test_what_is_wrong_with_a_call_is_an_error_text_and_no_protocol_error(ask, memory) -> None:
    for params in ({}, {"name": 5}, {"name": "kg_read", "arguments": [1]}, {"name": "fails"}):
        result = ask(method="tools/call", params=params).body["result"]
        assert result["isError"] is True
        assert result["content"][0]["text"]
    memory.failure = KgError(Code.CONFLICT, "Somebody changed it; read it again.")
    result = ask(method="tools/call", params={"name": "kg_read"}).body["result"]
    assert result == {
        "content": [{"type": "text", "text": "Somebody changed it; read it again."}],
        "isError": True,
    }


def test_null_arguments_are_no_arguments(ask, memory) -> None:
    ask(method="tools/call", params={"name": "kg_read", "arguments": None, "_meta": None})

    assert memory.calls[0].arguments == {}


def test_an_unknown_method_is_an_error_at_once(ask) -> None:
    for method in ("resources/list", "logging/setLevel", "", "tools/List"):
        outgoing = ask(method=method)
        assert outgoing.status == 200
        assert outgoing.body["error"]["code"] == -32601
    message, headers = modern("prompts/list")
    assert ask(message, headers).status == 404


def test_a_batch_is_refused_clearly(ask, memory) -> None:
    outgoing = ask([{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "kg_read"}}])

    assert outgoing.status == 400
    assert outgoing.body["id"] is None
    assert "one JSON-RPC message at a time" in outgoing.body["error"]["message"]
    assert memory.calls == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"{", -32700),
        (b"\xff", -32700),
        (b"[" * 100_000, -32700),
        (b"1", -32600),
        (b"{}", -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"result":{}}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32602),
    ],
)
def test_what_is_no_message_is_answered_with_what_is_wrong(ask, body: bytes, code: int) -> None:
    assert ask(body).body["error"]["code"] == code


@pytest.mark.parametrize(
    ("meta", "headers", "code"),
    [
        ({protocol.VERSION_KEY: "2026-07-28"}, {}, -32602),
        ({protocol.VERSION_KEY: "2026-07-28", protocol.CAPABILITIES_KEY: {}}, {"mcp-protocol-version": "x"}, -32020),
        (MODERN, {"mcp-method": "tools/list"}, -32020),
        (MODERN, {"mcp-name": "kg_search"}, -32020),
        ({**MODERN, protocol.VERSION_KEY: "2027-01-01"}, {"mcp-protocol-version": "2027-01-01"}, -32022),
    ],
)
def test_an_envelope_of_the_newest_revision_must_be_right(ask, memory, meta, headers, code: int) -> None:
    message, right = modern("tools/call", name="kg_read")
    message["params"]["_meta"] = meta

    outgoing = ask(message, {**right, **headers})

    assert (outgoing.status, outgoing.body["error"]["code"]) == (400, code)
    assert memory.calls == []


def test_a_revision_in_the_header_alone_that_nobody_knows_is_named_with_those_we_speak(ask) -> None:
    outgoing = ask(method="tools/list", headers={"mcp-protocol-version": "1999-01-01"})

    assert outgoing.status == 400
    assert outgoing.body["error"]["data"]["supported"][0] == "2026-07-28"


def test_a_name_made_fit_for_a_header_is_understood(ask, memory) -> None:
    message, headers = modern("tools/call", name="été")
    headers["mcp-name"] = "=?base64?w6l0w6k=?="

    assert ask(message, headers).status == 200
    assert memory.calls[0].name == "été"


def test_over_the_shim_the_newest_revision_needs_no_headers(ask) -> None:
    message, _ = modern("tools/call", name="kg_read")

    result = ask(message, {"kg-carrier": "shim"}).body["result"]

    assert result["resultType"] == "complete"
