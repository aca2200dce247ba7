"""Memory in and out of other forms: imports, backups, exports, a team's exchange copy. Decisions are pure."""

from kg_core.exchange.found import Found, Portion, Skipped
from kg_core.exchange.sources import FORMATS, read_source
from kg_core.exchange.taking import Outcome, Taken, imported, restored, slices
from kg_core.exchange.team import continued, shared

__all__ = [
    "FORMATS",
    "Found",
    "Outcome",
    "Portion",
    "Skipped",
    "Taken",
    "continued",
    "imported",
    "read_source",
    "restored",
    "shared",
    "slices",
]
