"""Records what a client really sends: registered as its hook command, it writes one recording an event.

::

    python -m kg_plugin_testing.recorder FOLDER CLIENT-VERSION NATIVE [HOME]

The payload comes on standard input. Nothing is printed, so the client goes on as if there were no hook. The first of
each name is kept. A home folder in it, HOME or that of the user, is written as ``/home/user``: look through the rest
yourself before you publish a recording.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg_plugin_api import Carrier, RawEvent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NEUTRAL: Final = "/home/user"
_MOST: Final = 4 * 1024 * 1024
_VARIANTS: Final = ("source", "tool_name", "trigger")
"""What most clients call the fields in which events of one name differ most."""


def record(folder: Path, prefix: str, raw: RawEvent, *, homes: Sequence[str] = ()) -> Path:
    """Writes one recording, unless there is one of its name, and gives its file.

    The name is ``prefix``, the event, what varies in it, and the carrier.
    """
    kept = {"native": raw.native, "carrier": str(raw.carrier), "payload": dict(raw.payload), "meta": dict(raw.meta)}
    text = json.dumps(kept, indent=2, ensure_ascii=True) + "\n"
    for home in sorted(filter(None, homes), key=len, reverse=True):
        text = text.replace(json.dumps(home)[1:-1], _NEUTRAL)
    varying = [_slug(raw.payload.get(name)) for name in _VARIANTS]
    file = folder / f"{'-'.join(filter(None, [prefix, _slug(raw.native), *varying, str(raw.carrier)]))}.json"
    folder.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        file.write_text(text, encoding="utf-8")
    return file


def main(arguments: Sequence[str]) -> int:
    """The hook command. It always ends well: a client must not notice it."""
    if len(arguments) < 3:
        sys.stderr.write(str(__doc__))
        return 2
    folder, prefix, native, *homes = arguments
    payload = _object(sys.stdin.buffer.read(_MOST))
    raw = RawEvent(native=native, carrier=Carrier.HOOK_CLIENT, payload=payload)
    record(Path(folder), prefix, raw, homes=homes or [str(Path.home())])
    return 0


def _object(data: bytes) -> Mapping[str, object]:
    try:
        found = json.loads(data.decode("utf-8", "replace"))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _slug(value: object) -> str:
    return "".join(c if c.isalnum() or c in "._" else "_" for c in value)[:60] if isinstance(value, str) else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
