"""``kg serve``"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kg_server.cli.options import with_home

if TYPE_CHECKING:
    from kg_core.store import Home


@click.command("serve")
@with_home
def command(home: Home) -> None:
    """Serve in the foreground until interrupted. `kg start` does it in the background."""
    from kg_server.lifecycle.process import run

    run(home)
