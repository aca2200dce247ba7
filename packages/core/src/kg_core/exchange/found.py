"""What a source of memory holds, in our own values: portions for one graph each, and what could not be taken."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kg_core.model import Graph, Millis


@dataclass(frozen=True, slots=True)
class File:
    """A file of a source: its bytes, and when it was last changed."""

    data: bytes
    modified: Millis

    def text(self) -> str:
        """Its text: UTF-8, or UTF-16 where it says so itself. What is neither is replaced, never refused."""
        if self.data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return self.data.decode("utf-16", "replace")
        return self.data.decode("utf-8-sig", "replace")


@dataclass(frozen=True, slots=True)
class Skipped:
    """An entry that was not taken: where it stands, and why in a few words."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Portion:
    """What belongs into one graph; the key of ``graph`` means nothing.

    ``level`` is ``user``, ``project`` or ``maintain``, or empty when the source does not say. Of a project, ``slug`` is
    the name that the source gives it, ``roots`` and ``remotes`` are its folders and remotes as far as they are known.
    ``aged`` says that it had aged, and takes the place of nothing.
    """

    graph: Graph
    level: str = ""
    slug: str = ""
    roots: tuple[str, ...] = ()
    remotes: tuple[str, ...] = ()
    aged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """All that a source holds. ``skipped`` names every entry that is in no portion."""

    format: str
    portions: tuple[Portion, ...]
    skipped: tuple[Skipped, ...] = ()
