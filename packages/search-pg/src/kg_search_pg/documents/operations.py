"""What ``kg pg docs …`` does, in the server. Answers are JSON-compatible."""

from __future__ import annotations

import asyncio
import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from kg_plugin_api import Code, KgError, SearchUnavailable
from kg_search_pg.embedding import EmbedderFailed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kg_search_pg.desk import Desk
    from kg_search_pg.documents.keeper import Standing


async def add(desk: Desk, given: Mapping[str, object]) -> Mapping[str, object]:
    """Indexes a folder's documents, and what became of them. They are embedded later, as lessons are."""
    documents = desk.documents()
    root = await asyncio.to_thread(_folder, given)
    home = await asyncio.to_thread(os.path.realpath, desk.chosen().home)
    if root.is_relative_to(home) or Path(home).is_relative_to(root):
        raise KgError(Code.INVALID, f"{root} holds the memory itself, or is within it: name the folder of a project.")
    with _late():
        try:
            return _told(await documents.add(root, everywhere=bool(given.get("everywhere"))))
        except EmbedderFailed as failure:
            raise SearchUnavailable(f"Tokens cannot be counted: {failure.sentence}.") from failure


async def status(desk: Desk, given: Mapping[str, object]) -> Mapping[str, object]:
    """Every folder whose documents are indexed; not ``ok`` when one could not be looked at."""
    del given
    with _late():
        told = [_told(standing) for standing in await desk.documents().standings()]
    return {"ok": not any("problem" in each for each in told), "folders": told}


async def remove(desk: Desk, given: Mapping[str, object]) -> Mapping[str, object]:
    """Forgets a folder's documents."""
    documents = desk.documents()
    root = await asyncio.to_thread(_folder, given)
    with _late():
        known = {standing.source.root for standing in await documents.standings()}
        as_given = Path(str(given["folder"]))
        root = as_given if as_given in known else root  # it was indexed before a link took its place
        return {"folder": str(root), "removed": await documents.remove(root)}


@contextlib.contextmanager
def _late() -> Iterator[None]:
    """Says what became of the work that Postgres was too slow for."""
    try:
        yield
    except TimeoutError as error:
        raise SearchUnavailable(
            "Postgres did not answer in time. What is not done yet is done when a session starts, or by this command."
        ) from error


def _folder(given: Mapping[str, object]) -> Path:
    """The folder meant, without links. Blocking. Raises INVALID."""
    folder = given.get("folder")
    if not isinstance(folder, str) or "\0" in folder or not Path(folder).is_absolute():
        raise KgError(Code.INVALID, "`folder` is the absolute path of a folder.")
    return Path(os.path.realpath(folder))


def _told(standing: Standing) -> dict[str, object]:
    count, report = standing.count, standing.report
    told: dict[str, object] = {
        "folder": str(standing.source.root),
        "everywhere": standing.source.everywhere,
        "documents": count.documents,
        "with_secrets": count.with_secrets,
        "passages": count.passages,
        "lag": count.passages - count.embedded,
    }
    if report is not None:
        told |= {
            "graph": report.graph,
            "new": report.new,
            "changed": report.changed,
            "unchanged": report.unchanged,
            "gone": report.gone,
            "left_out": dict(report.left_out),
        }
    if standing.problem:
        told["problem"] = standing.problem
    return told
