"""Core and server know no agent by its name: what an agent is like, its plug-in says."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
AGENTS = frozenset(path.name.removeprefix("harness-") for path in (ROOT / "packages").glob("harness-*"))
ALLOWED = {
    "packages/server/src/kg_server/setup/installed.py": "which plug-ins there are, for those who lack one",
    "packages/server/src/kg_server/cli/import_.py": "a format of files to import",
    "packages/core/src/kg_core/exchange/automemory.py": "the same format",
    "packages/core/src/kg_core/exchange/sources.py": "the same format",
}
"""Files that may name an agent, and why."""
SOURCES = sorted(
    path for package in ("plugin-api", "core", "server") for path in (ROOT / "packages" / package / "src").rglob("*.py")
)


def named(source: str) -> set[str]:
    """The agents that code names: in a text that is no docstring, or in a name."""
    tree = ast.parse(source)
    described = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in described:
                found.update(agent for agent in AGENTS if agent in text.lower())
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                found.update(agent for agent in AGENTS if agent in name.lower())
    return found


def test_no_code_below_the_plug_ins_names_an_agent() -> None:
    guilty = {
        path.relative_to(ROOT).as_posix(): names
        for path in SOURCES
        if (names := named(path.read_text(encoding="utf-8")))
    }

    assert {file: names for file, names in guilty.items() if file not in ALLOWED} == {}
    assert set(ALLOWED) <= set(guilty), "nothing is allowed that is not needed"


@pytest.mark.parametrize(
    "source",
    [
        'if harness.name == "codex":\n    pass',
        "from kg_harness_claude import CLAUDE",
        "antigravity_only = 1",
        "x.codex()",
    ],
)
def test_a_name_is_found_wherever_code_can_use_it(source: str) -> None:
    assert named(source)


def test_a_description_may_tell_of_an_agent() -> None:
    assert named('"""As Codex does."""\n\ndef f():\n    """Not for Claude."""\n    return 1  # Antigravity\n') == set()
