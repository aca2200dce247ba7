"""Documents as they come: moved folders, pointers in place of texts, other encodings."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

import kg_search_pg
from kg_plugin_api import KgError
from kg_search_pg.desk import Desk
from kg_search_pg.documents.document import taken_apart
from kg_search_pg.documents.files import listed
from kg_search_pg.documents.ignoring import Ignoring
from kg_search_pg.embedding.tokens import Tokenizer, estimate
from kg_search_pg.options import Options


class Lender:
    """What a server lends, with no secrets and no projects."""

    def without_secrets(self, text: str) -> str:
        return text

    def graph(self, folder: str) -> str:
        del folder
        return "user"


def write(root: Path, **texts: str) -> None:
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_a_pointer_of_git_lfs_is_no_document(tmp_path: Path) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n"
    write(tmp_path.resolve(), **{"docs/video.md": pointer, "docs/about.md": f"# Pointers\n\n{pointer}"})

    found = listed(tmp_path.resolve())

    assert found.names == ("docs/about.md",)
    assert "git lfs pull" in found.left_out["docs/video.md"]


def test_a_pipe_in_place_of_rules_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path.resolve() / ".kgignore"
    os.mkfifo(pipe)

    with pytest.raises(KgError, match=r"kgignore cannot be read \(it is a pipe"):
        Ignoring(tmp_path.resolve()).keeps_out("a.md")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_document_is_read_in_the_encoding_that_its_first_bytes_tell(encoding: str) -> None:
    data = "# Größe\r\n\r\nThe harbour.\r\n".encode(encoding)

    found = taken_apart(Path("/x.md"), "x.md", data, Tokenizer("estimate", estimate), lambda text: text)

    assert found.title == "Größe"
    assert [piece.text for piece in found.pieces] == ["# Größe\n\nThe harbour."]


@pytest.mark.parametrize("is_outer_first", [True, False])
def test_a_work_tree_within_another_has_documents_of_its_own_beside_those(
    opened: Any, tmp_path: Path, is_outer_first: bool
) -> None:
    outer = tmp_path.resolve() / "outer"
    inner = outer / "libraries" / "inner"
    for root in (outer, inner):
        write(root, **{"README.md": f"# {root.name}\n"})
        subprocess.run(["git", "init", "-q", str(root)], check=True)
    roots = (outer, inner) if is_outer_first else (inner, outer)

    async def main() -> None:
        async with opened(embedder="none", host=Lender(), home=tmp_path / "home") as backend:
            for root in roots:
                assert (await backend.documents.add(root, everywhere=False)).count.documents == 1
            assert await backend.documents.remove(outer) == 1
            (standing,) = await backend.documents.standings()
            assert (standing.source.root, standing.count.documents) == (inner, 1)

    asyncio.run(main())


def test_a_folder_that_was_moved_behind_a_link_is_told_and_can_be_removed_by_the_name_it_had(
    opened: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    operations = {operation.name: operation for operation in kg_search_pg.kg_operations()}
    before, after = tmp_path.resolve() / "before", tmp_path.resolve() / "after"
    write(before, **{"README.md": "# Harbour\n"})

    async def main() -> None:
        async with opened(embedder="none", host=Lender(), home=tmp_path / "home") as backend:
            monkeypatch.setattr(kg_search_pg, "_DESK", Desk(options=Options(home=tmp_path / "home"), backend=backend))
            await operations["docs add"].run({"folder": str(before)})
            before.rename(after)
            before.symlink_to(after)
            backend.documents.refresh(str(before))
            while backend.documents._tasks:
                await asyncio.gather(*backend.documents._tasks)

            told = await operations["docs status"].run({})
            assert told["folders"][0]["problem"].startswith(f"{before} is only a link to {after} now.")
            assert await operations["docs remove"].run({"folder": str(before)}) == {"folder": str(before), "removed": 1}
            assert (await operations["docs status"].run({}))["folders"] == []

    asyncio.run(main())
