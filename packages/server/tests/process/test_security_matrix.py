"""Who is let in, over every combination that a page, a program or a rebound name could send to the real server.

What must happen is stated here once more, from the rules and not from the code: foreign names, origins and sites are
refused first, then a missing token, then a body that a page could send without asking. Whatever should not get
through must also change nothing, which the memory's own sequence number tells.
"""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.slow

ROUTES = [
    "/health",
    "/mcp",
    "/hooks/claude/UserPromptSubmit",
    "/ack",
    "/api/v1/show?id=x",
    "/api/v1/search?query=x",
    "/api/v1/preview?harness=claude&cwd=/",
    "/api/v1/plugins",
    "/api/v1/plugins/search/status",
    "/api/v1/stop",
    "/nowhere",
    "/",
]
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE"]
WITH_BODY = {"POST", "PUT", "PATCH"}


@dataclass(frozen=True)
class Head:
    """The head of a request, as far as it decides. ``{port}`` and ``{token}`` stand for the server's own."""

    host: str | None = "127.0.0.1:{port}"
    origin: str | None = None
    site: str | None = None
    kind: str | None = "application/json"
    token: str | None = "Bearer {token}"


GOOD = {
    "host": ["127.0.0.1:{port}", "localhost:{port}", "[::1]:{port}"],
    "origin": [None, "http://127.0.0.1:{port}", "http://localhost:{port}"],
    "site": [None, "same-origin", "none"],
    "kind": ["application/json", "application/json; charset=utf-8"],
    "token": ["Bearer {token}"],
}
BAD = {
    "host": [
        None,
        "",
        "evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1.evil.example:{port}",
        "0.0.0.0:{port}",
    ],
    "origin": ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1", "file://", ""],
    "site": ["cross-site", "same-site", ""],
    "kind": ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", None],
    "token": [None, "", "Bearer", "Bearer wrong", "Basic {token}", "bearer {token}", "Bearer {token}x", "{token}"],
}


def heads() -> Iterator[Head]:
    """Every good value once, every bad value alone, and every pair of kinds of badness together."""
    yield Head()
    for field, values in [*GOOD.items(), *BAD.items()]:
        for value in values:
            yield replace(Head(), **{field: value})
    for one, other in combinations(BAD, 2):
        yield replace(Head(), **{one: BAD[one][-1], other: BAD[other][-1]})
    yield Head(**{field: values[-1] for field, values in BAD.items()})


def refused(head: Head, method: str, route: str) -> int | None:
    """The status of a request that must not get through; None for one that may."""
    if any(getattr(head, field) in BAD[field] for field in ("host", "origin", "site")):
        return 403
    if head.token in BAD["token"] and route != "/health":
        return 401
    if method == "TRACE" or (method in WITH_BODY and head.kind in BAD["kind"]):
        return 415
    return None


@pytest.fixture(scope="module")
def server(start: Callable[..., Any]) -> Any:
    return start()


def send(server: Any, head: Head, method: str, route: str, body: bytes | None) -> Any:
    own = {"port": server.where.port, "token": server.where.token}
    sent = {
        "Host": head.host,
        "Origin": head.origin,
        "Sec-Fetch-Site": head.site,
        "Content-Type": head.kind if method in WITH_BODY else None,
        "Authorization": head.token,
    }
    filled = {name: None if value is None else value.format(**own) for name, value in sent.items()}
    return server.ask(method, route, body if method in WITH_BODY else None, filled)


