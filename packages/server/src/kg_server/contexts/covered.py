"""Which journal sequences a context has been told of, as a set that survives deliveries arriving out of order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Span(NamedTuple):
    """Sequences ``after`` < n ≤ ``last``."""

    after: int
    last: int

    def __str__(self) -> str:
        return f"{self.after}-{self.last}"

    @classmethod
    def parse(cls, text: str) -> Span:
        """The span that ``str`` wrote; the empty span for anything else."""
        after, _, last = text.partition("-")
        if not (after.isascii() and after.isdigit() and last.isascii() and last.isdigit()):
            return cls(0, 0)
        return cls(int(after), int(last))


@dataclass(frozen=True, slots=True)
class Covered:
    """Disjoint spans in rising order. A delivery that never arrived leaves a gap, which stays to be announced."""

    spans: tuple[Span, ...] = ()

    def add(self, span: Span) -> Covered:
        """This set with ``span`` added."""
        if span.after >= span.last:
            return self
        after, last = span
        kept: list[Span] = []
        for known in self.spans:
            if known.last < after or known.after > last:
                kept.append(known)
            else:
                after, last = min(after, known.after), max(last, known.last)
        return Covered(tuple(sorted((*kept, Span(after, last)))))

    def __contains__(self, sequence: int) -> bool:
        return any(span.after < sequence <= span.last for span in self.spans)

    @property
    def floor(self) -> int:
        """The sequence up to which nothing is missing."""
        return self.spans[0].last if self.spans and self.spans[0].after == 0 else 0
