"""The page of faults names tests that exist, and leaves no fault out."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "faults.md"
NAMED = re.compile(r"`([\w/-]+\.py)::(\w+)`")
ROW = re.compile(r"^\| (\w+) \| (.+?) \| (.+?) \|$", re.MULTILINE)
SEEN = [str(number) for number in range(1, 42)]
PROVEN = [f"F{number}" for number in (2, 3, 4, 5, 7, 8, *range(11, 17), *range(27, 39))]


@pytest.fixture(scope="module")
def rows() -> list[tuple[str, str, str]]:
    return ROW.findall(PAGE.read_text(encoding="utf-8"))


@cache
def written_in(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(
        node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def test_every_fault_has_its_line(rows: list[tuple[str, str, str]]) -> None:
    assert [number for number, _, _ in rows] == SEEN + PROVEN


def test_every_line_names_a_test_that_exists(rows: list[tuple[str, str, str]]) -> None:
    missing = []
    for number, _, answer in rows:
        named = NAMED.findall(answer)
        if not named:
            missing.append(f"{number} names no test")
        missing += [
            f"{number}: {path}::{name}"
            for path, name in named
            if not (ROOT / path).is_file() or name not in written_in(ROOT / path)
        ]

    assert missing == []
