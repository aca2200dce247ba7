"""Files of the memory that lie elsewhere, and projects whose memory was taken away while it was served."""

from __future__ import annotations

import asyncio
import json
import shutil

import pytest


@pytest.mark.parametrize("is_there", [True, False])
def test_a_link_in_place_of_a_file_stays_and_leads_to_what_is_saved(home, stores, values, tmp_path, is_there):
    kept = tmp_path / "dotfiles" / "memory.json"
    kept.parent.mkdir()
    if is_there:
        kept.write_text('{"nodes": {"by-hand": {"gist": "mine"}}, "edges": []}', encoding="utf-8")
    home.memory.mkdir(parents=True)
    home.graph("user").symlink_to(kept)

    async def main():
        store = await stores.served(home)
        await store.commit(values.put(values.node("learned")))
        await store.close()

    for _ in range(2):
        asyncio.run(main())

    assert home.graph("user").is_symlink()
    assert set(json.loads(kept.read_text("utf-8"))["nodes"]) == {"learned", *(["by-hand"] if is_there else [])}
    assert [path.name for path in kept.parent.iterdir()] == ["memory.json"]


@pytest.mark.parametrize("lost", ["root", "projects"])
def test_a_project_whose_memory_was_removed_and_is_written_again_keeps_its_folder(home, stores, values, tmp_path, lost):
    folder = str(tmp_path / "shop")

    async def main():
        store = await stores.served(home)
        project = store.projects.resolve(folder)
        await store.load(project.key)
        await store.commit(values.put(values.node("alpha"), graph=project.key))
        await store.snapshot()
        shutil.rmtree(getattr(home, lost))
        await store.look()
        await store.snapshot()
        await store.close()
        again = await stores.served(home)
        found = again.projects.resolve(folder)
        assert found.key == project.key
        assert set((await again.load(found.key)).nodes) == {"alpha"}
        await again.close()

    asyncio.run(main())


def test_what_a_person_wrote_into_a_registration_meanwhile_is_not_written_over(home, stores, values, tmp_path):
    async def main():
        store = await stores.served(home)
        project = store.projects.resolve(str(tmp_path / "shop"))
        await store.load(project.key)
        await store.commit(values.put(values.node("alpha"), graph=project.key))
        registration = home.project(project.slug) / "project.toml"
        registration.write_text('roots = ["/elsewhere/shop"]\n', encoding="utf-8")
        await store.close()
        assert registration.read_text("utf-8") == 'roots = ["/elsewhere/shop"]\n'

    asyncio.run(main())
