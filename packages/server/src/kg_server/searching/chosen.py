"""Which search backend the settings choose."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_core.host import Plugins
    from kg_core.store import Home, Settings
    from kg_plugin_api import SearchBackendFactory

BUILTIN: Final = "builtin"
HOME: Final = "home"
"""The option under which every backend is told the memory folder, for what it keeps on this machine."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The backend of the settings: a factory and its options, or ``problem``, which says why there is none."""

    factory: SearchBackendFactory | None = None
    options: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    problem: str = ""


def choose(settings: Settings, plugins: Plugins, home: Home) -> Chosen:
    """What ``[search]`` names. A name that no plug-in offers is a problem, and the built-in index answers."""
    wanted = settings.search.backend
    if wanted in {"", BUILTIN}:
        return Chosen()
    for factory in plugins.search_backends:
        if factory.name == wanted:
            return Chosen(factory, MappingProxyType({**settings.search.options, HOME: str(home.root)}))
    offered = ", ".join([BUILTIN, *(factory.name for factory in plugins.search_backends)])
    return Chosen(
        problem=f"{home.config} chooses the search backend {wanted!r}, which no plug-in offers (there are: {offered}). "
        "The built-in index answers. Install the plug-in, or change `backend` under [search]."
    )
