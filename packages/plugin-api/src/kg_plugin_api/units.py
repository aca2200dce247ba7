"""How a client counts text, and the limits stated in that unit."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Unit(StrEnum):
    """What a client counts: UTF-16 code units, UTF-8 bytes, or code points."""

    UTF16 = "utf16"
    BYTES = "bytes"
    CHARACTERS = "characters"

    def measure(self, text: str) -> int:
        """The length of ``text`` in this unit. Lone surrogates count as what they would be encoded to."""
        match self:
            case Unit.UTF16:
                return len(text.encode("utf-16-le", "surrogatepass")) // 2
            case Unit.BYTES:
                return len(text.encode("utf-8", "surrogatepass"))
            case Unit.CHARACTERS:
                return len(text)


@dataclass(frozen=True, slots=True)
class Limit:
    """At most ``maximum`` of ``unit``."""

    maximum: int
    unit: Unit

    def measure(self, text: str) -> int:
        """The length of ``text`` in this limit's unit."""
        return self.unit.measure(text)

    def holds(self, text: str) -> bool:
        """Whether ``text`` is within the limit."""
        return self.unit.measure(text) <= self.maximum
