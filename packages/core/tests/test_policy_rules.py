"""Which rules hold for a file."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kg_core.model.globs import Glob
from kg_core.model.projectmap import Component, ProjectMap, Rule, Severity, ancestry_cycles, dependency_cycles
from kg_core.policy.rules import applying, components_of, of_component, reached


def component(slug: str, *paths: str, **fields: object) -> Component:
    return Component(slug=slug, paths=tuple(Glob.of(path) for path in paths), **fields)


def rule(title: str, of: str = "", severity: Severity = Severity.MUST) -> Rule:
    return Rule(title=title, statement=f"{title}.", component=of, severity=severity)


def slugs(project_map: ProjectMap, path: str) -> list[str]:
    return [each.slug for each in components_of(project_map, path)]


def test_an_exact_path_comes_before_patterns_and_a_longer_beginning_before_a_shorter_one() -> None:
    project_map = ProjectMap(
        (
            component("all", "**", priority=99),
            component("source", "src/**"),
            component("auth", "src/auth/**"),
            component("token", "src/auth/token.py"),
        )
    )
    assert slugs(project_map, "src/auth/token.py") == ["token", "auth", "source", "all"]
    assert slugs(project_map, "src/x.py") == ["source", "all"]


def test_of_equal_matches_the_higher_priority_comes_first_then_the_slug() -> None:
    project_map = ProjectMap((component("b", "src/**"), component("a", "src/**"), component("c", "src/**", priority=1)))
    assert slugs(project_map, "src/x") == ["c", "a", "b"]


def test_accents_count_alike_however_a_disk_writes_them() -> None:
    project_map = ProjectMap((component("menu", "cafe\u0301/**"), component("list", "caf\u00e9/list.py")))
    assert slugs(project_map, "caf\u00e9/list.py") == slugs(project_map, "cafe\u0301/list.py") == ["list", "menu"]


def test_a_component_counts_by_its_best_pattern() -> None:
    project_map = ProjectMap((component("wide", "**", "src/auth/token.py"), component("auth", "src/auth/**")))
    assert slugs(project_map, "src/auth/token.py") == ["wide", "auth"]


def test_rules_come_with_one_step_along_what_a_component_depends_on() -> None:
    project_map = ProjectMap(
        (
            component("auth", "src/auth/**", depends_on=("crypto",)),
            component("crypto", "src/crypto/**", depends_on=("math",)),
            component("math", "src/math/**"),
        ),
        (rule("of math", "math"), rule("of crypto", "crypto"), rule("of auth", "auth"), rule("of all")),
    )
    found = applying(project_map, ["src/auth/token.py"])
    assert [each.title for each in found.rules] == ["of auth", "of crypto"]
    assert [each.slug for each in found.beside] == ["crypto"]
    assert [each.title for each in applying(project_map, ["src/crypto/x"]).rules] == ["of crypto", "of math"]


def test_own_rules_come_first_and_the_most_demanding_first_among_them() -> None:
    project_map = ProjectMap(
        (component("a", "a/**", depends_on=("b",)), component("b", "b/**")),
        (rule("b must", "b"), rule("a info", "a", Severity.INFO), rule("a should", "a", Severity.SHOULD)),
    )
    found = applying(project_map, ["a/x"])
    assert [each.title for each in found.rules] == ["a should", "a info", "b must"]
    assert [each.title for each in found.with_severity(Severity.MUST)] == ["b must"]


def test_several_files_give_each_rule_once_and_name_what_no_component_has() -> None:
    project_map = ProjectMap(
        (component("a", "a/**", depends_on=("b",)), component("b", "b/**")), (rule("of a", "a"), rule("of b", "b"))
    )
    found = applying(project_map, ["b/x", "a/x", "a/y", "README.md"])
    assert [each.title for each in found.rules] == ["of b", "of a"]
    assert found.beside == ()
    assert found.unmapped == ("README.md",)


def test_what_holds_for_a_component_does_not_ask_for_a_file() -> None:
    project_map = ProjectMap((component("a", depends_on=("b",)), component("b")), (rule("of b", "b"),))
    assert [each.title for each in of_component(project_map, project_map.by_slug["a"]).rules] == ["of b"]


def test_rules_reach_somebody_where_a_file_leads_to_them() -> None:
    project_map = ProjectMap((component("a", "a/**", depends_on=("b",)), component("b"), component("c")))
    assert reached(project_map) == {"a", "b"}


def test_circles_are_named_from_their_first_slug() -> None:
    components = [component("c", parent="a"), component("a", parent="b"), component("b", parent="c"), component("d")]
    assert ancestry_cycles(components) == [("a", "b", "c")]
    depending = [component("x", depends_on=("y", "z")), component("y", depends_on=("x",)), component("z")]
    assert dependency_cycles(depending) == [("x", "y")]


def test_a_chain_of_thousands_is_walked_without_recursion() -> None:
    chain = [component(f"c{number:04d}", depends_on=(f"c{number + 1:04d}",)) for number in range(5_000)]
    assert dependency_cycles([*chain, component("c5000")]) == []
    assert len(dependency_cycles([*chain, component("c5000", depends_on=("c0000",))])[0]) == 5_001


_SLUGS = st.sampled_from("abcdef")


@settings(deadline=None)
@given(st.dictionaries(_SLUGS, st.lists(_SLUGS, max_size=3)))
def test_a_circle_is_found_exactly_where_a_component_leads_back_to_itself(wanted: dict[str, list[str]]) -> None:
    components = [component(slug, depends_on=tuple(others)) for slug, others in wanted.items()]

    def leads_back(start: str) -> bool:
        seen: set[str] = set()
        ahead = list(wanted[start])
        while ahead:
            slug = ahead.pop()
            if slug == start:
                return True
            if slug not in seen:
                seen.add(slug)
                ahead += wanted.get(slug, [])
        return False

    found = dependency_cycles(components)
    assert bool(found) == any(leads_back(slug) for slug in wanted)
    for cycle in found:
        assert all(after in wanted[slug] for slug, after in zip(cycle, (*cycle[1:], cycle[0]), strict=True))


def test_a_rule_that_is_worded_anew_is_another_one() -> None:
    assert rule("a").version == rule("a").version
    assert rule("a").version != rule("b").version
    assert rule("a", "auth").version != rule("a").version
