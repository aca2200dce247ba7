"""Git's own files, as the keeping of a memory reads them."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from kg_server.keeping.git import git_folder

if TYPE_CHECKING:
    from pathlib import Path


def test_the_git_folder_of_a_linked_work_tree_is_the_one_that_its_file_names(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: ../apart\n", encoding="utf-8")

    assert git_folder(tmp_path) == tmp_path / "../apart"


def test_a_pipe_in_place_of_the_file_of_a_work_tree_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".git")
    found: list[Path | None] = []

    looking = threading.Thread(target=lambda: found.append(git_folder(tmp_path)), daemon=True)
    looking.start()
    looking.join(10)

    assert found == [None]
