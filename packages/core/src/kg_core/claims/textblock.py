"""A Markdown or plain text file with marked blocks on the desk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.claims.lines import line_end, line_start, newline
from kg_core.claims.paragraph import append, cut
from kg_core.claims.record import BlockHold
from kg_core.claims.sheet import ClaimState, Refused
from kg_plugin_api.claims import TextBlock

if TYPE_CHECKING:
    from kg_core.claims.record import Hold, JsonRoom, TomlRoom
    from kg_plugin_api.claims import Claim


class TextSheet:
    """Implements Sheet for text files. ``markup`` says whether marker lines are HTML comments or begin with ``#``."""

    def __init__(self, text: str, *, markup: bool) -> None:
        self._text = text
        self._markup = markup
        self._notes: list[str] = []

    @property
    def text(self) -> str:
        """The text as it stands now."""
        return self._text

    @property
    def notes(self) -> list[str]:
        """Sentences about what was left because somebody changed it."""
        return self._notes

    def put(self, claim: Claim, hold: Hold | None) -> tuple[Hold, ...]:
        """See Sheet."""
        claim = _typed(claim)
        span = self._find(claim.name)
        if span is None:
            self._text, seam = append(self._text, self.block(claim.name, claim.text), newline(self._text))
            return (BlockHold(name=claim.name, text=_lines(claim.text), seam=seam),)
        inner = self._inner(span)
        if not isinstance(hold, BlockHold):
            if inner == _lines(claim.text):
                return ()
            raise Refused(f"a block named {claim.name} is there already with another text")
        if _lines(claim.text) not in {inner, hold.text}:
            if inner != hold.text:
                raise Refused(f"the block {claim.name} was put there by an earlier set-up and changed since")
            self._text = self._text[: span[0]] + self.block(claim.name, claim.text) + self._text[span[1] :]
        return (hold.model_copy(update={"text": _lines(claim.text)}),)

    def take(self, hold: Hold) -> None:
        """See Sheet. Lines that somebody added between our markers stay."""
        if not isinstance(hold, BlockHold):
            return
        span = self._find(hold.name)
        if span is None:
            return
        ours = hold.text.split("\n")
        added = [line for line in self._inner(span).split("\n") if line not in ours]
        kept = "".join(line + newline(self._text) for line in added)
        self._text = cut(self._text, *span, hold.seam, kept)

    def has(self, hold: Hold) -> bool:
        """See Sheet."""
        span = self._find(hold.name) if isinstance(hold, BlockHold) else None
        return span is not None and isinstance(hold, BlockHold) and self._inner(span) == hold.text

    def stands(self, room: JsonRoom | TomlRoom) -> bool:
        """Text files have no containers."""
        return False

    def close(self, room: JsonRoom | TomlRoom) -> None:
        """Text files have no containers."""

    def state(self, claim: Claim, hold: Hold | None) -> ClaimState:
        """See Sheet."""
        claim = _typed(claim)
        try:
            span = self._find(claim.name)
        except Refused:
            return ClaimState.FOREIGN
        if span is None:
            return ClaimState.MISSING
        return ClaimState.PRESENT if self._inner(span) == _lines(claim.text) else ClaimState.FOREIGN

    def block(self, name: str, text: str) -> str:
        """The block with its marker lines, in the line ends of this file."""
        begin, end = self._markers(name)
        return "".join(line + newline(self._text) for line in [begin, *_lines(text).split("\n")[:-1], end])

    def _markers(self, name: str) -> tuple[str, str]:
        marks = (f"{name} begin", f"{name} end")
        begin, end = (f"<!-- {mark} -->" if self._markup else f"# {mark}" for mark in marks)
        return begin, end

    def _find(self, name: str) -> tuple[int, int] | None:
        """From the begin marker's line to behind the end marker's line. Raises Refused for markers out of order."""
        begin, end = ([at for at in self._line_starts() if self._line(at) == mark] for mark in self._markers(name))
        if not begin and not end:
            return None
        if len(begin) != 1 or len(end) != 1 or begin[0] > end[0]:
            raise Refused(f"the marker lines of the block {name} are not one pair")
        return begin[0], line_end(self._text, end[0])

    def _inner(self, span: tuple[int, int]) -> str:
        first = line_end(self._text, span[0])
        last = line_start(self._text, span[1] - 1)
        return _lines(self._text[first:last])

    def _line_starts(self) -> list[int]:
        starts = [0]
        while (end := line_end(self._text, starts[-1])) < len(self._text):
            starts.append(end)
        return starts

    def _line(self, start: int) -> str:
        return self._text[start : line_end(self._text, start)].strip()


def _lines(text: str) -> str:
    """The text with line feeds, the last line ended."""
    text = text.replace("\r\n", "\n")
    return text if not text or text.endswith("\n") else text + "\n"


def _typed(claim: Claim) -> TextBlock:
    if not isinstance(claim, TextBlock):
        raise TypeError(f"{claim!r} is no claim on a text file")
    return claim
