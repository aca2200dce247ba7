"""The contract of any plug-in: how it is found and loaded. Subclass :class:`PluginContract` and name the module.

::

    class TestMyPlugin(PluginContract):
        @pytest.fixture
        def module(self) -> str:
            return "my_plugin"
"""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from importlib import metadata
from typing import TYPE_CHECKING, Any, Final

import pluggy
import pytest

from kg_plugin_api import PROJECT, Harness, Operation, SearchBackendFactory, hookspecs
from kg_plugin_testing import probe
from kg_plugin_testing.contract import Contract

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME: Final = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_KINDS: Final = {"kg_harnesses": Harness, "kg_search_backends": SearchBackendFactory, "kg_operations": Operation}


class PluginContract(Contract):
    """``kg`` loads every plug-in with every command, so loading one must be safe and cheap."""

    @pytest.fixture
    def module(self) -> str:
        """The name of the module that the entry point names. Its distribution must be installed."""
        raise NotImplementedError("give a fixture `module`")

    def test_its_distribution_names_it(self, module: str) -> None:
        """Once, under the entry-point group ``kg``, by a name that people can type."""
        points = [point for point in metadata.entry_points(group=PROJECT) if point.value == module]
        assert len(points) == 1, f"{len(points)} entry points name {module}"
        assert _NAME.fullmatch(points[0].name), points[0].name

    def test_it_states_with_which_plug_in_api_it_works(self, module: str) -> None:
        """A range below the next major release: that is what breaks."""
        (point, *_) = [point for point in metadata.entry_points(group=PROJECT) if point.value == module]
        required = [
            line for line in (point.dist and point.dist.requires) or () if re.match(r"kg[-_.]plugin[-_.]api", line)
        ]
        assert required, "it does not require kg-plugin-api"
        assert all(">=" in line and "<" in line for line in required), required

    def test_it_fits_the_hooks(self, module: str) -> None:
        """A hook that is misspelt, or takes what no hook gives, would never be called; none wraps those of others."""
        manager = pluggy.PluginManager(PROJECT)
        manager.add_hookspecs(hookspecs)
        loaded = importlib.import_module(module)
        manager.register(loaded)
        manager.check_pending()
        hooks = manager.get_hookcallers(loaded) or []
        assert hooks, "it implements no hook"
        assert not [hook.name for hook in hooks for each in hook.get_hookimpls() if each.wrapper or each.hookwrapper]

    def test_what_it_offers_has_a_kind_and_a_name_of_its_own(self, module: str) -> None:
        """Of two offers of one name neither is used."""
        for hook, kind in _KINDS.items():
            offered = list(getattr(importlib.import_module(module), hook, tuple)())
            assert all(isinstance(each, kind) for each in offered), hook
            names = [each.name for each in offered]
            words = [word for name in names for word in (name.split(" ") if kind is Operation else [name])]
            assert all(map(_NAME.fullmatch, words)), names
            assert len(names) == len(set(names)), names

    def test_loading_it_touches_nothing(self, module: str) -> None:
        """Nothing is written, connected or started before a person asks for it, and no file of theirs is read."""
        assert _probed(module)["touched"] == []

    def test_loading_it_brings_nothing_heavy(self, module: str) -> None:
        """What needs more than the standard library is imported where it is used, such as in a factory's ``open``."""
        assert _probed(module)["brought"] == []


def _probed(module: str) -> Mapping[str, Any]:
    """What an interpreter of its own sees while it loads the module and asks for its offers."""
    command = [sys.executable, "-B", "-I", probe.__file__, module, json.dumps(sys.path), *_KINDS]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    found: Mapping[str, Any] = json.loads(done.stdout)
    return found
