"""The commands that go into a client's settings: absolute, quoted, and silent once kg is gone."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Final

from kg_core.store import is_text
from kg_plugin_api import Code, EventKind, KgError, Launch
from kg_server import carrier
from kg_server.carrier.protocol import EVENT_TOOL
from kg_server.carrier.version import VERSION
from kg_server.setup.windows import slashed, vector

if TYPE_CHECKING:
    from kg_core.store import Home
    from kg_plugin_api import EventSpec, Harness

_WINDOWS: Final = os.name == "nt"
_ABSENT: Final = (
    r"""while read -r kg_line; do printf '%s\n' "$kg_line" | LC_ALL=C sed -nE """
    r"""-e 's/\\./_/g; s/"([^"{}]*)[^"]*"/"\1"/g' -e :n -e 's/(.)\{[^{}]*\}/\1/' -e tn """
    r"""-e 's/[[:space:]]*([{},:])[[:space:]]*/\1/g; /"method":/!d' """
    r"""-e '/^\{(.*,)?"id":(-?[0-9.]+|"[^"]*")[,}]/!d' """
    r"""-e 's/^\{(.*,)?"id":(-?[0-9.]+|"[^"]*").*/{"jsonrpc":"2.0","id":\2,&/' """
    r"""-e '/"method":"tools\/call"/s/,\{.*/,"result":{"content":[{"type":"text","text":""}]}}/p' """
    r"""-e '/"method":"tools\/list"/s/,\{.*/,"result":{"tools":[]}}/p' """
    r"""-e '/"method":"initialize"/s/,\{.*/,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"""
    r""""serverInfo":{"name":"kg","version":"0"}}}/p' """
    r"""-e '/"method":"ping"/s/,\{.*/,"result":{}}/p' """
    r"""-e 's/,\{.*"method":.*/,"error":{"code":-32601,"message":"kg is gone"}}/p'; done"""
)
"""What the shim's command is once kg is gone: a server without tools. Without any, a client whose settings still name
kg reports a failed server, and one more failure with every prompt (measured with Claude Code).

Each message is stripped to the fields of its outermost object, so that nothing in them is taken for its id or method.
Some clients put their environment in for what looks like a variable, so there is one, whose name nobody else has.
"""


def launch(home: Home, harness: Harness, *, windows: bool = _WINDOWS, whole: bool = False) -> Launch:
    """How this installation's carriers are started for a harness and a memory home."""
    hooks = {spec.native: _event(_place(home, windows=windows), harness, spec) for spec in harness.events}
    return Launch(
        shim=shim(home, harness.name, windows=windows),
        hook={} if windows else {native: _hook(*arguments) for native, arguments in hooks.items()},
        hook_argv={native: _vector("hook", *arguments) for native, arguments in hooks.items()} if windows else {},
        event_tool=EVENT_TOOL,
        version=VERSION,
        whole=whole,
    )


def check_nameable(home: Home) -> None:
    """Raises INVALID where the settings of agents, which are UTF-8, could not name this memory or this installation."""
    for what, path, how in (
        ("The memory", home.root, "Set KG_HOME to another folder"),
        ("This kg", Path(sys.executable), "Install it in another folder"),
        ("This kg", carrier_script(), "Install it in another folder"),
    ):
        if not is_text(str(path)):
            sentence = f"{what} lies in {path}, which is not UTF-8: no settings of an agent can name it. {how}."
            raise KgError(Code.INVALID, sentence)


def shim(home: Home, harness: str, *, windows: bool = _WINDOWS) -> tuple[str, ...]:
    """How the MCP shim is started for the harness of that name."""
    arguments = ("mcp", "--harness", harness, "--home", _place(home, windows=windows))
    if windows:
        return _vector(*arguments)
    found, carrier = _command(*arguments)
    return ("/bin/sh", "-c", f"{found} && {carrier}; {_ABSENT}")


def _place(home: Home, *, windows: bool) -> str:
    return slashed(PureWindowsPath(str(home.root))) if windows else str(home.root)


def _event(place: str, harness: Harness, spec: EventSpec) -> tuple[str, ...]:
    start = ("--start",) if spec.kind is EventKind.SESSION_START else ()
    return ("--harness", harness.name, "--home", place, "--event", spec.native, *start)


def _vector(*arguments: str) -> tuple[str, ...]:
    return vector(PureWindowsPath(sys.executable), PureWindowsPath(carrier_script()), *arguments)


def _hook(*arguments: str) -> str:
    found, carrier = _command("hook", *arguments)
    return f"{found} || exit 0; {carrier}"


def _command(*arguments: str) -> tuple[str, str]:
    """POSIX shell for a carrier: what finds out whether it is there, and what becomes it.

    Interpreter and script are looked for first: a missing script would make the interpreter exit with a code by
    which clients block what the person typed.
    """
    python, script = shlex.quote(sys.executable), shlex.quote(str(carrier_script()))
    return f"[ -x {python} ] && [ -f {script} ]", f"exec {python} -I -S {script} {shlex.join(arguments)}"


def carrier_script() -> Path:
    """What the carriers' commands run; it is gone once kg is."""
    return Path(str(carrier.__file__)).with_name("run.py")
