"""A real server that kills itself at a chosen file operation: run as ``python driver.py HOME``.

``KILL_AT`` says where, as in ``packages/core/tests/_support/killing.py``. Without it the server lives on.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "packages" / "core" / "tests" / "_support"))

from killing import KillingFiles

from kg_core.store import Home, store
from kg_server.lifecycle.process import run

if __name__ == "__main__":
    store.OsFiles = KillingFiles  # type: ignore[misc]
    run(Home(Path(sys.argv[1])))
