"""The list of folders with documents, which is kept beside the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import kg_search_pg
from kg_search_pg.documents.sources import Source, Sources

if TYPE_CHECKING:
    from pathlib import Path


def test_whether_there_are_documents_is_known_without_a_postgres(tmp_path: Path) -> None:
    has_documents = kg_search_pg.PG.has_documents
    assert has_documents is not None

    before = has_documents({"home": str(tmp_path)})
    Sources.of(tmp_path).save([Source(tmp_path)])

    assert (before, has_documents({"home": str(tmp_path)})) == (False, True)
