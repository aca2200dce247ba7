"""A service that embeds or reranks, and answers what it should not."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from kg_search_pg import service
from kg_search_pg.embedding import EmbedderFailed
from kg_search_pg.embedding.endpoint import EndpointEmbedder
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


@contextlib.contextmanager
def dripping(first: bytes) -> Iterator[str]:
    """The address of a service that answers so, and then one more blank every 20 ms until nobody listens."""
    ended = threading.Event()

    def answer(listening: socket.socket) -> None:
        with listening.accept()[0] as line, contextlib.suppress(OSError):
            line.recv(65_536)
            line.sendall(first)
            while not ended.wait(0.02):
                line.sendall(b" ")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=answer, args=(listening,))
        thread.start()
        timer = threading.Timer(2.0, ended.set)  # so that a failure of this test is one, and does not hang
        timer.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            ended.set()
            timer.cancel()
            thread.join()


@pytest.mark.parametrize(
    "first",
    [
        b"HTTP/1.1 200",
        b"HTTP/1.1 200 OK\r\nX-Slow: ",
        b"HTTP/1.1 200 OK\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n9000\r\n",
    ],
    ids=["status", "headers", "body", "body of a length", "body in chunks"],
)
def test_one_whose_answer_drips_is_waited_for_no_longer_than_one_that_is_silent(first: bytes) -> None:
    with dripping(first) as address:
        began = time.monotonic()
        with pytest.raises(ServiceFailed, match=r"the endpoint at http://\S+ does not answer \(.*within 0\.2 s"):
            Service("the endpoint", address).post({}, 0.2)

        assert time.monotonic() - began < 1.5


def test_closing_ends_what_is_asked_and_asks_no_more() -> None:
    with dripping(b"") as address, ThreadPoolExecutor(1) as asking:
        endpoint = Service("the endpoint", address)
        answer = asking.submit(endpoint.post, {}, 60.0)
        time.sleep(0.05)
        endpoint.close()

        with pytest.raises(ServiceFailed, match="the endpoint is not asked any more"):
            answer.result(1.0)
        with pytest.raises(ServiceFailed, match="the endpoint is not asked any more"):
            endpoint.post({}, 60.0)


def test_whoever_asks_is_done_once_it_is_closed() -> None:
    async def main() -> None:
        with dripping(b"") as address:
            embedder = EndpointEmbedder(address, "a model")
            passages, question = (
                asyncio.ensure_future(each) for each in (embedder.passages(["a"]), embedder.query("b"))
            )
            await asyncio.sleep(0.05)
            await embedder.close()
            await asyncio.wait((passages, question), timeout=1.0)
            assert all(each.done() and isinstance(each.exception(), EmbedderFailed) for each in (passages, question))

    asyncio.run(main())


def test_an_answer_that_is_larger_than_any_vectors_is_told_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "_LARGEST", 1 << 20)

    with (
        answering(200, b'{"data": 1}' + b" " * (1 << 20)) as (address, _),
        pytest.raises(ServiceFailed, match="the endpoint answered with more than 1 MiB"),
    ):
        Service("the endpoint", address).post({}, 5.0)


def test_of_what_a_failure_says_of_itself_the_beginning_is_told_in_one_line() -> None:
    said = b"HTTP/1.1 500 \x1b[31m" + b"so sorry " * 5_000 + b"\r\n\r\n"

    with dripping(said) as address, pytest.raises(ServiceFailed, match="the endpoint answered 500") as failed:
        Service("the endpoint", address).post({}, 5.0)

    assert len(failed.value.sentence) < 200
    assert failed.value.sentence.isprintable()
