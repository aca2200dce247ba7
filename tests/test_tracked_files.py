"""Rules about what is in the repository: nothing of one machine, no registry, modules of a size to read at once."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
REGISTRIES = re.compile(
    r"\b(?:pypi|pythonhosted|npmjs|yarnpkg)\.(?:org|com|io)\b"
    r"|^\s*(?:index-url|extra-index-url|find-links)\s*="
    r"|files\.\w+hosted\.",
    re.MULTILINE,
)
LINK = re.compile(r"\]\((?!https?://|#|mailto:)([^)#\s]+)")
MOST_LINES, FEW_LINES = 600, 330


@pytest.fixture(scope="module")
def tracked(tool_environ: dict[str, str]) -> list[Path]:
    """Every file that git tracks and the work tree has."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, env=tool_environ, capture_output=True, check=True, encoding="utf-8"
    ).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def texts(tracked: list[Path]) -> dict[Path, str]:
    return {path.relative_to(ROOT): path.read_text(encoding="utf-8", errors="replace") for path in tracked}


def lines(text: str) -> int:
    return text.count("\n") + 1


def test_the_lock_file_is_not_tracked(texts: dict[Path, str]) -> None:
    assert [path for path in texts if path.name in {"uv.lock", "package-lock.json"}] == []


def test_no_registry_is_named(texts: dict[Path, str]) -> None:
    assert [str(path) for path, text in texts.items() if REGISTRIES.search(text)] == []


def test_no_place_of_this_machine_is_named(texts: dict[Path, str], tool_environ: dict[str, str]) -> None:
    places = [f"{ROOT}/", f"{tool_environ.get('HOME', ROOT)}/"]

    assert [str(path) for path, text in texts.items() if any(place in text for place in places)] == []


def test_links_between_pages_lead_somewhere(texts: dict[Path, str]) -> None:
    broken = [
        f"{path}: {target}"
        for path, text in texts.items()
        if path.suffix == ".md"
        for target in LINK.findall(text)
        if not (ROOT / path.parent / target).exists()
    ]

    assert broken == []


def test_every_decision_is_in_the_index_once(texts: dict[Path, str]) -> None:
    folder = Path("docs/decisions")
    pages = {path.name for path in texts if path.parent == folder} - {"README.md"}

    assert sorted(LINK.findall(texts[folder / "README.md"])) == sorted(pages)


def test_nine_modules_in_ten_can_be_read_at_once(texts: dict[Path, str]) -> None:
    sizes = {str(path): lines(text) for path, text in texts.items() if path.suffix == ".py" and "src" in path.parts}
    long = sorted(((size, name) for name, size in sizes.items() if size > FEW_LINES), reverse=True)

    assert len(long) * 10 <= len(sizes), "\n".join(f"{size:5} {name}" for size, name in long)


def test_no_module_is_too_long_to_follow(texts: dict[Path, str]) -> None:
    sizes = {str(path): lines(text) for path, text in texts.items() if path.suffix == ".py"}

    assert {name: size for name, size in sizes.items() if size > MOST_LINES} == {}
