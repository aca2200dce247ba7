"""Interrupted at every write: each file is old or new, nothing of ours is forgotten, and the next run goes on."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from kg_core.claims import Editor, Found, OsFiles
from kg_plugin_api.claims import JsonEntry, JsonItem, OwnedFile, TextBlock, TomlEntry, TomlTable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from kg_plugin_api.claims import Claim

ORIGINALS = {
    "client/settings.json": b'{\n  "memory": true, // mine\n  "servers": { }\n}',
    "client/config.toml": b"# mine\n\n[features]\nmemories = true",
    "client/AGENTS.md": b"# Rules\r\n",
}


class Crash(BaseException):
    """The process ends here."""


class FaultyFiles(OsFiles):
    """Fails at one of its writes, before or after it is done."""

    def __init__(self, fault: BaseException, at: int, *, after: bool) -> None:
        self.fault, self.at, self.after, self.count = fault, at, after, 0

    def _guard(self, write: Callable[[], None]) -> None:
        self.count += 1
        if self.count == self.at and not self.after:
            raise self.fault
        write()
        if self.count == self.at:
            raise self.fault

    def replace(self, path: Path, data: bytes, expected: Found | None, mode: int | None) -> None:
        self._guard(lambda: super(FaultyFiles, self).replace(path, data, expected, mode))

    def remove(self, path: Path, expected: Found) -> None:
        self._guard(lambda: super(FaultyFiles, self).remove(path, expected))

    def make_folder(self, path: Path) -> None:
        self._guard(lambda: super(FaultyFiles, self).make_folder(path))

    def remove_folder(self, path: Path) -> None:
        self._guard(lambda: super(FaultyFiles, self).remove_folder(path))


def claims_on(home: Path, version: int) -> list[Claim]:
    settings, config = home / "client/settings.json", home / "client/config.toml"
    claims: list[Claim] = [
        OwnedFile(path=home / "own/plugin/hooks.json", text=f"{version}\n", executable=True),
        JsonEntry(path=settings, keys=("servers", "kg"), value={"command": f"kg{version}", "args": ["mcp"], "t": 1}),
        JsonEntry(path=settings, keys=("memory",), value=False, replace=True),
        JsonItem(path=settings, keys=("hooks", "Stop"), value={"hooks": [{"command": f"kg{version}", "timeout": 5}]}),
        TomlTable(path=config, keys=("servers", "kg"), values={"command": f"kg{version}", "args": ["mcp"]}),
        TomlEntry(path=config, keys=("features", "memories"), value=False, replace=True),
        TextBlock(path=home / "client/AGENTS.md", name="kg", text=f"Use {version}."),
        JsonEntry(path=home / "new/deep/other.json", keys=("a",), value=version),
    ]
    return claims if version == 1 else [*claims[:-1], OwnedFile(path=home / "own/second", text="two\n")]


def fresh(home: Path) -> None:
    for name, data in ORIGINALS.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(data)


def contents(home: Path) -> dict[str, bytes]:
    """All files but our own state."""
    files = (path for path in home.rglob("*") if path.is_file() and home / "state" not in path.parents)
    return {str(path.relative_to(home)): path.read_bytes() for path in files}


def folders(home: Path) -> set[str]:
    return {str(path.relative_to(home)) for path in home.iterdir() if path.is_dir()} - {"state"}


def editor(home: Path, files: OsFiles | None = None) -> Editor:
    return Editor(home / "state/claims/record.json", home / "state/backups", files=files)


def run(home: Path, claims: Sequence[Claim], files: OsFiles | None = None) -> bool:
    there = editor(home, files)
    return there.apply(there.plan(claims)).ok


STEPS: dict[str, tuple[list[int], int]] = {
    "set-up": ([], 1),
    "upgrade": ([1], 2),
    "removal": ([1], 0),
    "removal-after-upgrade": ([1, 2], 0),
}
"""What was done before, by version of the claims, and what is interrupted; 0 is removal."""

WRITES = 40
"""More than any step has, so that the last runs see no fault."""


def wanted(home: Path, version: int) -> list[Claim]:
    return claims_on(home, version) if version else []


def outcome_of(tmp_path: Path, versions: Sequence[int]) -> dict[str, bytes]:
    home = tmp_path / "undisturbed"
    fresh(home)
    for version in versions:
        assert run(home, wanted(home, version))
    return contents(home)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("crash", [True, False], ids=["crash", "full-disk"])
def test_every_write_may_be_the_last(tmp_path: Path, step: str, after: bool, crash: bool) -> None:
    earlier, version = STEPS[step]
    old = {**ORIGINALS} if not earlier else outcome_of(tmp_path / "old", earlier)
    new = outcome_of(tmp_path / "new", [*earlier, version])
    faults = 0
    for at in range(1, WRITES):
        home = tmp_path / f"home{at}"
        fresh(home)
        for before in earlier:
            assert run(home, wanted(home, before))
        files = FaultyFiles(Crash() if crash else OSError(errno.ENOSPC, "no space"), at, after=after)
        try:
            completed = run(home, wanted(home, version), files)
        except Crash:
            completed = False
        if completed:
            break
        faults += 1
        now = contents(home)
        assert all(now.get(name) in {old.get(name), new.get(name)} for name in old.keys() | new.keys() | now.keys())
        if at % 2:
            assert run(home, wanted(home, version))
            assert contents(home) == new
            assert editor(home).plan(wanted(home, version)).empty
        assert run(home, [])
        assert contents(home) == ORIGINALS
        assert folders(home) == {"client"}
        assert not (home / "state/claims/record.json").exists()
    else:
        pytest.fail("there are more writes than this test tries")
    assert faults > 5


@pytest.mark.parametrize("call", ["open", "fsync", "replace", "fchmod"])
def test_every_system_call_of_a_write_may_fail(tmp_path: Path, call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    new = outcome_of(tmp_path / "new", [1])
    for at in range(1, WRITES):
        home = tmp_path / f"home{at}"
        fresh(home)
        with monkeypatch.context() as patch:
            fail_nth(patch, call, at)
            completed = run(home, claims_on(home, 1))
        now = contents(home)
        assert all(now.get(name) in {ORIGINALS.get(name), new.get(name)} for name in new.keys() | now.keys())
        assert run(home, claims_on(home, 1))
        assert contents(home) == new
        assert run(home, [])
        assert contents(home) == ORIGINALS
        if completed and at > 20:
            break


def fail_nth(patch: pytest.MonkeyPatch, call: str, at: int) -> None:
    count = 0

    def counted(real: Callable[..., object]) -> Callable[..., object]:
        def failing(*arguments: object, **options: object) -> object:
            nonlocal count
            count += 1
            if count == at:
                raise OSError(errno.EIO, "input/output error")
            return real(*arguments, **options)

        return failing

    patch.setattr(os, call, counted(getattr(os, call)))


def test_somebody_who_writes_after_the_crash_is_heard(tmp_path: Path) -> None:
    for at in range(1, WRITES):
        home = tmp_path / f"home{at}"
        fresh(home)
        try:
            completed = run(home, claims_on(home, 1), FaultyFiles(Crash(), at, after=False))
        except Crash:
            completed = False
        settings = home / "client/settings.json"
        settings.write_bytes(settings.read_bytes().replace(b"// mine", b"// still mine"))
        assert run(home, [])
        assert contents(home) == {
            **ORIGINALS,
            "client/settings.json": ORIGINALS["client/settings.json"].replace(b"// mine", b"// still mine"),
        }
        if completed:
            return
    pytest.fail("there are more writes than this test tries")
