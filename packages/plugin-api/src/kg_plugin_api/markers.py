"""The one name of the project, and pluggy's markers made with it."""

from typing import Final

import pluggy

PROJECT: Final = "kg"
"""Pluggy project name, prefix of every hook, and the entry-point group of plug-ins."""

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
