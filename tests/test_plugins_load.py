"""Every plug-in of this repository is found and loaded as the contract asks; a new one on the day it appears."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from kg_plugin_testing.plugin import PluginContract

ROOT = Path(__file__).parents[1]
PROJECTS = [
    tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    for path in sorted(ROOT.glob("packages/*/pyproject.toml"))
]
MODULES = [module for project in PROJECTS for module in project.get("entry-points", {}).get("kg", {}).values()]


class TestEachPlugin(PluginContract):
    @pytest.fixture(params=MODULES)
    def module(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)
