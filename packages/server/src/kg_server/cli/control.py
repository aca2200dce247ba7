"""How the commands get at the control of the server, and how they tell what it says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kg_server.cli.options import Waiting
from kg_server.lifecycle.control import Control

if TYPE_CHECKING:
    from kg_core.store import Home


def control(home: Home, what: str) -> Control:
    """The control of the server at ``home``; ``what`` is said when it takes more than a second."""
    from kg_core.host import Plugins

    prefixes = {prefix for harness in Plugins.load().harnesses for prefix in harness.environment_to_strip}
    return Control(home, strip=tuple(sorted(prefixes)), waiting=Waiting(what))


def described(home: Home, health: dict[str, Any]) -> str:
    """One line about a server that answers."""
    return f"kg {health['version']} serves {home.root} (process {health['pid']})."
