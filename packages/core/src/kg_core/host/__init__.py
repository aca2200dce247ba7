"""The plug-in host: what is installed, as typed values; broken plug-ins are data, never a crash."""

from kg_core.host.plugins import Plugins
from kg_core.host.problem import Loaded, Problem
from kg_core.host.shapes import flaw, misfit

__all__ = ["Loaded", "Plugins", "Problem", "flaw", "misfit"]
