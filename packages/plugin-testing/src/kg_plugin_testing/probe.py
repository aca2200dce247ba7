"""A program that loads a plug-in, asks for its offers and prints what that touched and brought, as JSON.

Run as ``python -B -I probe.py MODULE SEARCH-PATH HOOK…``, so that nothing else is loaded before.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any, Final

_TOUCHING: Final = ("socket.", "subprocess.", "sqlite3.", "urllib.", "os.mkdir", "os.remove", "os.rename", "os.rmdir")
_STARTING: Final = ("os.system", "os.exec", "os.posix_spawn", "os.fork", "os.startfile", "os.chmod", "os.link")
_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND


def main(module: str, search_path: str, *hooks: str) -> None:
    """The program."""
    sys.path[:] = json.loads(search_path)
    importlib.import_module("kg_plugin_api")
    before = set(sys.modules)
    readable = tuple(os.path.realpath(place) + os.sep for place in (*sys.path, sys.prefix, sys.base_prefix) if place)
    touched: list[str] = []

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if event.startswith((*_TOUCHING, *_STARTING)):
            touched.append(f"{event} {arguments[:1]}")
        elif event == "open" and isinstance(arguments[0], str | bytes):
            path = os.path.realpath(os.fsdecode(arguments[0]))
            if arguments[2] & _WRITING or not path.startswith(readable):
                touched.append(f"open {path}")

    sys.addaudithook(note)
    loaded = importlib.import_module(module)
    for hook in hooks:
        list(getattr(loaded, hook, tuple)())
    found = list(touched)
    known = {*sys.stdlib_module_names, module.partition(".")[0], "kg_plugin_api", "pluggy"}
    brought = {name.partition(".")[0] for name in set(sys.modules) - before} - known
    sys.stdout.write(json.dumps({"touched": found, "brought": sorted(brought)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
