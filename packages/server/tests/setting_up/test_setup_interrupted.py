"""Set-up that is cut off, or cannot write, at each of its writes: files are old or new, and the next run goes on."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any

import pytest

from kg_core.claims import OsFiles

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

CLAUDE_SETTINGS = b'{\n  // mine\n  "autoMemoryEnabled": true,\n  "permissions": {"allow": ["Read"]}\n}\n'
CODEX_SETTINGS = b'# mine\nmodel = "o"\n\n[features]\nmemories = true\n'


MOST_WRITES = 300
EVERY = pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.nightly), 11])


class Cut(BaseException):
    """The process ends here."""


class Faults:
    """Makes one write of the settings editor fail, counted over a whole command."""

    WRITES = ("replace", "remove", "make_folder", "remove_folder")

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count, self.at, self.fault, self.lasting = 0, 0, Cut(), False
        self.written: set[tuple[str, bytes]] = set()
        for name in self.WRITES:
            monkeypatch.setattr(OsFiles, name, self._guarded(getattr(OsFiles, name)))

    def _guarded(self, write: Callable[..., None]) -> Callable[..., None]:
        def guarded(files: OsFiles, *arguments: Any) -> None:
            self.count += 1
            if self.count == self.at or (self.lasting and 0 < self.at <= self.count):
                raise self.fault
            write(files, *arguments)
            if len(arguments) > 1 and isinstance(arguments[1], bytes):
                self.written.add((str(arguments[0]), arguments[1]))

        return guarded

    def arm(self, at: int, fault: BaseException, *, lasting: bool = False) -> None:
        self.count, self.at, self.fault, self.lasting = 0, at, fault, lasting

    def disarm(self) -> None:
        self.arm(0, Cut())


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> Faults:
    return Faults(monkeypatch)


def settled(person: Any) -> None:
    person.settings("claude").write_bytes(CLAUDE_SETTINGS)
    person.settings("codex").write_bytes(CODEX_SETTINGS)


def whole(person: Any, old: dict[str, bytes], faults: Faults) -> None:
    """Each file is as before the command or as one of its whole steps leaves it; nothing lies half-written beside."""
    for name, data in person.files().items():
        told = f"{name} is neither old nor new: {data!r}"
        assert old.get(name) == data or (str(person.folder / name), data) in faults.written, told


def run_through(person: Any, faults: Faults, before: Callable[[], None], every: int, *command: str) -> None:
    """Cuts a command off at its writes, one in ``every``, looks, and lets the next run finish."""
    before()
    old = person.files()
    assert person.run(*command)[0] == 0
    new = person.files()
    for at in range(1, MOST_WRITES, every):
        before()
        assert person.files() == old
        faults.arm(at, Cut())
        try:
            person.run(*command)
        except Cut:
            pass
        else:
            assert at >= 30, "it made fewer writes than there are files"
            return
        finally:
            faults.disarm()
        whole(person, old, faults)
        assert person.run(*command)[0] == 0
        assert person.files() == new
    pytest.fail("the writes do not end")


@EVERY
def test_set_up_cut_off_at_any_write_leaves_whole_files_and_goes_on_when_run_again(
    person: Any, faults: Faults, every: int
) -> None:
    def before() -> None:
        faults.disarm()
        person.run("uninstall", "--yes")
        settled(person)

    run_through(person, faults, before, every, "setup", "--yes")


@EVERY
def test_removal_cut_off_at_any_write_leaves_whole_files_and_goes_on_when_run_again(
    person: Any, faults: Faults, every: int
) -> None:
    def before() -> None:
        faults.disarm()
        person.run("uninstall", "--yes")
        settled(person)
        person.run("setup", "--yes")

    run_through(person, faults, before, every, "uninstall", "--yes")
    assert person.settings("claude").read_bytes() == CLAUDE_SETTINGS
    assert person.settings("codex").read_bytes() == CODEX_SETTINGS


@pytest.mark.parametrize("lasting", [False, True])
def test_a_disk_that_fails_at_any_write_is_told_with_what_is_still_open(
    person: Any, faults: Faults, lasting: bool
) -> None:
    settled(person)
    old = person.files()
    person.run("setup", "--yes")
    writes, new = faults.count, person.files()
    for at in range(1, writes, 9):
        faults.disarm()
        person.run("uninstall", "--yes")
        assert person.files() == old
        faults.arm(at, OSError(errno.ENOSPC, "No space left on device"), lasting=lasting)
        code, _, err = person.run("setup", "--yes")
        faults.disarm()
        whole(person, old, faults)
        if code != 0:
            assert "Still open: " in err
            assert "No space left" in err
            assert "Run `kg setup` again once that is mended" in err
        else:
            assert person.files() == new, "it says that all is well, and it is not"
        assert person.run("setup", "--yes")[0] == 0
        assert person.files() == new


def test_what_was_not_tried_is_named_step_by_step(person: Any, faults: Faults) -> None:
    settled(person)
    faults.arm(8, OSError(errno.EROFS, "Read-only file system"), lasting=True)

    code, _, err = person.run("setup", "--yes", "--harness", "codex")

    faults.disarm()
    assert code == 1
    opened = [line for line in err.splitlines() if line.startswith("Still open: ")]
    assert any("Read-only file system" in line for line in opened)
    assert f"Still open: Codex CLI: not tried: {person.settings('codex')}." in opened
    assert "Still open: Codex CLI: not tried: Let Codex run kg's hooks." in opened
    assert person.settings("codex").read_bytes() == CODEX_SETTINGS


def test_a_full_dry_run_shows_the_diff_of_every_file_and_writes_nothing(person: Any) -> None:
    settled(person)
    before = person.files()

    code, out, err = person.run("setup", "--dry-run", "--full")

    assert (code, err) == (0, "")
    assert person.files() == before
    assert not person.home.state.exists()
    person.run("setup", "--yes")
    written = [name for name, data in person.files().items() if before.get(name) != data]
    assert len(written) >= 10
    assert all(f"+++ {person.folder / name}" in out for name in written)
    needed = out.count("+++ ") - out.count("# Offered: ")
    assert out.endswith(f"\nNothing was changed; `kg setup` would change {needed} files.\n")
    connected = person.files()

    code, out, _ = person.run("uninstall", "--dry-run", "--full")

    assert code == 0
    assert person.files() == connected
    assert all(f"--- {person.folder / name}" in out for name in written)
    assert "# claude (auto-memory-off)" in out.splitlines()
    assert out.endswith(f"\nNothing was changed; `kg uninstall` would change {out.count('--- ')} files.\n")
