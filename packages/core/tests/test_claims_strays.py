"""What a run that is killed leaves beside a user's file: the next run over that file clears it away, and only that."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from kg_core.claims import Editor, OsFiles
from kg_plugin_api.claims import JsonEntry

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills with a signal")

KILLED = """
import os, signal, sys
from pathlib import Path
from kg_core.claims import Editor
from kg_plugin_api.claims import JsonEntry

settings, state = Path(sys.argv[1]), Path(sys.argv[2])
replace = os.replace

def killing(source, target):
    if Path(target) == settings:
        os.kill(os.getpid(), signal.SIGKILL)
    replace(source, target)

os.replace = killing
editor = Editor(state / "record.json", state / "backups")
editor.apply(editor.plan([JsonEntry(path=settings, keys=("kg",), value=True)]))
"""
"""A set-up that ends in the moment before its new content takes the place of the old one."""


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    path = tmp_path / "client" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"mine": 1}\n', encoding="utf-8")
    return path


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    return Editor(tmp_path / "state" / "record.json", tmp_path / "state" / "backups")


def killed(settings: Path, tmp_path: Path) -> Path:
    """Runs a set-up that is killed; what it left beside the settings."""
    command = [sys.executable, "-c", KILLED, str(settings), str(tmp_path / "state")]
    assert subprocess.run(command, check=False, timeout=60).returncode == -signal.SIGKILL
    (stray,) = (path for path in settings.parent.iterdir() if path != settings)
    assert settings.read_text(encoding="utf-8") == '{"mine": 1}\n'
    return stray


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_next_set_up_clears_away_what_a_killed_one_left(settings: Path, editor: Editor, tmp_path: Path) -> None:
    killed(settings, tmp_path)

    assert editor.apply(editor.plan([JsonEntry(path=settings, keys=("kg",), value=True)])).ok

    assert names(settings.parent) == ["settings.json"]
    assert '"kg"' in settings.read_text(encoding="utf-8")


def test_so_does_a_removal_that_has_nothing_to_take_out(settings: Path, editor: Editor, tmp_path: Path) -> None:
    killed(settings, tmp_path)

    assert editor.apply(editor.plan_removal()).ok

    assert names(settings.parent) == ["settings.json"]
    assert settings.read_text(encoding="utf-8") == '{"mine": 1}\n'


def test_what_a_run_of_this_moment_writes_is_left_alone_until_it_is_old(settings: Path, tmp_path: Path) -> None:
    stray = killed(settings, tmp_path)
    underway = stray.with_name(f".settings.json.kg-{os.getppid()}-0123456789abcdef.tmp")
    stray.rename(underway)

    OsFiles().tidy(settings)
    assert underway.exists()

    long_ago = time.time() - 3_600
    os.utime(underway, (long_ago, long_ago))
    OsFiles().tidy(settings)
    assert not underway.exists()


@pytest.mark.parametrize(
    "name",
    [
        ".settings.json.tmp",
        ".settings.json.0123456789abcdef.tmp",
        ".settings.json.kg-1-0123456789ABCDEF.tmp",
        ".settings.json.kg-1-0123456789abcdef.tmp.old",
        ".settings.json.kg-x-0123456789abcdef.tmp",
        ".other.json.kg-1-0123456789abcdef.tmp",
        "settings.json.kg-1-0123456789abcdef.tmp",
        ".settings.json.backup.kg-1-0123456789abcdef.tmp",
    ],
)
def test_what_only_looks_alike_is_somebody_elses(settings: Path, name: str) -> None:
    path = settings.with_name(name)
    path.write_text("theirs", encoding="utf-8")
    os.utime(path, (1, 1))

    OsFiles().tidy(settings)

    assert path.read_text(encoding="utf-8") == "theirs"


def test_a_link_or_a_folder_of_that_name_is_none_of_ours(settings: Path, tmp_path: Path) -> None:
    link = settings.with_name(".settings.json.kg-999999999-0123456789abcdef.tmp")
    link.symlink_to(settings)
    folder = settings.with_name(".settings.json.kg-999999999-fedcba9876543210.tmp")
    folder.mkdir()

    OsFiles().tidy(settings)
    OsFiles().tidy(tmp_path / "no folder" / "settings.json")

    assert link.is_symlink()
    assert folder.is_dir()
