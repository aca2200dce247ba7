"""Helpers that several test files of this package share, as fixtures."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kg_core.store import Home

if TYPE_CHECKING:
    from types import ModuleType

_SUPPORT = Path(__file__).parent / "_support"


def _module(name: str) -> ModuleType:
    full = f"kg_core_tests_{name}"
    if full not in sys.modules:
        spec = importlib.util.spec_from_file_location(full, _SUPPORT / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules[full] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[full]


@pytest.fixture(scope="session")
def volatile() -> ModuleType:
    """The disk that forgets what was not synced."""
    return _module("volatile")


@pytest.fixture(scope="session")
def values() -> ModuleType:
    """Builders and strategies of memory values."""
    return _module("values")


@pytest.fixture(scope="session")
def stores() -> ModuleType:
    """Stores on real files."""
    return _module("stores")


@pytest.fixture(scope="session")
def at_once_models() -> ModuleType:
    """What is worked out in small steps, at once; and random memories."""
    return _module("at_once")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A memory home that does not exist yet."""
    return Home(tmp_path / "home")


@pytest.fixture
def desk(tmp_path: Path) -> object:
    """A home with a client's settings and an editor on it."""
    return _module("desk").Desk(tmp_path / "home")
