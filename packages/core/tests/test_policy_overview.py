"""What a session is told of a map when it starts, and how rules and components read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_core.model import DAY, Graph, Node
from kg_core.model.globs import Glob
from kg_core.model.projectmap import Component, ProjectMap, Rule, Severity
from kg_core.model.steps import at_once
from kg_core.policy import LevelView, preload_blocks, prospects
from kg_core.policy.overview import measured, overview
from kg_core.render import Block, Mark, MarkKind, fit
from kg_core.render.rules import component_line, component_lines, rule_line, rule_lines
from kg_plugin_api import Limit, Unit

KEY = "project:shop"
LIMIT = Limit(9_000, Unit.BYTES)
NOW = 1_000 * DAY


def rules(count: int, severity: Severity = Severity.MUST, words: int = 20) -> tuple[Rule, ...]:
    return tuple(
        Rule(title=f"{severity} {number}", statement="word " * words, severity=severity) for number in range(count)
    )


def components(count: int) -> tuple[Component, ...]:
    return tuple(Component(slug=f"c{number:03d}", responsibility="what it does " * 3) for number in range(count))


def lines(project_map: ProjectMap, limit: Limit = LIMIT) -> list[str]:
    return [block.text for block in overview(project_map, KEY, limit, "kg_rules")]


def test_rules_that_hold_everywhere_come_before_the_tree_of_components() -> None:
    project_map = ProjectMap(
        (
            Component(slug="shop", responsibility="Sells things."),
            Component(slug="auth", parent="shop", name="Authentication", paths=(Glob.of("src/auth/**"),)),
            Component(slug="cart", parent="shop", priority=1),
        ),
        (
            Rule(title="Names", statement="Short ones.", severity=Severity.SHOULD),
            Rule(title="No clock", statement="Time is an argument."),
            Rule(title="Tokens", statement="Never logged.", component="auth"),
        ),
    )
    assert lines(project_map) == [
        "Rules that hold everywhere in this code base:",
        "  must: No clock: Time is an argument.",
        "  should: Names: Short ones.",
        "Its components (kg_rules with path or component gives their rules):",
        "  shop: Sells things.",
        "    cart",
        "    auth: Authentication [src/auth/**]",
    ]


def test_an_empty_map_says_nothing() -> None:
    assert lines(ProjectMap()) == []


def test_only_what_is_shown_is_marked() -> None:
    offered = rules(40)
    marks = {mark for block in overview(ProjectMap((), offered), KEY, LIMIT, "kg_rules") for mark in block.marks}
    assert 0 < len(marks) < 40
    assert marks <= {Mark(MarkKind.RULE, KEY, "", rule.version) for rule in offered}


def test_what_does_not_fit_is_counted_and_the_most_demanding_stay() -> None:
    shown = lines(
        ProjectMap((), (*rules(5, Severity.INFO, 90), *rules(15, words=35), Rule(title="short", statement="x")))
    )
    assert shown[1].startswith("  must")
    assert not any("info" in line for line in shown)
    assert shown[-1].endswith("more rules: kg_rules)")
    assert "  must: short: x" in shown


@pytest.mark.parametrize("limit", [LIMIT, Limit(9_500, Unit.UTF16)], ids=["bytes", "utf16"])
def test_each_may_use_what_the_other_leaves_and_no_more(limit: Limit) -> None:
    quarter = int(limit.maximum * 0.25)
    for project_map in (
        ProjectMap((), rules(100)),
        ProjectMap(components(500), ()),
        ProjectMap(components(500), rules(100)),
    ):
        blocks = overview(project_map, KEY, limit, "kg_rules")
        assert 0.85 * quarter < measured(blocks, limit) <= quarter
    both = overview(ProjectMap(components(500), rules(100)), KEY, limit, "kg_rules")
    told = [block for block in both if block.marks]
    assert 0.10 * limit.maximum < measured(told, limit) <= 0.15 * limit.maximum


_TEXTS = st.text(st.sampled_from("a b界👩‍👧é"), min_size=1, max_size=60)


@settings(deadline=None)
@given(st.lists(_TEXTS, max_size=12), st.lists(_TEXTS, max_size=12), st.integers(0, 3_000), st.sampled_from(Unit))
def test_it_never_exceeds_its_shares(titles: list[str], names: list[str], maximum: int, unit: Unit) -> None:
    project_map = ProjectMap(
        tuple(Component(slug=f"c{number}", name=name) for number, name in enumerate(names)),
        tuple(Rule(title=title, statement=title) for title in titles),
    )
    limit = Limit(maximum, unit)
    assert measured(overview(project_map, KEY, limit, "kg_rules"), limit) <= maximum // 4


def test_the_preload_shows_it_above_the_lessons_and_stays_within_its_limit() -> None:
    nodes = {f"n{number:03d}": Node(id=f"n{number:03d}", gist="gist " * 12, created=number) for number in range(300)}
    graph = Graph.build(KEY, nodes=nodes)
    told = overview(ProjectMap(components(500), rules(100)), KEY, LIMIT, "kg_rules")
    found = at_once(prospects([LevelView("Project memory", graph)], None, LIMIT.unit, NOW))
    blocks = preload_blocks(found, LIMIT, head=(Block(text="Head."),), rules=told)
    text = fit(blocks, LIMIT).text
    assert text == "\n".join(block.text for block in blocks)
    assert text.startswith("Head.\nRules that hold everywhere")
    assert "n299" in text
    assert 0.97 * LIMIT.maximum < LIMIT.measure(text) <= LIMIT.maximum
    without = fit(preload_blocks(found, LIMIT, head=(Block(text="Head."),)), LIMIT).text
    assert LIMIT.measure(without) > 0.97 * LIMIT.maximum


def test_a_rule_says_its_statement_once_and_in_one_line() -> None:
    assert rule_line(Rule(title="No clock.", statement="no clock")) == "  must: no clock"
    forged = Rule(title="A:", statement="b\n  must: forged", component="auth", rationale="why\nnot", source=" ")
    assert rule_lines(forged) == ["  must (auth): A: b must: forged", "    because: why not"]


def test_a_component_shows_its_first_patterns_and_in_full_whose_it_is() -> None:
    globs = tuple(Glob.of(f"src/{name}/**") for name in "abcd")
    component = Component(slug="auth", paths=globs, depends_on=("crypto", "db"), owner="@security")
    assert component_line(component, 1) == "    auth [src/a/**, src/b/**, src/c/**, …]"
    assert component_line(component, 5_000).startswith(" " * 26 + "auth [")
    assert component_lines(component)[1:] == ["    depends on: crypto, db", "    owner: @security"]
