"""What a memory takes on the disk follows what it holds, not how often that was written."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from kg_core.store import Home, Places, Settings, Store, journal
from kg_core.store.settings import JournalSettings

if TYPE_CHECKING:
    from types import ModuleType

    import pytest

ROUNDS, WRITES = 60, 50
MEBIBYTE = 1 << 20


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_thousands_of_rewrites_leave_a_folder_of_bounded_size(
    tmp_path: Path, values: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bug case 57."""
    monkeypatch.setattr(journal, "SEGMENT_BYTES", 64 << 10)
    home = Home(tmp_path / "home")
    settings = Settings(journal=JournalSettings(mebibytes=1))

    async def main() -> list[int]:
        store = await Store.open(home, places=Places(Path("/home/nobody"), ()), settings=settings)
        await store.load("user")
        sizes = []
        for turn in range(ROUNDS):
            writes = [
                store.commit(values.put(values.node(f"node-{number}", f"gist {turn} " + "x" * 300)))
                for number in range(WRITES)
            ]
            await asyncio.gather(*writes)
            assert await store.snapshot()
            sizes.append(size(home.root))
        await store.close()
        return sizes

    sizes = asyncio.run(main())

    assert size(home.journal) <= MEBIBYTE + (128 << 10)
    assert max(sizes) <= MEBIBYTE + (512 << 10)
    assert len([path for path in home.root.rglob("*") if path.is_file()]) < 40