def writing(number: int) -> bytes:
    arguments = {"level": "user", "id": f"matrix-node-{number}", "gist": "Written by a request that got through."}
    params = {"name": "kg_put_node", "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode()


def test_no_request_gets_through_that_should_not_and_what_is_refused_changes_nothing(server: Any) -> None:
    before = server.health()["sequence"]
    sent = written = 0
    for route in ROUTES:
        for method in METHODS:
            for head in heads():
                wanted = refused(head, method, route)
                if (route, method, wanted) == ("/api/v1/stop", "POST", None):
                    continue  # it would do what it says
                sent += 1
                answer = send(server, head, method, route, writing(sent))
                told = f"{method} {route} {head}: {answer.status} {answer.text[:200]}"
                if wanted is not None:
                    assert answer.status == wanted, told
                    continue
                assert answer.status not in {401, 403, 413, 415}, told
                written += (method, route, answer.status) == ("POST", "/mcp", 200)
                if route == "/health" and method == "GET" and head.token in BAD["token"]:
                    assert answer.json == {"ok": True}, told

    told = server.health()
    assert sent >= 3_000
    assert written >= 5
    assert told["sequence"] - before == written, "what did not get through wrote something, or what did wrote nothing"


def test_a_page_in_a_browser_cannot_make_a_read_happen_or_see_one(server: Any) -> None:
    """A page of another origin sends its requests without asking first, and any page may guess the port."""
    for route in ROUTES:
        page = {"Authorization": None, "Origin": "https://page.example", "Sec-Fetch-Site": "cross-site"}
        answer = server.ask("GET", route, headers=page)
        assert answer.status == 403
        assert "memory" not in answer.text
        assert "access-control" not in answer.text.lower()


def test_no_header_opens_the_server_to_other_origins(server: Any) -> None:
    with socket.create_connection(("127.0.0.1", server.where.port), timeout=10) as connection:
        asked = [
            "OPTIONS /mcp HTTP/1.1",
            f"Host: 127.0.0.1:{server.where.port}",
            f"Authorization: Bearer {server.where.token}",
            "Access-Control-Request-Method: POST",
            "Connection: close",
        ]
        connection.sendall("\r\n".join([*asked, "", ""]).encode())
        received = b"".join(iter(lambda: connection.recv(65536), b""))

    assert received.startswith(b"HTTP/1.1 405")
    assert b"access-control-allow" not in received.lower()


def test_the_token_counts_only_in_its_header(server: Any) -> None:
    token = server.where.token
    for target, headers in [
        (f"/api/v1/plugins?token={token}", {}),
        (f"/api/v1/plugins?access_token={token}", {}),
        ("/api/v1/plugins", {"Cookie": f"token={token}"}),
        ("/api/v1/plugins", {"X-Token": token}),
        ("/api/v1/plugins", {"Proxy-Authorization": f"Bearer {token}"}),
    ]:
        assert server.ask("GET", target, headers={"Authorization": None, **headers}).status == 401


def test_another_spelling_of_a_path_is_not_another_way_in(server: Any) -> None:
    for target in [
        "/health/",
        "//health",
        "/health/../api/v1/plugins",
        "/%68ealth/../api/v1/plugins",
        "/api/v1/plugins/",
        "/API/v1/plugins",
        "/api/v1/plugins%2f",
        "http://evil.example/api/v1/plugins",
        "/api/v1/plugins#/health",
        "/api/v1/plugins;/health",
    ]:
        answer = server.ask("GET", target, headers={"Authorization": None})
        assert answer.status == 401, f"{target}: {answer}"


def test_forwarding_headers_change_nothing_about_who_asks(server: Any) -> None:
    forged = {
        "Authorization": None,
        "X-Forwarded-For": "127.0.0.1",
        "X-Forwarded-Host": f"127.0.0.1:{server.where.port}",
        "X-Original-URL": "/health",
        "X-Rewrite-URL": "/health",
        "X-HTTP-Method-Override": "GET",
    }

    assert server.ask("GET", "/api/v1/plugins", headers=forged).status == 401
    assert server.ask("GET", "/health", headers={**forged, "Host": "evil.example"}).status == 403


def test_an_upgrade_to_a_web_socket_is_no_way_around_the_guard(server: Any) -> None:
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
    }

    assert server.ask("GET", "/mcp", headers={**upgrade, "Authorization": None}).status == 401
    assert server.ask("GET", "/mcp", headers={**upgrade, "Origin": "http://evil.example"}).status == 403
    assert server.ask("GET", "/mcp", headers=upgrade).status == 405


def test_the_matrix_leaves_the_server_as_it_was_and_the_right_request_ends_it(server: Any) -> None:
    assert server.process.poll() is None

    assert server.ask("POST", "/api/v1/stop", b"{}").status == 200
    assert server.process.wait(20) == 0
