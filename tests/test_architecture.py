"""ARCHITECTURE.md is the map: what it lists is what there is."""

from __future__ import annotations

import re
from pathlib import Path
from unittest.mock import MagicMock

from starlette.routing import Route

from kg_server.app import create_app

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def served() -> set[str]:
    routes = create_app(MagicMock(), MagicMock(), stop=MagicMock()).routes
    assert all(isinstance(route, Route) for route in routes)
    return {f"{method} {shown(route.path)}" for route in routes for method in route.methods - {"HEAD"}}


def shown(path: str) -> str:
    """A path without the converters of its parameters."""
    return re.sub(r":\w+}", "}", path)


def test_the_route_list_is_what_the_server_serves() -> None:
    listed = set(re.findall(r"^\| `((?:GET|POST|PUT|PATCH|DELETE) /[^`]*)` \|", PAGE, flags=re.MULTILINE))

    assert listed == served()


def test_every_folder_of_packages_has_its_line() -> None:
    for path in ROOT.glob("packages/*/pyproject.toml"):
        folder = path.parent.name
        line = "packages/harness-*" if folder.startswith("harness-") else f"packages/{folder}"

        assert f"| `{line}` |" in PAGE


def test_every_part_of_the_server_is_named() -> None:
    inside = ROOT / "packages" / "server" / "src" / "kg_server"
    parts = {path.stem for path in inside.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}

    assert [part for part in sorted(parts) if not part.startswith("__") and f"`{part}`" not in PAGE] == []


def test_every_layer_of_core_has_its_line() -> None:
    for path in (ROOT / "packages" / "core" / "src" / "kg_core").iterdir():
        if (path / "__init__.py").is_file():
            assert f"| `{path.name}` |" in PAGE
