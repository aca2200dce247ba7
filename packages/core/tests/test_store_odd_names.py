"""Folders whose names are bytes that are no UTF-8, and clients that cannot write such a name."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from kg_core.store import Home, OsFiles, Places, Projects, as_on_disk
from kg_core.store.problems import Problems

pytestmark = pytest.mark.skipif(os.name == "nt", reason="names there are text")

NOWHERE = Places(Path("/home/nobody"), ())


def test_a_folder_whose_name_is_not_utf_8_keeps_its_memory_over_a_restart(home, stores, values, tmp_path):
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")
    Path(folder).mkdir()

    async def main():
        store = await stores.opened(home)
        project = store.projects.resolve(folder)
        await store.load(project.key)
        await store.commit(values.put(values.node("alpha"), graph=project.key))
        await store.close()
        again = await stores.opened(home)
        assert again.problems() == ()
        assert again.projects.resolve(folder) == project
        await again.close()

    asyncio.run(main())
    (registration,) = home.projects.glob("*/project.toml")
    assert os.fsencode(folder) in registration.read_bytes()


def test_a_name_that_a_client_could_not_write_is_found_where_one_alone_can_be_meant(tmp_path):
    above = os.fsencode(tmp_path)
    Path(os.fsdecode(above + b"/caf\xe9/src")).mkdir(parents=True)
    told = f"{tmp_path}/caf\ufffd/src/new.py"

    assert os.fsencode(as_on_disk(told)) == above + b"/caf\xe9/src/new.py"
    (tmp_path / "caf\ufffd").mkdir()
    assert as_on_disk(told) == told
    (tmp_path / "caf\ufffd").rmdir()
    Path(os.fsdecode(above + b"/caf\xe8")).mkdir()
    assert as_on_disk(told) == told
    for path in ("caf\ufffd", "", f"{tmp_path}/none\ufffd/x", f"{tmp_path}/plain", "/\ufffd" + "x" * 5000):
        assert as_on_disk(path) == path


def test_a_folder_is_one_project_however_a_client_can_name_it(tmp_path):
    home = Home(tmp_path / "kg")
    projects = Projects(home, OsFiles(), NOWHERE, lambda: 0)
    projects.load(Problems())
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")
    Path(folder).mkdir()

    assert projects.resolve(f"{tmp_path}/caf\ufffd") == projects.resolve(folder)
    assert len(projects.all()) == 1
