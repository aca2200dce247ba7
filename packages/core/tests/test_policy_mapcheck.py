"""What of a map reaches nobody, or has been overtaken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_core.model.globs import Glob, composed
from kg_core.model.projectmap import Component, ProjectMap, Rule, Severity
from kg_core.policy.mapcheck import Finding, FindingKind, Tree, checked, dead_globs, overtaken, source_path, sources
from kg_core.policy.rules import components_of


def component(slug: str, *paths: str, **fields: object) -> Component:
    return Component(slug=slug, paths=tuple(Glob.of(path) for path in paths), **fields)


def found(project_map: ProjectMap, *files: str, repositories: tuple[str, ...] = (), **moved: str) -> list[Finding]:
    tree = Tree(files, repositories)
    told = {glob.text: what for glob in dead_globs(project_map, tree) for what in moved.values()}
    return checked(project_map, tree, told, lambda line: "Agent" if len(line) > 100 else "")


def test_a_map_all_of_which_reaches_somebody_gives_nothing() -> None:
    project_map = ProjectMap(
        (component("auth", "src/auth/**", depends_on=("crypto",)), component("crypto")),
        (Rule(title="a", statement="b", component="crypto"), Rule(title="c", statement="d")),
    )
    assert found(project_map, "src/auth/token.py") == []
    assert found(ProjectMap(), "src/auth/token.py") == []


def test_a_pattern_without_a_file_is_a_problem_and_says_what_became_of_its_files() -> None:
    project_map = ProjectMap((component("auth", "src/auht/**", "src/auth/**"),))
    (finding,) = found(project_map, "src/auth/token.py")
    assert finding.kind is FindingKind.NO_FILE
    assert finding.kind.is_problem
    assert finding.sentence.startswith("'src/auht/**' of component auth matches no file; look for a slip of the pen")
    (finding,) = found(project_map, "src/auth/token.py", moved="git has renamed what it matched, to src/authn/x.py")
    assert finding.sentence.endswith("matches no file; git has renamed what it matched, to src/authn/x.py.")


@pytest.mark.parametrize("pattern", ["vendor/lib", "vendor/lib/**", "vendor/lib/src/*.c", "vendor/**", "**/*.c"])
def test_what_lies_in_a_repository_within_is_not_called_dead(pattern: str) -> None:
    project_map = ProjectMap((component("lib", pattern),))
    assert found(project_map, repositories=("vendor/lib",)) == []
    assert found(ProjectMap((component("other", "vendor/other/**"),)), repositories=("vendor/lib",)) != []


def test_a_rule_to_which_no_file_leads_is_undeliverable() -> None:
    project_map = ProjectMap(
        (component("auth", "a/**"), component("ghost")), (Rule(title="Boo", statement="x", component="ghost"),)
    )
    (finding,) = found(project_map, "a/x")
    assert (finding.kind, finding.about) == (FindingKind.UNDELIVERABLE, "Boo")
    assert "component ghost has no paths, and no component with paths depends on it" in finding.sentence


def test_a_must_that_no_reply_can_bring_is_too_long() -> None:
    long = "word " * 40
    project_map = ProjectMap(
        (), (Rule(title="a", statement=long), Rule(title="b", statement=long, severity=Severity.INFO))
    )
    (finding,) = found(project_map)
    assert finding.sentence == "The rule 'a' is longer than one reply in Agent; say it in fewer words."


def test_files_without_a_component_are_counted_by_folder_and_are_no_problem() -> None:
    project_map = ProjectMap((component("auth", "src/auth/**"),))
    (finding,) = found(project_map, "src/auth/x", "docs/a", "docs/b", "src/y", "README.md")
    assert not finding.kind.is_problem
    assert finding.sentence == "4 of 5 files have no component: docs/ (2), src/ (1), the top folder (1)."
    (finding,) = found(project_map, "src/auth/x", *(f"{number}/x" for number in range(9)))
    assert finding.sentence.endswith("7/ (1), 1 more folder.")
    (finding,) = found(project_map, "src/auth/x", *(f"{number}/x" for number in range(10)))
    assert finding.sentence.endswith("7/ (1), 2 more folders.")


def test_the_files_of_kg_itself_need_no_component() -> None:
    project_map = ProjectMap((component("auth", "src/auth/**"),))
    assert found(project_map, "src/auth/x", ".kg/map.toml", ".kg/graph.json") == []
    (finding,) = found(project_map, "src/auth/x", ".kg/map.toml", ".kgb/file")
    assert finding.sentence == "1 of 2 files has no component: .kgb/ (1)."


def test_a_circle_of_many_is_told_in_a_line() -> None:
    many = [component(f"c{at:03}", depends_on=(f"c{(at + 1) % 500:03}",)) for at in range(500)]
    (finding,) = found(ProjectMap(tuple(many)))
    assert finding.sentence.startswith("depends_on goes in a circle: c000 → c001 → ")
    assert "c011 → 488 more → c000." in finding.sentence


_PARTS = st.sampled_from(["a", "b", "ab", "é", "e\u0301", "*", "?", "a*", "**"])
_PATTERNS = st.lists(_PARTS, min_size=1, max_size=4).map("/".join)
_FILES = st.lists(st.sampled_from(["a", "b", "ab", "é", "e\u0301"]), min_size=1, max_size=4).map("/".join)


@given(st.lists(_PATTERNS, max_size=6), st.lists(_FILES, max_size=8))
def test_what_is_looked_for_among_its_like_is_what_is_found_one_by_one(patterns: list[str], files: list[str]) -> None:
    project_map = ProjectMap(tuple(component(f"c{at}", pattern) for at, pattern in enumerate(patterns)))
    globs = [glob for each in project_map.components for glob in each.paths]
    assert dead_globs(project_map, Tree(tuple(files))) == [
        glob for glob in globs if not any(glob.matches(composed(file)) for file in files)
    ]
    without = [file for file in files if not components_of(project_map, file)] if globs else []
    told = [each for each in found(project_map, *files) if each.kind is FindingKind.UNMAPPED]
    assert [each.sentence.split(" ha")[0] for each in told] == (
        [f"{len(without)} of {len(files)} files"] if without else []
    )


def test_a_check_compares_no_pattern_with_files_that_begin_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    matches = Glob.matches

    def counted(glob: Glob, path: str) -> bool:
        nonlocal compared
        compared += 1
        return matches(glob, path)

    monkeypatch.setattr(Glob, "matches", counted)
    project_map = ProjectMap(tuple(component(f"c{at}", f"c{at}/**") for at in range(500)))
    assert found(project_map, *(f"c{at}/x" for at in range(500))) == []
    assert compared <= 4_000


def test_a_circle_of_dependencies_is_named() -> None:
    project_map = ProjectMap((component("a", "a/**", depends_on=("b",)), component("b", "b/**", depends_on=("a",))))
    (finding,) = found(project_map, "a/x", "b/x")
    assert not finding.kind.is_problem
    assert "a → b → a" in finding.sentence


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("docs/adr/7.md", "docs/adr/7.md"),
        ("./docs/adr/7.md#tokens", "docs/adr/7.md"),
        ("src/auth/token.py:12", "src/auth/token.py"),
        ("SECURITY.md", "SECURITY.md"),
        ("ADR 7", ""),
        ("ADR-7", ""),
        ("https://wiki.test/adr/7", ""),
        ("the talk of May, see docs/x.md", ""),
        ("", ""),
        ("...", ""),
    ],
)
def test_a_source_is_a_file_where_it_looks_like_one(source: str, path: str) -> None:
    assert source_path(source) == path


def test_a_source_that_is_gone_or_younger_than_the_map_is_told() -> None:
    named = {"gone": "docs/gone.md", "young": "docs/young.md", "old": "docs/old.md", "words": "a talk"}
    project_map = ProjectMap((), tuple(Rule(title=each, statement="x", source=at) for each, at in named.items()))
    assert sources(project_map) == ["docs/gone.md", "docs/young.md", "docs/old.md"]
    gone, young = overtaken(project_map, ["docs/gone.md"], {"docs/young.md": "2026-05-01"})
    assert (gone.kind, gone.about) == (FindingKind.SOURCE_GONE, "gone")
    assert (young.kind, young.about) == (FindingKind.SOURCE_CHANGED, "young")
    assert "was changed on 2026-05-01, after the map" in young.sentence
