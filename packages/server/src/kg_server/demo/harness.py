"""The two agents of the demonstration: the plainest dialect that a harness can have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kg_plugin_api import (
    Caller,
    Carrier,
    Event,
    EventKind,
    EventSpec,
    Harness,
    Limit,
    Maturity,
    Path,
    PathLimit,
    Recognition,
    StartContext,
    Unit,
)
from kg_server.generic import NO_WIRING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_plugin_api import RawEvent

SESSION: Final = "demo/session"
START: Final = "SessionStart"
PROMPT: Final = "Prompt"
_KINDS: Final = {START: EventKind.SESSION_START, PROMPT: EventKind.PROMPT}


class DemoDialect:
    """Payloads that say session, cwd and prompt by these names; replies that are the text itself."""

    def parse(self, raw: RawEvent) -> Event | None:
        """The event, if it is one of the two."""
        kind, said = (
            _KINDS.get(raw.native),
            {key: value for key, value in raw.payload.items() if isinstance(value, str)},
        )
        if kind is None:
            return None
        return Event(
            kind=kind,
            native=raw.native,
            session=said.get("session", ""),
            cwd=said.get("cwd", ""),
            prompt=said.get("prompt", ""),
        )

    def reply(self, raw: RawEvent, text: str) -> str:
        """The text as it is."""
        del raw
        return text

    def caller(self, meta: Mapping[str, object]) -> Caller:
        """Every call names its session."""
        session = meta.get(SESSION)
        return Caller(session=session) if isinstance(session, str) else Caller()


def demo_harness(name: str, title: str) -> Harness:
    """One of the agents."""
    return Harness(
        name=name,
        title=title,
        maturity=Maturity.STABLE,
        recognition=Recognition(binaries=()),
        events=(
            EventSpec(native=START, kind=EventKind.SESSION_START, carrier=Carrier.HOOK_CLIENT, timeout=5),
            EventSpec(native=PROMPT, kind=EventKind.PROMPT, carrier=Carrier.MCP_HOOK, timeout=5),
        ),
        start_context=StartContext.PERSISTS,
        limits=tuple(PathLimit(path=path, limit=Limit(9_000, Unit.BYTES)) for path in Path),
        dialect=DemoDialect(),
        wiring=NO_WIRING,
    )


HARNESSES: Final = (demo_harness("ada", "Ada, an agent"), demo_harness("bob", "Bob, another agent"))
