"""Questions that nothing answered, written down where a person asked for that: they tell what a memory lacks."""

from __future__ import annotations

import contextlib
import json
import logging
import os
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from kg_search_pg.fusion import LEXICAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from kg_plugin_api import SearchHit, SearchRequest

log = logging.getLogger(__name__)

LARGEST: Final = 256 * 1024
"""Bytes of the file; beyond them its older half goes."""
_LONGEST: Final = 400
"""Characters of a question that are kept."""


def is_miss(request: SearchRequest, hits: Sequence[SearchHit]) -> bool:
    """Whether somebody asked, and nothing shares a word with the question or is near enough by its meaning.

    A prompt is no question to the memory: what people type to their agents is not written down.
    """
    is_asked = not request.is_prompt and bool(request.text.strip()) and bool(request.graphs)
    return is_asked and not any(LEXICAL in hit.ranks or hit.strength for hit in hits)


class Misses:
    """The log, one JSON object on each line, readable by its owner alone. It is written in a thread of its own."""

    def __init__(self, file: Path, without_secrets: Callable[[str], str]) -> None:
        self._file = file
        self._without_secrets = without_secrets
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="kg-misses")

    def note(self, request: SearchRequest) -> None:
        """Writes a question down, sooner or later; what cannot be written is let go of."""
        with contextlib.suppress(RuntimeError):  # it was closed meanwhile
            self._writer.submit(self._write, request.text, request.graphs)

    def read(self, most: int) -> list[Any]:
        """The newest questions, the newest first; a line that a crash tore is none. Blocking. Raises OSError."""
        try:
            lines = self._file.read_bytes().splitlines()
        except FileNotFoundError:
            return []
        return list(islice(_sound(reversed(lines)), most))

    def close(self) -> None:
        """Returns once all is written. Blocking. May be called twice."""
        self._writer.shutdown()

    def _write(self, text: str, graphs: Sequence[str]) -> None:
        # The filter sees the whole text: of a secret that is cut it might not recognise the rest.
        question = self._without_secrets(text)[:_LONGEST]
        at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        line = json.dumps({"at": at, "question": question, "graphs": list(graphs)}).encode("ascii") + b"\n"
        try:
            self._append(line)
        except OSError as error:
            log.warning("A question that nothing answered was not written down: %s", error)

    def _append(self, line: bytes) -> None:
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600)
        with os.fdopen(handle, "r+b") as file:
            if file.seek(0, os.SEEK_END):
                file.seek(-1, os.SEEK_END)
                line = line if file.read(1) == b"\n" else b"\n" + line  # else it would go down with what a crash tore
            if file.tell() + len(line) > LARGEST:
                file.seek(-LARGEST // 2, os.SEEK_END)
                file.readline()
                kept = file.read()
                file.seek(0)
                file.write(kept)
                file.truncate()
            file.write(line)


def _sound(lines: Iterable[bytes]) -> Iterator[Any]:
    for line in lines:
        with contextlib.suppress(ValueError):
            yield json.loads(line)
