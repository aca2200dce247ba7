"""One thing that ``kg doctor`` has looked at."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How a finding is meant."""

    OK = "ok"
    NOTE = "note"
    """Worth knowing; nothing is broken."""
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """Its area, how it is meant, a sentence, and the command that mends it (empty when none does)."""

    area: str
    level: Level
    sentence: str
    command: str = ""
