"""A service over HTTP that is asked and answers in JSON, and the threads in which it is waited for."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Answer = TypeVar("Answer")

_LARGEST: Final = 64 * 1024 * 1024
_HTTP: Final = ("http://", "https://")
_LANES: Final = 2


class ServiceFailed(Exception):
    """No answer that can be read. The sentence says why; ``status`` is that of an answer over HTTP, else 0."""

    def __init__(self, sentence: str, *, status: int = 0) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.status = status


class _Staying(urllib.request.HTTPRedirectHandler):
    """Follows nobody elsewhere: what was asked would be lost on the way, and the key told to whoever is there."""

    def redirect_request(self, *_: object) -> None:
        """No other request; the answer counts as a failure."""


_OPENER: Final = urllib.request.build_opener(_Staying)


class Service:
    """One address, named as ``noun`` in what is said of it. Raises ServiceFailed when it is none."""

    def __init__(self, noun: str, url: str, key: str = "") -> None:
        if not url.startswith(_HTTP):
            raise ServiceFailed(f"{noun}'s url {url!r} does not begin with http:// or https://")
        self._noun = noun
        self._url = url
        self._headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}

    def post(self, body: Mapping[str, object], seconds: float) -> Any:
        """Its answer. Blocks, for about ``seconds`` at most. Raises ServiceFailed."""
        given = json.dumps(body).encode("ascii")
        request = urllib.request.Request(self._url, given, self._headers, method="POST")
        try:
            with _OPENER.open(request, timeout=seconds) as response:
                return json.loads(response.read(_LARGEST))
        except urllib.error.HTTPError as error:
            with error:
                raise ServiceFailed(f"{self._noun} answered {error.code} {error.reason}", status=error.code) from error
        except (OSError, HTTPException) as error:
            raise ServiceFailed(f"{self._noun} at {self._url} does not answer ({error})") from error
        except (ValueError, RecursionError) as error:
            raise ServiceFailed(f"{self._noun} answered with something that is no JSON") from error


class Lanes:
    """Two threads for calls that somebody waits for. A call that finds both of them busy fails at once."""

    def __init__(self, noun: str, name: str) -> None:
        self._noun = noun
        self._executor = ThreadPoolExecutor(_LANES, thread_name_prefix=name)
        self._busy = 0

    async def run(self, call: Callable[[], Answer]) -> Answer:
        """What a blocking call returns, or raises. Raises ServiceFailed when no thread is free."""
        if self._busy >= _LANES:
            raise ServiceFailed(f"{self._noun} has not answered earlier questions yet")
        self._busy += 1
        future = self._executor.submit(call)
        future.add_done_callback(self._ended)
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Ends the threads once they are done."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _ended(self, _: object) -> None:
        self._busy -= 1
