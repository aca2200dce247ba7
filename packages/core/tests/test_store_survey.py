"""All files of a memory looked at from outside: what opening them would find, and nothing is touched."""

from __future__ import annotations

import asyncio
import json

from kg_core.store import Home, OsFiles, ProblemKind
from kg_core.store.survey import survey

FILES = {
    "user.json": '{"nodes": {"a": {"gist": 5}}}',
    "user.use.json": '{"use": {"a": {"tier": ',
    "projects/sound/graph.json": '{"nodes": {"a": {"gist": "x"}}}',
    "projects/cut/graph.json": '{"nodes": {"a": {"gist": "x"},',
    "projects/torn/graph.json": '{"nodes": {"a": {"gist": "x", "b"',
    "projects/merged/graph.json": '{"nodes": {\n<<<<<<< a\n"a": "x"\n=======\n"a": "y"\n>>>>>>> b\n}}',
    "projects/newer/graph.json": '{"format": 99, "nodes": {"a": 7}}',
    "projects/.hidden/graph.json": "{",
    "projects/empty/project.toml": "",
}


def found(home):
    async def main():
        return [problem async for problem in survey(home, OsFiles())]

    return {
        (problem.path.removeprefix(f"{home.memory}/"), problem.kind): problem.sentence
        for problem in asyncio.run(main())
    }


def test_every_file_that_is_damaged_odd_or_newer_is_told_and_none_is_touched(tmp_path):
    home = Home(tmp_path)
    for name, text in FILES.items():
        path = home.memory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    told = found(home)

    assert set(told) == {
        ("user.json", ProblemKind.ODD),
        ("user.use.json", ProblemKind.DAMAGED),
        ("projects/cut/graph.json", ProblemKind.DAMAGED),
        ("projects/torn/graph.json", ProblemKind.DAMAGED),
        ("projects/merged/graph.json", ProblemKind.DAMAGED),
        ("projects/newer/graph.json", ProblemKind.NEWER),
    }
    assert all(sentence.startswith(str(home.memory)) for sentence in told.values())
    assert "conflict markers" in told["projects/merged/graph.json", ProblemKind.DAMAGED]
    files = {str(path.relative_to(home.memory)) for path in home.root.rglob("*") if path.is_file()}
    assert files == set(FILES)
    assert all((home.memory / name).read_text("utf-8") == text for name, text in FILES.items())


def test_a_file_that_cannot_be_read_is_told_and_the_others_are_looked_at(tmp_path):
    home = Home(tmp_path)
    home.graph("user").mkdir(parents=True)
    path = home.graph("project:shop")
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"nodes": {"a": {}}}), encoding="utf-8")

    assert set(found(home)) == {("user.json", ProblemKind.DAMAGED), ("projects/shop/graph.json", ProblemKind.ODD)}


def test_a_memory_that_is_not_there_has_nothing_wrong(tmp_path):
    assert found(Home(tmp_path / "nowhere")) == {}
