"""What a package imports, read from its source without running it."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_ALLOWED: Final = "kg_plugin_api"


def foreign(module: str) -> list[str]:
    """Each import in the package of ``module`` that is neither of itself, the standard library nor the plug-in API."""
    package = module.partition(".")[0]
    return [
        f"{file.name}:{line} imports {name}"
        for file in _files(package)
        for line, name in _imported(file)
        if name.partition(".")[0] not in {package, _ALLOWED, *sys.stdlib_module_names}
    ]


def _files(package: str) -> list[Path]:
    spec = importlib.util.find_spec(package)
    assert spec is not None, f"{package} cannot be found"
    if spec.submodule_search_locations is None:
        return [Path(spec.origin)] if spec.origin else []
    return sorted(file for place in spec.submodule_search_locations for file in Path(place).rglob("*.py"))


def _imported(file: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.lineno, node.module
