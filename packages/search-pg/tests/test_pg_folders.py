"""The folder of a private Postgres: on a full disk, or a link to somewhere else."""

from __future__ import annotations

import asyncio
import shutil
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from kg_plugin_api import SearchUnavailable
from kg_search_pg.embedded import EmbeddedServer, Places
from kg_search_pg.embedded.programs import Programs

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def places(tmp_path: Path) -> Places:
    places = Places(tmp_path / "state" / "pg")
    places.root.mkdir(parents=True, mode=0o700)
    return places


def failure_of(places: Places, programs: Programs) -> str:
    with pytest.raises(SearchUnavailable) as failure:
        asyncio.run(EmbeddedServer(places, programs).start())
    return failure.value.sentence


@pytest.mark.parametrize("held", [None, "letter", "PG_VERSION"], ids=["nothing", "a letter", "an older Postgres"])
def test_a_link_in_the_place_of_the_data_is_told_and_what_it_leads_to_stays(
    tmp_path: Path, places: Places, held: str | None
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    places.data.symlink_to(elsewhere)
    if held is not None:
        (elsewhere / held).write_text("9\n", encoding="ascii")

    sentence = failure_of(places, Programs.find())

    assert sentence.startswith(f"{places.data} is a link to a place without the data of this Postgres. Remove the link")
    assert [each.name for each in elsewhere.iterdir()] == ([] if held is None else [held])
    assert not (places.root / "data.new").exists()


@pytest.mark.parametrize(
    ("free", "told"), [(1 << 20, "No space left on device. Free some space where "), (1 << 30, "it said nothing")]
)
def test_one_that_can_say_nothing_on_a_full_disk_is_told_as_that(
    places: Places, monkeypatch: pytest.MonkeyPatch, free: int, told: str
) -> None:
    programs = places.root / "bin"
    programs.mkdir()
    (programs / "postgres").write_text(
        f'#!{sys.executable}\nimport sys\nif "--version" in sys.argv: print("postgres (PostgreSQL) 18.0")\n',
        encoding="utf-8",
    )
    (programs / "postgres").chmod(0o700)
    places.data.mkdir()
    (places.data / "PG_VERSION").write_text("18\n", encoding="ascii")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))

    assert failure_of(places, Programs(programs)).startswith(f"Postgres did not start: {told}")
