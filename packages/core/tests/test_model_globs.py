"""Patterns of paths in a project's map."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kg_core.model.globs import Glob


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("src/auth/token.py", "src/auth/token.py"),
        ("src/auth", "src/auth/token.py"),
        ("src/auth/", "src/auth/deep/er/token.py"),
        ("./src/auth/**", "src/auth/token.py"),
        ("/src/*.py", "src/a.py"),
        ("src\\auth\\*.py", "src/auth/a.py"),
        ("**/*.py", "a.py"),
        ("**/*.py", "x/y/a.py"),
        ("src/**/test_*.py", "src/test_a.py"),
        ("src/**/**/test_*.py", "src/x/y/test_a.py"),
        ("**", ".hidden/file"),
        ("app/[id]/page.tsx", "app/[id]/page.tsx"),
        ("文档/*.md", "文档/说明.md"),
        ("a b/?.txt", "a b/c.txt"),
        ("**/auth/**", "x/auth/y"),
    ],
)
def test_a_pattern_matches_what_it_reads_like(pattern: str, path: str) -> None:
    assert Glob.of(pattern).matches(path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("src/auth/**", "src/auth"),
        ("**/auth/**", "x/auth"),
        ("src/auth", "src/authority.py"),
        ("src/*.py", "src/deep/a.py"),
        ("src/?.py", "src/ab.py"),
        ("SRC/*.py", "src/a.py"),
        ("app/[id]/page.tsx", "app/i/page.tsx"),
        ("*.py", "src/a.py"),
        ("src/*", "src/a/b"),
        ("src/**/a.py", "lib/src/a.py"),
    ],
)
def test_a_pattern_matches_nothing_else(pattern: str, path: str) -> None:
    assert not Glob.of(pattern).matches(path)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("", "'**' means every file"),
        ("./", "empty"),
        (".", "empty"),
        (".//.", "empty"),
        ("src/**.py", "a part of its own"),
        ("../x", "'..'"),
    ],
)
def test_what_means_nothing_is_refused_with_a_reason(pattern: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        Glob.of(pattern)


def test_what_a_path_must_begin_with_is_all_before_the_first_wildcard() -> None:
    assert Glob.of("src/auth/to*.py").literal == "src/auth/to"
    assert Glob.of("src/a?/**").literal == "src/a"
    assert Glob.of("src/auth/**").literal == "src/auth/"
    assert Glob.of("src/auth").is_exactly("src/auth")
    assert not Glob.of("src/auth").is_exactly("src/auth/token.py")


_PARTS = st.lists(st.text("ab*?", min_size=1, max_size=4).filter(lambda part: "**" not in part) | st.just("**"))


@settings(deadline=None)
@example(["**", "a"], ["a"]).via("what follows the last ** is all there is")
@given(_PARTS.filter(bool), st.lists(st.text("ab", min_size=1, max_size=4), min_size=1, max_size=5))
def test_it_agrees_with_a_regular_expression(parts: list[str], path: list[str]) -> None:
    glob = Glob.of("/".join(parts))
    assert glob.matches("/".join(path)) == bool(_expression(glob.text).fullmatch("/".join(path)))


def _expression(text: str) -> re.Pattern[str]:
    *parts, last = text.split("/")
    written = "".join("(?:[^/]+/)*" if part == "**" else f"{_part(part)}/" for part in parts)
    if last == "**":
        return re.compile(f"{written}(?:[^/]+/)*[^/]+")
    below = "" if "*" in text or "?" in text else "(?:/.*)?"
    return re.compile(f"{written}{_part(last)}{below}")


def _part(part: str) -> str:
    return re.escape(part).replace(r"\*", "[^/]*").replace(r"\?", "[^/]")


def test_a_pattern_made_to_be_slow_is_not() -> None:
    path = "/".join(["a" * 250] * 16)
    for part in ("*a" * 250 + "b", "*" + "a" * 120 + "b*", "*?" + "a" * 120 + "b*"):
        for pattern in (f"**/{part}", f"**/{part}/**", f"**/*/{part}/**/a"):
            glob = Glob.of(pattern)
            assert not any(glob.matches(path) for _ in range(200))
    glob = Glob.of("/".join(["**", "*a*a*a*a*a*a*b"] * 12))
    assert not glob.matches("/".join(["a" * 60] * 40))
