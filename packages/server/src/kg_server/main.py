"""The entry point of the ``kg`` command."""

from __future__ import annotations

import gc
import signal
import sys
from typing import Final

CARRIERS: Final = frozenset({"mcp", "hook"})
HELP: Final = frozenset({"-h", "--help"})


def main() -> None:
    """Runs the command that the arguments name.

    Carriers are started for every event and session, so they do without the command line's own imports.
    """
    if len(sys.argv) > 1 and sys.argv[1] in CARRIERS and HELP.isdisjoint(sys.argv):
        from kg_server.carrier import run

        run.main(sys.argv[1:])
        return
    if sys.argv[1:2] == ["serve"]:
        # What a start imports is no garbage, and looking for some takes a sixth of it. The server turns this on again.
        gc.disable()
        # Until the server listens to it, an interrupt ends the process: raised within an import it may be swallowed.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from kg_server.carrier import standard_error
    from kg_server.cli.terminal import Tame

    standard_error.tolerate(Tame)
    from kg_server.cli.group import run_command

    sys.exit(run_command(sys.argv[1:]))
