"""Rules about packages that no tool checks. A new package is covered on the day its folder appears."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections import Counter
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]


def read_toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


ROOT_TOML = read_toml(ROOT / "pyproject.toml")
FOLDERS = {path.parent.name: read_toml(path) for path in sorted(ROOT.glob("packages/*/pyproject.toml"))}
VERSIONS = {toml["project"]["name"]: Version(toml["project"]["version"]) for toml in FOLDERS.values()}
IMPORTS = [name.replace("-", "_") for name in VERSIONS]
HARNESSES = [folder for folder in FOLDERS if folder.startswith("harness-")]
SEARCHES = [folder for folder in FOLDERS if folder.startswith("search-")]

each_package = pytest.mark.parametrize("folder", FOLDERS)
each_harness = pytest.mark.parametrize("folder", HARNESSES)


def declared(toml: dict[str, Any]) -> list[Requirement]:
    """Every requirement that a pyproject names: of the package, its extras and its groups."""
    project = toml["project"]
    lines = [*project.get("dependencies", [])]
    for extra in project.get("optional-dependencies", {}).values():
        lines += extra
    for group in toml.get("dependency-groups", {}).values():
        lines += [line for line in group if isinstance(line, str)]
    return [Requirement(line) for line in lines]


def imported(source: Path) -> set[str]:
    """The top-level names of all modules that the code below a folder imports, anywhere in it."""
    names: set[str] = set()
    for path in source.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.partition(".")[0])
    return names


def pins() -> dict[str, Version]:
    found = {}
    for line in ROOT_TOML["tool"]["uv"]["constraint-dependencies"]:
        requirement = Requirement(line)
        (pin,) = requirement.specifier
        assert pin.operator == "==", line
        found[canonicalize_name(requirement.name)] = Version(pin.version)
    return found


def test_the_members_group_and_the_sources_are_the_package_folders() -> None:
    assert sorted(ROOT_TOML["dependency-groups"]["members"]) == sorted(VERSIONS)
    assert ROOT_TOML["tool"]["uv"]["sources"] == {name: {"workspace": True} for name in VERSIONS}


def test_every_tool_knows_every_package() -> None:
    tools = ROOT_TOML["tool"]

    assert sorted(tools["importlinter"]["root_packages"]) == sorted(IMPORTS)
    assert sorted(tools["ruff"]["lint"]["isort"]["known-first-party"]) == sorted(IMPORTS)
    sources = [path for kind in ("packages", "examples", "templates") for path in ROOT.glob(f"{kind}/*/src")]
    assert sorted(tools["mypy"]["mypy_path"]) == sorted(path.relative_to(ROOT).as_posix() for path in sources)


@each_package
def test_a_folder_its_distribution_and_its_import_have_one_name(folder: str) -> None:
    assert FOLDERS[folder]["project"]["name"] == f"kg-{folder}"
    assert [path.name for path in (ROOT / "packages" / folder / "src").iterdir() if path.is_dir()] == [
        f"kg_{folder.replace('-', '_')}"
    ]


@each_package
def test_every_package_needs_the_same_python(folder: str) -> None:
    assert FOLDERS[folder]["project"]["requires-python"] == ROOT_TOML["project"]["requires-python"]


@each_package
def test_every_package_names_what_its_tests_need(folder: str) -> None:
    assert FOLDERS[folder]["dependency-groups"]["test"], "without it the package cannot be tested alone"


@each_package
def test_ranges_between_members_hold_for_the_versions_of_the_members(folder: str) -> None:
    for requirement in declared(FOLDERS[folder]):
        if requirement.name in VERSIONS:
            assert requirement.specifier.contains(VERSIONS[requirement.name]), str(requirement)


@each_package
def test_a_package_imports_only_what_it_requires(folder: str) -> None:
    own = f"kg_{folder.replace('-', '_')}"
    required = {canonicalize_name(Requirement(r).name) for r in FOLDERS[folder]["project"]["dependencies"]}
    owners = {**metadata.packages_distributions(), **{name.replace("-", "_"): [name] for name in VERSIONS}}
    foreign = imported(ROOT / "packages" / folder / "src") - sys.stdlib_module_names - {own}

    missing = {name for name in foreign if not required & {canonicalize_name(d) for d in owners.get(name, [])}}

    assert missing == set(), "an environment with this package alone has no such module"


@each_harness
def test_a_harness_is_compatible_by_the_plug_in_api_alone(folder: str) -> None:
    ranges = {r.name: r.specifier for r in map(Requirement, FOLDERS[folder]["project"]["dependencies"])}

    assert set(ranges) == {"kg-plugin-api", "kg-server"}
    assert sorted(part.operator for part in ranges["kg-plugin-api"]) == ["<", ">="]
    assert [part.operator for part in ranges["kg-server"]] == [">="], "a floor, never a cap"


def test_the_server_offers_every_plug_in_as_an_extra() -> None:
    extras = FOLDERS["server"]["project"]["optional-dependencies"]

    assert extras == {folder.partition("-")[2]: [f"kg-{folder}"] for folder in [*HARNESSES, *SEARCHES]}


@each_harness
def test_a_harness_is_found_through_its_entry_point_and_keyword(folder: str) -> None:
    project = FOLDERS[folder]["project"]

    assert project["entry-points"]["kg"] == {
        folder.removeprefix("harness-"): f"kg_{folder.replace('-', '_')}",
    }
    assert "kg-plugin" in project["keywords"]


@each_harness
def test_a_harness_has_a_page(folder: str) -> None:
    assert (ROOT / "docs" / "harnesses" / f"{folder.removeprefix('harness-')}.md").is_file()


@each_package
def test_a_package_carries_the_licence_itself(folder: str) -> None:
    copy = ROOT / "packages" / folder / "LICENSE"

    assert not copy.is_symlink(), "uv refuses an sdist whose licence is a link"
    assert copy.read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert FOLDERS[folder]["project"]["license"] == "MIT"
    assert FOLDERS[folder]["project"]["license-files"] == ["LICENSE"]


@each_package
def test_a_package_has_a_readme_a_changelog_of_its_version_and_types(folder: str) -> None:
    package = ROOT / "packages" / folder
    version = FOLDERS[folder]["project"]["version"]

    assert FOLDERS[folder]["project"]["readme"] == "README.md"
    assert (package / "README.md").read_text(encoding="utf-8").startswith(f"# kg-{folder}\n")
    assert f"\n## {version}\n" in (package / "CHANGELOG.md").read_text(encoding="utf-8")
    assert (package / "src" / f"kg_{folder.replace('-', '_')}" / "py.typed").is_file()


def test_no_tests_folder_is_a_package() -> None:
    found = [*ROOT.glob("packages/*/tests/**/__init__.py"), *ROOT.glob("tests/**/__init__.py")]

    assert found == [], "with two of them pytest runs one package's tests twice and another's not at all"


def test_test_files_have_names_of_their_own() -> None:
    files = [*ROOT.glob("packages/*/tests/**/test_*.py"), *ROOT.glob("tests/**/test_*.py")]
    names = Counter(path.name for path in files)

    assert [name for name, count in names.items() if count > 1] == []


def test_every_third_party_distribution_is_pinned_and_installed_as_pinned() -> None:
    pinned = pins()
    open_ = [r for toml in [ROOT_TOML, *FOLDERS.values()] for r in declared(toml)]
    seen: set[str] = set()
    while open_:
        requirement = open_.pop()
        name = canonicalize_name(requirement.name)
        if name in seen or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        seen.add(name)
        if name not in VERSIONS:
            assert name in pinned, f"{name} has no pin: run `just pins`"
            assert Version(metadata.version(name)) == pinned[name], f"{name} is not installed as pinned: run `uv sync`"
        open_ += map(Requirement, metadata.requires(name) or [])


@each_package
def test_pins_are_within_the_ranges_that_a_package_states(folder: str) -> None:
    pinned = pins()

    for requirement in declared(FOLDERS[folder]):
        if requirement.name not in VERSIONS:
            assert requirement.specifier.contains(pinned[canonicalize_name(requirement.name)]), str(requirement)
