"""An endpoint of the OpenAI form: Ollama, TEI, vLLM, llama.cpp and others."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, Final

from kg_search_pg.embedding.protocol import EmbedderFailed, checked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_search_pg.embedding.protocol import Vector

_QUERY_SECONDS: Final = 5.0
_PASSAGES_SECONDS: Final = 60.0
_LANES: Final = 2
"""Questions that are waited for at a time."""
_LARGEST: Final = 64 * 1024 * 1024
_LONGEST: Final = 6_000
"""Characters of a text that are sent."""
_BAD_TEXT: Final = frozenset({400, 413, 422})
_HTTP: Final = ("http://", "https://")


class EndpointEmbedder:
    """Asks over HTTP, in threads. A question that finds all of them waiting fails at once."""

    def __init__(
        self, url: str, model: str, *, key: str = "", query_prefix: str = "", passage_prefix: str = ""
    ) -> None:
        if not url.startswith(_HTTP):
            raise EmbedderFailed(f"the embedder's url {url!r} does not begin with http:// or https://")
        self._url = url.rstrip("/") + "/embeddings"
        self._model = model
        self._headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
        self._prefixes = {True: query_prefix, False: passage_prefix}
        self._asking = ThreadPoolExecutor(_LANES, thread_name_prefix="kg-query")
        self._storing = ThreadPoolExecutor(1, thread_name_prefix="kg-passages")
        self._asked = 0

    @property
    def model(self) -> str:
        """The endpoint's model; a prefix is part of what a vector means."""
        return f"{self._model} {self._prefixes[False]}".strip()

    async def query(self, text: str) -> Vector:
        """The vector of a question."""
        if self._asked >= _LANES:
            raise EmbedderFailed("the embedder has not answered earlier questions yet")
        self._asked += 1
        future = self._asking.submit(self._post, [self._prefixes[True] + text], _QUERY_SECONDS)
        future.add_done_callback(lambda _: self._answered())
        (vector,) = await asyncio.wrap_future(future)
        return vector

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of stored texts."""
        given = [self._prefixes[False] + text for text in texts]
        return await asyncio.get_running_loop().run_in_executor(self._storing, self._post, given, _PASSAGES_SECONDS)

    async def close(self) -> None:
        """Ends the threads once they are done."""
        self._asking.shutdown(wait=False, cancel_futures=True)
        self._storing.shutdown(wait=False, cancel_futures=True)

    def _answered(self) -> None:
        self._asked -= 1

    def _post(self, texts: Sequence[str], seconds: float) -> list[Vector]:
        body = json.dumps({"model": self._model, "input": [text[:_LONGEST] for text in texts]}).encode("ascii")
        request = urllib.request.Request(self._url, body, self._headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=seconds) as response:
                answer = json.loads(response.read(_LARGEST))
            return checked(_vectors(answer), len(texts))
        except urllib.error.HTTPError as error:
            with error:
                raise EmbedderFailed(
                    f"the embedder answered {error.code} {error.reason}", is_text=error.code in _BAD_TEXT
                ) from error
        except (OSError, HTTPException) as error:
            raise EmbedderFailed(f"the embedder at {self._url} does not answer ({error})") from error
        except (ValueError, KeyError, TypeError, LookupError) as error:
            raise EmbedderFailed("the embedder answered with something that holds no vectors") from error


def _vectors(answer: Any) -> list[list[float]]:
    """The vectors of an answer, in the order of the texts."""
    return [entry["embedding"] for entry in sorted(answer["data"], key=lambda entry: entry.get("index", 0))]
