"""Services that stand in for a model: they answer on loopback, and do what a test tells them to."""

from __future__ import annotations

import contextlib
import json
import re
import threading
import zlib
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SYNONYMS = ({"car", "automobile", "vehicle"}, {"ship", "boat", "vessel"})


class StandIn:
    """An endpoint of the OpenAI form that knows synonyms, and does what it is told to."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.texts: list[str] = []
        self.keys: list[str | None] = []
        self.dimensions = 16
        self.status = 200
        self.refused = ""
        self.answer: Callable[[list[list[float]]], object] = lambda vectors: {
            "data": [{"index": index, "embedding": vector} for index, vector in enumerate(vectors)][::-1]
        }
        self.open = threading.Event()
        self.open.set()

    def vector(self, text: str) -> list[float]:
        vector = [0.01] * self.dimensions
        for word in re.findall(r"\w+", text.casefold()):
            place = next((place for place, group in enumerate(SYNONYMS) if word in group), None)
            vector[zlib.crc32(word.encode()) % (self.dimensions - 2) + 2 if place is None else place] += 1.0
        return vector

    def reply(self, texts: list[str], key: str | None) -> tuple[int, object]:
        self.texts += texts
        self.keys.append(key)
        self.open.wait(30)
        if self.status != 200:
            return self.status, {"error": "told to"}
        if self.refused and any(self.refused in text for text in texts):
            return 400, {"error": "this text is refused"}
        return 200, self.answer([self.vector(text) for text in texts])


class StandInReranker:
    """A reranker of both forms that likes what shares words with the question, and does what it is told to."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.status = 200
        self.likes = ""
        self.answer: Callable[[object], object] = lambda sound: sound
        self.open = threading.Event()
        self.open.set()

    def reply(self, asked: dict[str, Any], key: str | None) -> tuple[int, object]:
        self.asked.append(asked)
        self.keys.append(key)
        self.open.wait(30)
        texts = asked["texts"] if "texts" in asked else asked["documents"]
        scores = [float(self.likes in text) for text in texts]
        name = "score" if "texts" in asked else "relevance_score"
        entries = [{"index": index, name: score} for index, score in enumerate(scores)][::-1]
        return self.status, self.answer(entries if "texts" in asked else {"results": entries})


@contextmanager
def served(path: str, reply: Callable[[dict[str, Any], str | None], tuple[int, object]]) -> Iterator[str]:
    """The address of a service on loopback that answers one path; it ends with the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, answer = reply(asked, self.headers["Authorization"])
            body = json.dumps(answer).encode()
            with contextlib.suppress(ConnectionError):  # whoever asked may be gone
                self.send_response(status if self.path == path else 404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def embedding() -> Iterator[StandIn]:
    """What embeds, until the block ends."""
    stand_in = StandIn("")
    with served("/v1/embeddings", lambda asked, key: stand_in.reply(asked["input"], key)) as address:
        stand_in.url = f"{address}/v1"
        try:
            yield stand_in
        finally:
            stand_in.open.set()


@contextmanager
def reranking() -> Iterator[StandInReranker]:
    """What reranks, until the block ends."""
    stand_in = StandInReranker("")
    with served("/v1/rerank", stand_in.reply) as address:
        stand_in.url = f"{address}/v1"
        try:
            yield stand_in
        finally:
            stand_in.open.set()
