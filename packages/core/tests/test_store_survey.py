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


def test_edges_that_lead_to_nothing_are_listed_wherever_the_missing_end_would_be(tmp_path):
    home = Home(tmp_path)
    edges = [
        {"from": "here", "rel": "guards", "to": other}
        for other in ("gone", "here", "src/a.py", "user:there", "user:gone", "~/.zshrc")
    ]
    for key, document in {
        "user": {"nodes": {"there": {"gist": "x"}}},
        "project:shop": {"nodes": {"here": {"gist": "x"}}, "edges": edges},
    }.items():
        home.graph(key).parent.mkdir(parents=True, exist_ok=True)
        home.graph(key).write_text(json.dumps(document), encoding="utf-8")

    ((place, sentence),) = found(home).items()
    home.graph("user").unlink()
    unsure = found(home)[place]

    assert place == ("projects/shop/graph.json", ProblemKind.DORMANT)
    assert "here --guards--> gone; here --guards--> user:gone." in sentence
    assert "here --guards--> gone." in unsure


def test_what_no_tool_would_have_written_is_told_of_lessons_that_people_and_imports_brought(tmp_path):
    home = Home(tmp_path)
    nodes = {
        "within-all-limits": {"gist": "x" * 1_000, "notes": ["x" * 8_000] * 200, "tags": ["x" * 64] * 32},
        "a.b.c.d.e.f.g": {"gist": "x"},
        "has space": {"gist": "x"},
        "long": {"gist": "x" * 1_001, "notes": ["x"] * 201, "touches": ["x" * 513], "observer": "x" * 129},
    }
    home.memory.mkdir(parents=True)
    home.graph("user").write_text(json.dumps({"nodes": nodes}), encoding="utf-8")

    ((place, sentence),) = found(home).items()

    assert place == ("user.json", ProblemKind.BEYOND)
    assert "within-all-limits" not in sentence
    assert "'a.b.c.d.e.f.g' has an id of 7 words (6 at most);" in sentence
    assert "'has space' has an id that is not 1 to 128 letters" in sentence
    assert "'long' has a gist of 1,001 characters (1,000 at most) and 201 notes (200 at most) and one of" in sentence
    assert "touches with 513 characters (512 at most) and an `observer` of 129 characters (128 at most)." in sentence
    assert sentence.endswith("They are used as they are; only what an agent sends is held to these limits.")


def test_of_very_many_edges_and_lessons_a_few_are_named_and_the_others_counted(tmp_path):
    home = Home(tmp_path)
    nodes = {f"n{number}": {"gist": "x" * 1_001} for number in range(9)}
    edges = [{"from": name, "rel": "guards", "to": "gone"} for name in nodes]
    home.memory.mkdir(parents=True)
    home.graph("user").write_text(json.dumps({"nodes": nodes, "edges": edges}), encoding="utf-8")

    told = found(home)

    assert "; and 4 more. " in told["user.json", ProblemKind.BEYOND]
    assert "; and 4 more. " in told["user.json", ProblemKind.DORMANT]
