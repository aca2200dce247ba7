"""The stand-ins of a model are those of the package's own tests."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = "kg_tests_search_pg_standins"
_SOURCE = Path(__file__).parents[2] / "packages" / "search-pg" / "tests" / "_support" / "standins.py"


@pytest.fixture
def endpoint() -> Iterator[Any]:
    """What embeds, in as many dimensions as a test says."""
    spec = importlib.util.spec_from_file_location(_NAME, _SOURCE)
    assert spec is not None
    assert spec.loader is not None
    sys.modules[_NAME] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with module.embedding() as stand_in:
        yield stand_in
