"""A service that embeds or reranks, and answers what it should not."""

from __future__ import annotations

import contextlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from kg_search_pg.service import Service, ServiceFailed

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def answering(status: int, body: bytes, **headers: str) -> Iterator[tuple[str, list[str]]]:
    """The address of a service that answers a question so, and the paths that it was asked for otherwise."""
    strays: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            strays.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", strays
        server.shutdown()


@pytest.mark.parametrize("answer", [b"", b"<html>", b"\xff\xfe", b"[" * 100_000, b"9" * 5_000], ids=len)
def test_an_answer_that_is_no_json_is_told_as_one(answer: bytes) -> None:
    with (
        answering(200, answer) as (address, _),
        pytest.raises(ServiceFailed, match="the endpoint answered with something that is no JSON"),
    ):
        Service("the endpoint", address).post({}, 5.0)


def test_one_that_sends_elsewhere_is_not_followed_and_its_key_stays_with_it() -> None:
    with (
        answering(200, b"{}") as (elsewhere, strays),
        answering(302, b"", Location=f"{elsewhere}/there") as (address, _),
    ):
        with pytest.raises(ServiceFailed, match="the endpoint answered 302") as failed:
            Service("the endpoint", address, "key").post({}, 5.0)

        assert (strays, failed.value.status) == ([], 302)
