"""``kg doctor``"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from kg_server.cli.options import addressed, as_json, patiently, print_json, with_home
from kg_server.cli.place import working_folder

if TYPE_CHECKING:
    from kg_core.store import Home
    from kg_server.setup.finding import Finding

_SIGNS: Final = {"ok": "ok  ", "note": "note", "problem": "BAD "}


@click.command("doctor")
@as_json
@with_home
def command(home: Home, *, as_json: bool) -> int:
    """Say what works, what does not, and what to do. Exit code 1 when something is wrong. Changes nothing."""
    from kg_core.host import Plugins
    from kg_core.render import one_line
    from kg_server.lifecycle.control import Control
    from kg_server.setup.finding import Level
    from kg_server.setup.findings import findings
    from kg_server.setup.machine import Machine

    def look() -> list[Finding]:
        machine = Machine.this(home)
        plugins = Plugins.load(disabled=machine.settings.plugins.disabled)
        return list(findings(machine, plugins, Control(home).health(), str(working_folder())))

    found: list[Finding] = patiently("Looking", look)
    sound = all(finding.level is not Level.PROBLEM for finding in found)
    if as_json:
        listed = [
            {
                "area": finding.area,
                "level": str(finding.level),
                "sentence": finding.sentence,
                "command": finding.command,
            }
            for finding in found
        ]
        print_json({"ok": sound, "home": str(home.root), "findings": listed})
    else:
        for finding in found:
            option = addressed() if finding.command.startswith("kg ") else ""
            mend = f" Mend it with `{finding.command}{option}`." if finding.command else ""
            click.echo(one_line(f"{_SIGNS[finding.level]}  {finding.area}: {finding.sentence}{mend}"))
    return 0 if sound else 1
