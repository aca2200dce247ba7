"""The test run stays apart from the person who runs it: the root conftest, run in a pytest of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def run_test(tmp_path: Path):
    """Runs the body of one test beside a copy of the root conftest, with a home of its own."""
    person = tmp_path / "person"
    (person / ".kg").mkdir(parents=True)
    project = tmp_path / "project"
    project.mkdir()
    shutil.copy(ROOT / "conftest.py", project)

    def run(body: str, **environ: str) -> tuple[int, str]:
        (project / "test_body.py").write_text(f"def test_body():\n    {body}\n", encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_body.py"],
            cwd=project,
            env={**os.environ, "HOME": str(person), **environ},
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        return done.returncode, done.stdout

    return run


def test_home_and_memory_are_a_temporary_folder() -> None:
    home = Path.home()

    assert "kg-tests-" in home.name
    assert os.environ["KG_HOME"] == str(home / ".kg")


def test_variables_that_move_kg_or_a_client_are_not_inherited(run_test) -> None:
    body = "import os; assert not {'KG_PORT', 'CODEX_HOME', 'ANTHROPIC_BASE_URL'} & os.environ.keys()"

    code, output = run_test(body, KG_PORT="1", CODEX_HOME="/nowhere", ANTHROPIC_BASE_URL="http://127.0.0.1:9")

    assert code == 0, output


def test_a_test_that_opens_the_real_memory_fails(run_test, tmp_path: Path) -> None:
    memory = tmp_path / "person" / ".kg" / "config.toml"
    memory.write_text("", encoding="utf-8")

    code, output = run_test(f"open({str(memory)!r}).close()")

    assert code == 1
    assert "touched what belongs to the person" in output


def test_a_test_that_looks_into_a_moved_client_folder_fails(run_test, tmp_path: Path) -> None:
    moved = tmp_path / "codex"
    moved.mkdir()

    code, _ = run_test(f"import os; os.listdir({str(moved)!r})", CODEX_HOME=str(moved))

    assert code == 1


def test_a_test_that_keeps_to_itself_passes(run_test) -> None:
    code, output = run_test("from pathlib import Path; (Path.home() / '.kg').mkdir()")

    assert code == 0, output
