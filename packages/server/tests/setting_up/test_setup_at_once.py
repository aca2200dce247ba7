"""Two commands that write the settings of agents at once: neither forgets what the other has put there."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from kg_core.claims import OsFiles
from kg_core.store import Home
from kg_plugin_api import KgError, OwnedFile
from kg_server.carrier.lock import FileLock
from kg_server.setup import connection
from kg_server.setup.connection import Records

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kg_core.claims import Editor

BOUND = 30.0


@pytest.fixture
def claims(tmp_path: Path) -> list[OwnedFile]:
    return [OwnedFile(path=tmp_path / "client" / name, text=f"{name}\n") for name in ("a", "b", "c")]


@pytest.fixture
def editor(tmp_path: Path) -> Callable[[], Editor]:
    return lambda: Records.at(Home(tmp_path / "home")).of("some")


class Meanwhile:
    """Runs something in a second thread in the midst of the first one's writes: until it is done, or has to wait."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, write: str, work: Callable[[], object]) -> None:
        self.other = threading.Thread(target=work)
        self._waits = threading.Event()
        self._write, self._acquire = getattr(OsFiles, write), FileLock.acquire
        monkeypatch.setattr(OsFiles, write, lambda *given: self._written(*given))
        monkeypatch.setattr(FileLock, "acquire", lambda *given: self._acquired(*given))

    def _written(self, *given: Any) -> None:
        self._write(*given)
        if self.other.ident is None:
            self.other.start()
            while self.other.is_alive() and not self._waits.wait(0.01):
                pass

    def _acquired(self, lock: FileLock, deadline: float) -> bool:
        if threading.current_thread() is self.other:
            self._waits.set()
        return self._acquire(lock, deadline)


@pytest.mark.parametrize("write", ["remove", "replace"])
def test_nothing_of_a_set_up_in_the_midst_of_a_removal_is_left_without_a_record(
    claims: list[OwnedFile], editor: Callable[[], Editor], monkeypatch: pytest.MonkeyPatch, write: str
) -> None:
    editor().apply(editor().plan(claims))
    meanwhile = Meanwhile(monkeypatch, write, lambda: editor().apply(editor().plan(claims)))

    outcome = editor().apply(editor().plan_removal())
    meanwhile.other.join(BOUND)

    assert outcome.ok
    assert all(status.ours for status in editor().status(claims) if status.claim.path.exists())
    editor().apply(editor().plan_removal())
    assert [claim.path for claim in claims if claim.path.exists()] == []


def test_two_set_ups_at_once_both_end_well(
    claims: list[OwnedFile], editor: Callable[[], Editor], monkeypatch: pytest.MonkeyPatch
) -> None:
    second = []
    meanwhile = Meanwhile(monkeypatch, "replace", lambda: second.append(editor().apply(editor().plan(claims))))

    first = editor().apply(editor().plan(claims))
    meanwhile.other.join(BOUND)

    assert [outcome.ok for outcome in (first, *second)] == [True, True]
    assert editor().plan(claims).empty


def test_a_command_that_writes_on_and_on_is_told_to_the_next(
    claims: list[OwnedFile], editor: Callable[[], Editor], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(connection, "_LOCK_SECONDS", 0.05)
    holder = FileLock(str(tmp_path / "home" / "state" / "claims.lock"))
    (tmp_path / "home" / "state").mkdir(parents=True)
    assert holder.attempt()

    with pytest.raises(KgError, match="Another command has been writing the settings of agents"):
        editor().apply(editor().plan(claims))

    holder.release()
    assert editor().apply(editor().plan(claims)).ok
