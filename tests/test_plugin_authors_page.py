"""The page for plug-in authors: its code is one plug-in that works, and its commands are those that there are."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kg_core.host import Plugins
from kg_core.store import Home, Settings
from kg_plugin_api import MemoryChange

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "plugin-authors.md").read_text(encoding="utf-8")
CODE = dict(re.findall(r"^```python\n# (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
PROJECT, SETTINGS = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = [
    line for block in re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL) for line in block.splitlines()
]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the page's plug-in, importable, and recordings of an agent that nobody has."""
    for name, text in CODE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    install(tmp_path, tomllib.loads(PROJECT)["project"])
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "kg_tiny"]:
        del sys.modules[name]


def test_every_block_of_code_is_a_file_of_the_plug_in() -> None:
    assert len(CODE) == PAGE.count("```python\n")
    assert tomllib.loads(PROJECT)["project"]["entry-points"]["kg"] == {"tiny": "kg_tiny"}


def test_the_plug_in_of_the_page_is_found_and_offers_one_of_everything(package: Path) -> None:
    plugins = Plugins.load(points=[EntryPoint("tiny", "kg_tiny", "kg")])

    plugins.changed(MemoryChange(sequence=1, graph="user", by="somebody"))

    assert plugins.problems == ()
    assert [harness.name for harness in plugins.harnesses] == ["tiny"]
    assert [factory.name for factory in plugins.search_backends] == ["tiny"]
    counting = plugins.operation("tiny", "count").run({})
    with pytest.raises(StopIteration) as answered:
        counting.send(None)
    assert answered.value.value == {"changes": 1, "of": "all"}


@pytest.mark.slow
def test_the_plug_in_of_the_page_passes_the_suites_that_the_page_shows(package: Path) -> None:
    payloads = package / "tests" / "payloads"
    (record,) = [shlex.split(line) for line in COMMANDS if "kg_plugin_testing.recorder" in line]
    for native in ("Start", "Prompt", "End"):
        command = [sys.executable, *record[1:3], str(payloads), record[4], native]
        payload = {"session": "s", "cwd": "/home/user/project", "prompt": "Close the ledger."}
        subprocess.run(command, input=json.dumps(payload).encode(), timeout=60, check=True)

    tests = ["-q", "-p", "no:cacheprovider", "--rootdir", str(package), str(package / "tests")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *tests],
        cwd=package,
        env={**os.environ, "PYTHONPATH": str(package)},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, done.stdout
    assert len(list(payloads.iterdir())) == 3


def test_the_commands_of_the_page_make_a_package_of_each_kind(tmp_path: Path) -> None:
    commands = [shlex.split(line) for line in COMMANDS if "templates/new.py" in line]

    for _, script, kind, name, folder, *more in commands:
        target = tmp_path / Path(folder).name
        subprocess.run([sys.executable, str(ROOT / script), kind, name, str(target), *more], timeout=60, check=True)

        assert (target / "src" / f"kg_{kind}_{name.replace('-', '_')}" / "__init__.py").is_file()
        assert ".venv/" in (target / ".gitignore").read_text(encoding="utf-8").splitlines()
        left = [file for file in target.rglob("*") if file.is_file() and spells_example(file)]
        assert left == [], "the template's own name is left"

    assert {command[2] for command in commands} == {
        path.name for path in (ROOT / "templates").iterdir() if path.is_dir()
    }


@pytest.mark.parametrize(
    ("name", "more"),
    [("My", []), ("a--b", []), ("1a", []), ("fine", ["--title", 'a "b"']), ("fine", ["--title", "a\nb"])],
)
def test_a_name_or_title_that_would_break_a_file_is_refused(tmp_path: Path, name: str, more: list[str]) -> None:
    command = [sys.executable, str(ROOT / "templates" / "new.py"), "search", name, str(tmp_path / "new"), *more]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)

    assert done.returncode == 2
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("kind", ["harness", "search"])
@pytest.mark.parametrize(
    ("name", "why"),
    [
        *((name, "is a word of Python itself") for name in ("class", "match")),
        *((name, "is taken by kg itself") for name in ("claude", "core", "server", "search-pg", "sqlite", "builtin")),
        *((name, "is taken by kg itself") for name in ("mcp", "systemd", "search-backend", "team-app")),
    ],
)
def test_a_name_that_others_have_is_refused_in_a_sentence(tmp_path: Path, kind: str, name: str, why: str) -> None:
    command = [sys.executable, str(ROOT / "templates" / "new.py"), kind, name, str(tmp_path / "new")]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60, check=False)

    assert done.returncode == 2
    assert f"{name!r} {why}: choose another name" in done.stderr
    assert not (tmp_path / "new").exists()


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    command = [sys.executable, str(ROOT / "templates" / "new.py"), "search", "fine", str(tmp_path)]

    assert subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 1
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_the_settings_of_the_page_are_settings(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(SETTINGS, encoding="utf-8")

    assert Settings.load(Home(tmp_path)).search.options == {"colour": "red"}


def install(folder: Path, project: Mapping[str, Any]) -> None:
    """What an installer would note beside the package."""
    notes = folder / f"kg_tiny-{project['version']}.dist-info"
    notes.mkdir()
    head = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}"]
    required = [f"Requires-Dist: {line}" for line in project["dependencies"]]
    (notes / "METADATA").write_text("\n".join([*head, *required, ""]), encoding="utf-8")
    points = [f"{name} = {module}" for name, module in project["entry-points"]["kg"].items()]
    (notes / "entry_points.txt").write_text("\n".join(["[kg]", *points, ""]), encoding="utf-8")


def spells_example(file: Path) -> bool:
    return "example" in f"{file.name} {file.read_text(encoding='utf-8')}".casefold()
