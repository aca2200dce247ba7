"""The pages that a person can live through do what they say: their commands are run in order, and say what is shown."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCS = Path(__file__).parents[1] / "docs"
PAGES = {"your-files.md": 10, "recall.md": 3, "questions.md": 4, "conclusions.md": 5}
"""Each page, and more than how many steps it has."""
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EDITOR = """\
import json, os, sys
path, changes = sys.argv[1], json.load(open(os.environ["CHANGES"], encoding="utf-8"))
text = open(path, encoding="utf-8").read()
for before, after in changes:
    assert text.count(before) == 1, f"{before!r} stands {text.count(before)} times in {path}"
    text = text.replace(before, after)
open(path, "w", encoding="utf-8").write(text)
"""


@dataclass
class Step:
    """A block of commands, the change that the editor makes in it, and what it prints."""

    commands: str
    changes: list[tuple[str, str]] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)


def steps(page: str) -> Iterator[Step]:
    step: Step | None = None
    for language, text in FENCE.findall(page):
        if language == "sh":
            if step is not None:
                yield step
            step = Step(text)
        elif step is not None and language == "diff":
            step.changes = list(hunks(text))
        elif step is not None and language == "text":
            step.shown = text.splitlines()
    if step is not None:
        yield step


def hunks(diff: str) -> Iterator[tuple[str, str]]:
    """Each run of removed lines with the added lines behind it."""
    for removed, added in re.findall(r"((?:^-.*\n)+)((?:^\+.*\n)*)", diff, re.MULTILINE):
        yield re.sub(r"^-", "", removed, flags=re.MULTILINE), re.sub(r"^\+", "", added, flags=re.MULTILINE)


@pytest.fixture
def person(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A person with an empty home, an editor that makes the changes that a step names, and git."""
    home = tmp_path / "ana"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\nname = Ana\nemail = ana@example.test\n", encoding="utf-8")
    (tmp_path / "editor.py").write_text(EDITOR, encoding="utf-8")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("KG_", "GIT_"))}
    environ = {
        **inherited,
        "HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "EDITOR": f"{sys.executable} {tmp_path / 'editor.py'}",
        "CHANGES": str(tmp_path / "changes.json"),
        "WHERE": str(tmp_path / "where"),
    }
    yield environ
    subprocess.run(["kg", "stop"], env=environ, check=False, capture_output=True, timeout=60)


def shown_at(line: str, text: str, start: int) -> re.Match[str] | None:
    """Where a shown line stands: ``…`` is what differs each time, and so are measured numbers."""
    parts = (re.sub(r"\d+\\\.\d+", r"\\d+\\.\\d+", re.escape(part)) for part in line.split("…"))
    return re.compile("[^\n]*".join(parts)).search(text, start)


def live_through(page: str, person: dict[str, str]) -> None:
    """Runs a page's commands and asserts that they print what it shows."""
    where = person["HOME"]
    for step in steps((DOCS / page).read_text(encoding="utf-8")):
        Path(person["CHANGES"]).write_text(json.dumps(step.changes), encoding="utf-8")
        done = subprocess.run(
            ["bash", "-e", "-c", f'{step.commands}\npwd > "$WHERE"'],
            cwd=where,
            env=person,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, f"{step.commands}\n{done.stdout}"
        at = 0
        for line in step.shown:
            found = shown_at(line, done.stdout, at)
            assert found is not None, f"{step.commands}\ndoes not print {line!r}, but:\n{done.stdout}"
            at = found.end()
        where = Path(person["WHERE"]).read_text(encoding="utf-8").strip()


@pytest.mark.parametrize("page", PAGES)
def test_a_whole_day_by_hand_goes_as_the_page_says(page: str, person: dict[str, str]) -> None:
    live_through(page, person)


def test_a_page_can_be_lived_through_after_another(person: dict[str, str]) -> None:
    for page in ("questions.md", "recall.md"):  # both are about a shop
        live_through(page, person)


@pytest.mark.parametrize("page", PAGES)
def test_the_page_has_steps_to_run(page: str) -> None:
    assert len(list(steps((DOCS / page).read_text(encoding="utf-8")))) > PAGES[page]
