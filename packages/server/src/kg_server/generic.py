"""The harness of a client that no plug-in knows: MCP alone, without hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kg_plugin_api import (
    Caller,
    Claim,
    Event,
    Harness,
    Limit,
    Maturity,
    Offer,
    Path,
    PathLimit,
    RawEvent,
    Recognition,
    Site,
    StartContext,
    Step,
    Unit,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class _PlainDialect:
    """Knows no event, and tells nobody apart."""

    def parse(self, raw: RawEvent) -> Event | None:
        del raw
        return None

    def reply(self, raw: RawEvent, text: str) -> str:
        del raw, text
        return ""

    def caller(self, meta: Mapping[str, object]) -> Caller:
        del meta
        return Caller()


PLAIN_DIALECT: Final = _PlainDialect()


class _NoWiring:
    """Nothing on disk: a person registers ``kg mcp`` with the client, or nobody does."""

    def claims(self, site: Site) -> Sequence[Claim]:
        del site
        return ()

    def steps(self, site: Site) -> Sequence[Step]:
        del site
        return ()

    def offers(self, site: Site) -> Sequence[Offer]:
        del site
        return ()


NO_WIRING: Final = _NoWiring()

GENERIC: Final = Harness(
    name="mcp",
    title="Any MCP client",
    maturity=Maturity.STABLE,
    recognition=Recognition(binaries=()),
    events=(),
    start_context=StartContext.PERSISTS,
    limits=(
        PathLimit(path=Path.READ, limit=Limit(11_000, Unit.BYTES)),
        PathLimit(path=Path.TOOL, limit=Limit(11_000, Unit.BYTES)),
    ),
    dialect=PLAIN_DIALECT,
    wiring=NO_WIRING,
)
"""Reads go out in parts that the smallest known tool-result limit keeps whole."""
