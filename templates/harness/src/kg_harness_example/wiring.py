"""What must stand in the agent's settings: the MCP server, and a hook for each event. Only kg writes there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_harness_example.events import EVENTS
from kg_plugin_api import JsonEntry, JsonItem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_plugin_api import Claim, EventSpec, Launch, Offer, Site, Step


class ExampleWiring:
    """Implements ``kg_plugin_api.Wiring``."""

    def claims(self, site: Site) -> Sequence[Claim]:
        """The commands of ``site.launch``, unchanged."""
        settings = site.config / "settings.json"
        command, *arguments = site.launch.shim
        return (
            JsonEntry(path=settings, keys=("mcpServers", "kg"), value={"command": command, "args": arguments}),
            *(
                JsonItem(
                    path=settings,
                    keys=("hooks", spec.native),
                    value={**_command(spec, site.launch), "timeout": spec.timeout},
                )
                for spec in EVENTS
            ),
        )

    def steps(self, site: Site) -> Sequence[Step]:
        """What only a person may do, such as trusting the hooks."""
        return ()

    def offers(self, site: Site) -> Sequence[Offer]:
        """What a person may want as well, such as switching the agent's own memory off."""
        return ()


def _command(spec: EventSpec, launch: Launch) -> dict[str, object]:
    """A shell command, or where there is no POSIX shell its arguments one by one."""
    if spec.native in launch.hook_argv:
        command, *arguments = launch.hook_argv[spec.native]
        return {"command": command, "args": arguments}
    return {"command": launch.hook[spec.native]}
