"""Which search backend the settings choose: written, taken back, and waited for until it answers."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final

from kg_core.policy.secrets import scrub
from kg_plugin_api import Code, KgError, TomlEntry
from kg_server.counting import counted
from kg_server.searching import BUILTIN, LAG, State
from kg_server.setup.connection import SEARCH, Records
from kg_server.setup.installed import FIRST_PARTY_SEARCH, add_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kg_core.claims import Editor, Plan
    from kg_core.host import Plugins
    from kg_core.store import Home
    from kg_plugin_api import SearchBackendFactory, SearchStep

_TABLE: Final = "search"
_POLL_SECONDS: Final = 0.5
_TOLD_SECONDS: Final = 5.0
_STILL_SECONDS: Final = 600.0
"""A backend that comes no further for so long is not waited for."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A backend and its options, to be written into the settings of a memory; the built-in index without a factory."""

    home: Home
    factory: SearchBackendFactory | None
    options: Mapping[str, str]

    @property
    def name(self) -> str:
        """Its name."""
        return self.factory.name if self.factory is not None else BUILTIN

    @property
    def editor(self) -> Editor:
        """Who writes the settings and knows what was there before."""
        return Records.at(self.home).of(SEARCH)

    def plan(self) -> Plan:
        """The change of the settings. Choosing the built-in index takes out what was written here earlier."""
        path = self.home.config
        if self.factory is None:
            return self.editor.plan_removal()
        chosen = [(("backend",), self.name), *((("options", name), value) for name, value in self.options.items())]
        return self.editor.plan(
            [TomlEntry(path=path, keys=(_TABLE, *keys), value=value, replace=True) for keys, value in chosen]
        )

    def steps(self) -> Sequence[SearchStep]:
        """What comes before. Raises INVALID for an option that is wrong."""
        if self.factory is None or self.factory.wiring is None:
            return ()
        return self.factory.wiring.steps(self.home.root, self.options)


def choice(home: Home, plugins: Plugins, name: str, options: Sequence[str]) -> Choice:
    """The backend of that name with options written ``NAME=VALUE``. Raises NOT_FOUND or INVALID."""
    given: dict[str, str] = {}
    for option in options:
        name_given, equals, value = option.partition("=")
        key = name_given.strip()
        if not (key and equals):
            raise KgError(Code.INVALID, f"{scrub(option).text!r} is no option: write NAME=VALUE.")
        if key in given:
            raise KgError(Code.INVALID, f"--option {key} is given twice. Leave one of them out.")
        given[key] = value
    if name == BUILTIN:
        if given:
            raise KgError(Code.INVALID, "The built-in index has no options.")
        return Choice(home, None, given)
    for factory in plugins.search_backends:
        if factory.name == name:
            return Choice(home, factory, given)
    offered = ", ".join([BUILTIN, *(factory.name for factory in plugins.search_backends)])
    first = f"Add it with: {add_line(name)}" if name in FIRST_PARTY_SEARCH else "Install its plug-in first."
    raise KgError(
        Code.NOT_FOUND,
        f"No plug-in offers the search backend {name!r}; there are: {offered}. {first}",
    )


def wait(health: Callable[[], Mapping[str, Any] | None], progress: Callable[[str], None]) -> Mapping[str, Any]:
    """Returns what the backend says once it answers and has nothing left to do.

    Tells ``progress`` how far it is. Raises UNAVAILABLE when it is out, or comes no further.
    """
    last, moved, told = "", monotonic(), 0.0
    while True:
        search: Mapping[str, Any] = (health() or {}).get("search", {})
        said = search.get("said", {})
        lag = said.get(LAG) or 0
        if outage := search.get("outage"):
            raise KgError(Code.UNAVAILABLE, str(outage))
        if search.get("state") == State.ANSWERING and not search.get("behind") and not lag and said:
            return search
        now = f"{search.get('state', 'starting')}, {counted(search.get('behind', 0), 'lesson')} to send, {lag} to index"
        if now != last:
            last, moved = now, monotonic()
        if monotonic() - moved > _STILL_SECONDS:
            raise KgError(Code.UNAVAILABLE, f"The search backend comes no further ({now}). `kg doctor` may say why.")
        if monotonic() - told > _TOLD_SECONDS:
            told = monotonic()
            progress(now)
        sleep(_POLL_SECONDS)
