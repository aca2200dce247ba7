"""Which folders' documents are indexed: a small file beside the index, which may be dropped and comes back from it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """A folder of documents. They are found from its project, or with ``everywhere`` from every one."""

    root: Path
    everywhere: bool = False


class Sources:
    """The folders, kept in one file of this machine (their paths are its own)."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @classmethod
    def of(cls, home: Path) -> Self:
        """Those of a memory folder."""
        return cls(home / "state" / "documents.json")

    def load(self) -> tuple[Source, ...]:
        """All of them, by path. Blocking. Raises INVALID when the file is damaged, naming it."""
        try:
            told: Any = json.loads(self._file.read_text(encoding="utf-8"))
            return tuple(sorted(Source(Path(each["root"]), each["everywhere"] is True) for each in told["sources"]))
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise KgError(Code.UNAVAILABLE, f"{self._file} cannot be read ({error.strerror}).") from error
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise KgError(
                Code.INVALID,
                f"{self._file} does not list folders of documents. Delete it, and add them again (`kg pg docs add`).",
            ) from error

    def save(self, sources: Iterable[Source]) -> None:
        """Replaces the list in one step. Blocking. Raises UNAVAILABLE, naming the file."""
        told = [{"root": str(source.root), "everywhere": source.everywhere} for source in sorted(sources)]
        data = (json.dumps({"format": 1, "sources": told}, indent=2) + "\n").encode("ascii")
        beside = self._file.with_name(self._file.name + ".tmp")
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(self._file)
        except OSError as error:
            raise KgError(Code.UNAVAILABLE, f"{self._file} cannot be written ({error.strerror}).") from error
