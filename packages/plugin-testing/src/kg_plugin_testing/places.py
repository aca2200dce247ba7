"""A machine that does not exist, for asking a wiring what it would write there."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kg_plugin_api import Guide, Launch, Site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kg_plugin_api import Harness, Limit

_PYTHON: Final = "/opt/kg/bin/python3"
_RUN: Final = "/opt/kg/lib/kg_server/carrier/run.py"


def site(harness: Harness, root: Path, *, version: str = "1.2.3") -> Site:
    """Places below ``root`` for one harness and one version of kg; none of them exists."""
    memory = root / "memory"
    arguments = f"--harness {harness.name} --home {memory}"
    start = f"[ -x {_PYTHON} ] && [ -f {_RUN} ] || exit 0; exec {_PYTHON} -I -S {_RUN}"
    hooks = {spec.native: f"{start} hook {arguments} --event {spec.native}" for spec in harness.events}
    return Site(
        home=memory,
        config=root / "home" / (harness.recognition.config_default or ".config"),
        own=memory / "harnesses" / harness.name,
        launch=Launch(shim=("/bin/sh", "-c", f"{start} mcp {arguments}"), hook=hooks, version=version),
        environ={},
    )


def without_shell(site: Site) -> Site:
    """The same machine without a POSIX shell, as on Windows."""
    launch = site.launch
    vectors = {native: ("C:/kg/python.exe", "-I", "C:/kg/run.py", "hook", f"--{native}") for native in launch.hook}
    return replace(site, launch=replace(launch, shim=("C:/kg/python.exe", "mcp"), hook={}, hook_argv=vectors))


def guides(description: Limit, body: Limit) -> tuple[Guide, ...]:
    """Two guides, the second with texts of exactly the length that the limits allow."""
    long = _filled('How to be long, with "quotes": ', description)
    text = _filled("Line after line.\n\n", body)
    return (
        Guide(name="short-one", title="Be short", description="How to be short.", body="Be short.\n", version=1),
        Guide(name="long-one", title="Be long", description=long, body=f"{text[:-1]}\n", version=12),
    )


def _filled(start: str, limit: Limit) -> str:
    return start + "x" * (limit.maximum - limit.measure(start))


class _Watch(threading.local):
    seen: list[str] | None = None


_watch: Final = _Watch()
_WATCHED: Final = ("open", "os.", "shutil.", "subprocess.", "socket.", "pathlib.")
_installed: list[bool] = []


@contextmanager
def watching() -> Iterator[list[str]]:
    """Lists every file, process and connection that this thread asks the system for inside the block."""
    if not _installed:
        sys.addaudithook(_note)  # cannot be removed again, so it is added once and costs little when unused
        _installed.append(True)
    _watch.seen = []
    try:
        yield _watch.seen
    finally:
        _watch.seen = None


def _note(event: str, arguments: tuple[object, ...]) -> None:
    seen = _watch.seen
    if seen is not None and event.startswith(_WATCHED):
        seen.append(f"{event} {arguments[:1]}")
