"""What others may import and implement: exact, sorted, documented."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

import kg_core
import kg_plugin_api
from kg_plugin_api import hookspecs

ROOT = Path(__file__).parents[1]
CORE = [f"kg_core.{module.name}" for module in pkgutil.iter_modules(kg_core.__path__) if module.ispkg]

public_modules = pytest.mark.parametrize("name", [kg_plugin_api.__name__, *CORE])


def in_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, each by name: the order that ruff keeps."""
    if name.isupper():
        return 0, name
    return (1 if name[0].isupper() else 2), name


def bound_names(module: ModuleType) -> set[str]:
    public = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    return {name for name, value in public.items() if not isinstance(value, ModuleType) and name != "annotations"}


def signatures() -> dict[str, str]:
    """Each hook's signature as it stands in the source."""
    tree = ast.parse(Path(hookspecs.__file__).read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {f.name: f"def {f.name}({ast.unparse(f.args)}) -> {ast.unparse(f.returns)}" for f in functions}


@public_modules
def test_all_names_exactly_what_a_module_offers(name: str) -> None:
    module = importlib.import_module(name)

    assert set(module.__all__) == bound_names(module) - {"TYPE_CHECKING"}


@public_modules
def test_all_is_sorted_and_names_nothing_twice(name: str) -> None:
    listed = importlib.import_module(name).__all__

    assert list(listed) == sorted(set(listed), key=in_order)


def test_every_hook_is_documented_with_its_exact_signature() -> None:
    page = (ROOT / "docs" / "hooks.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^## (\w+)\n\n```python\n(.+?)\n```$", page, flags=re.MULTILINE | re.DOTALL)

    assert dict(blocks) == signatures()


def test_every_hook_says_since_when_it_exists() -> None:
    for name in signatures():
        assert ".. versionadded:: " in (getattr(hookspecs, name).__doc__ or "")


def test_the_carriers_import_nothing_but_the_standard_library_and_each_other() -> None:
    folder = ROOT / "packages" / "server" / "src" / "kg_server" / "carrier"
    foreign: list[str] = []
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or "."] if isinstance(node, ast.ImportFrom) else []
            foreign += [
                f"{path.name}: {name}"
                for name in names
                if name.split(".")[0] not in sys.stdlib_module_names and not name.startswith("kg_server.carrier")
            ]

    assert list(folder.rglob("*.py")), "the carriers moved: mend this test"
    assert foreign == [], "the carriers run as `python -I -S` and must start fast"
