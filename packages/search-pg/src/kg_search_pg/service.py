"""A service over HTTP that is asked and answers in JSON, and the threads in which it is waited for."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, Final, TypeVar

from kg_search_pg.patience import Patience, Patiently

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Answer = TypeVar("Answer")

_LARGEST: Final = 16 * 1024 * 1024
"""Bytes of an answer: more than the longest vectors that can be kept take for all texts of one question."""
_LONGEST_REASON: Final = 100
"""Characters of what an answer says of itself beside its number."""
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


_OPENER: Final = urllib.request.build_opener(_Staying, *Patiently)


class Service:
    """One address, named as ``noun`` in what is said of it. Raises ServiceFailed when it is none."""

    def __init__(self, noun: str, url: str, key: str = "") -> None:
        if not url.startswith(_HTTP):
            raise ServiceFailed(f"{noun}'s url {url!r} does not begin with http:// or https://")
        self._noun = noun
        self._url = url
        self._asked: set[Patience] = set()
        self._is_closed = False
        self._headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}

    def post(self, body: Mapping[str, object], seconds: float) -> Any:
        """Its answer. Blocks, for about ``seconds`` at most, however little of it comes at a time. Raises
        ServiceFailed.
        """
        with Patience(seconds) as patience:
            self._asked.add(patience)
            try:
                if self._is_closed:
                    raise self._late(seconds)
                answer = self._answered(body, patience)
            except ServiceFailed as failure:
                if patience.is_over:
                    raise self._late(seconds) from failure
                raise
            finally:
                self._asked.discard(patience)
            if patience.is_over:  # what was cut off may look like an answer
                raise self._late(seconds)
            return answer

    def close(self) -> None:
        """Ends what is asked now, and asks no more: a process ends only with its threads. May be called twice."""
        self._is_closed = True
        for patience in tuple(self._asked):
            patience.end()

    def _late(self, seconds: float) -> ServiceFailed:
        if self._is_closed:
            return ServiceFailed(f"{self._noun} is not asked any more")
        return ServiceFailed(f"{self._noun} at {self._url} does not answer (not in full within {seconds:.3g} s)")

    def _answered(self, body: Mapping[str, object], patience: Patience) -> Any:
        given = json.dumps(body).encode("ascii")
        request = patience.request(self._url, given, self._headers)
        try:
            with _OPENER.open(request, timeout=patience.seconds) as response:
                answer = response.read(_LARGEST + 1)
            if len(answer) > _LARGEST:
                raise ServiceFailed(f"{self._noun} answered with more than {_LARGEST >> 20} MiB")
            return json.loads(answer)
        except urllib.error.HTTPError as error:
            with error:
                said = "".join(filter(str.isprintable, str(error.reason)))[:_LONGEST_REASON]
                raise ServiceFailed(f"{self._noun} answered {error.code} {said}".rstrip(), status=error.code) from error
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
