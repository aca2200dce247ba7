"""Commands that set up or remove wait for each other: of two at once, one left what the other had put, or failed."""

from __future__ import annotations

import errno
import shutil
import threading
from typing import TYPE_CHECKING, Any

import pytest

from kg_server.carrier.lock import FileLock
from kg_server.cli import turn, uninstall
from kg_server.cli.turn import own_turn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BOUND = 30.0
BUSY = "Another `kg setup` or `kg uninstall` has been at work"


@pytest.fixture
def busy(person: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileLock]:
    """Somebody else's turn, which does not end."""
    monkeypatch.setattr(turn, "_SECONDS", 0.0)
    person.home.state.mkdir(parents=True, exist_ok=True)
    lock = FileLock(str(person.home.state / "setup.lock"))
    assert lock.attempt()
    yield lock
    lock.release()


@pytest.mark.parametrize(
    "arguments", [("setup", "--yes"), ("uninstall", "--yes"), ("uninstall", "--yes", "--purge")], ids=" ".join
)
def test_a_command_whose_turn_does_not_come_says_so_and_changes_nothing(
    person: Any, busy: FileLock, arguments: tuple[str, ...]
) -> None:
    before = person.files()

    code, _, err = person.run(*arguments)

    assert (code, err.startswith(f"Error: {BUSY}")) == (3, True)
    assert person.files() == before
    busy.release()
    assert person.run(*arguments)[0] == 0


def test_the_choice_of_a_search_backend_waits_too(person: Any, busy: FileLock) -> None:
    code, _, err = person.run("setup", "--yes", "--search", "builtin")

    assert (code, BUSY in err) == (1, True)


@pytest.mark.usefixtures("busy")
def test_a_look_waits_for_nobody(person: Any) -> None:
    assert person.run("setup", "--dry-run")[0] == 0
    assert person.run("uninstall", "--dry-run")[0] == 0


def test_who_waited_for_a_removal_that_deleted_the_memory_is_alone_afterwards(
    person: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits, alone = threading.Event(), []
    acquire = FileLock.acquire

    def acquired(lock: FileLock, deadline: float) -> bool:
        waits.set()
        return acquire(lock, deadline)

    def wait() -> None:
        with own_turn(person.home):
            alone.append(not FileLock(str(person.home.state / "setup.lock")).attempt())

    waiting = threading.Thread(target=wait)
    with own_turn(person.home):
        monkeypatch.setattr(FileLock, "acquire", acquired)
        waiting.start()
        assert waits.wait(BOUND)
        shutil.rmtree(person.home.root)
    waiting.join(BOUND)

    assert alone == [True]


def test_who_looks_for_the_lock_just_as_its_folder_is_deleted_is_alone_all_the_same(
    person: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    acquire, deletions = FileLock.acquire, [lambda: shutil.rmtree(person.home.root)]

    def acquired(lock: FileLock, deadline: float) -> bool:
        if deletions:
            deletions.pop()()
        return acquire(lock, deadline)

    monkeypatch.setattr(FileLock, "acquire", acquired)

    with own_turn(person.home):
        assert (person.home.state / "setup.lock").exists()
        assert not FileLock(str(person.home.state / "setup.lock")).attempt()


def test_while_a_removal_deletes_the_memory_nobody_else_has_a_turn(
    person: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.run("setup", "--yes")
    person.home.lock.touch()
    rmtree, deleted = shutil.rmtree, []

    def looked_at(folder: Path) -> None:
        assert not FileLock(str(person.home.state / "setup.lock")).attempt()
        left = [path for path in (person.home.config, person.home.root / "harnesses") if path.exists()]
        deleted.append((folder, left, sorted(path.name for path in person.home.state.iterdir())))
        rmtree(folder)

    monkeypatch.setattr(uninstall.shutil, "rmtree", looked_at)

    assert person.run("uninstall", "--yes", "--purge")[0] == 0
    assert deleted[-1] == (person.home.state, [], ["setup.lock"])
    assert not person.home.root.exists()


def test_a_removal_makes_no_memory_to_wait_in(person: Any) -> None:
    assert person.run("uninstall", "--yes")[0] == 0
    assert not person.home.root.exists()


@pytest.mark.parametrize(("code", "goes_on"), [(errno.ENOTEMPTY, True), (errno.ENOENT, True), (errno.EACCES, False)])
def test_a_last_file_of_a_carrier_is_deleted_as_well(
    person: Any, monkeypatch: pytest.MonkeyPatch, code: int, goes_on: bool
) -> None:
    person.run("setup", "--yes")
    person.home.lock.touch()
    rmtree, failures = shutil.rmtree, [OSError(code, "no", str(person.home.state))]

    def interfered(folder: Path) -> None:
        if folder == person.home.state and failures:
            raise failures.pop()
        rmtree(folder)

    monkeypatch.setattr(uninstall.shutil, "rmtree", interfered)

    assert (person.run("uninstall", "--yes", "--purge")[0] == 0) == goes_on
    assert person.home.root.exists() != goes_on


def test_a_folder_that_a_carrier_deletes_at_the_same_moment_is_deleted(
    person: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.run("setup", "--yes")
    person.home.lock.touch()
    late = person.home.state / "late"
    late.mkdir()
    rmtree = shutil.rmtree

    def overtaken(folder: Path) -> None:
        if folder == late:
            folder.rmdir()
        rmtree(folder)

    monkeypatch.setattr(uninstall.shutil, "rmtree", overtaken)

    assert person.run("uninstall", "--yes", "--purge")[0] == 0
    assert not person.home.root.exists()
