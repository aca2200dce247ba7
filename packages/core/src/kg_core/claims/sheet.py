"""One text file on the desk: what every syntax offers, and the one order in which claims are put in and taken out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from kg_core.claims.pairing import pair
from kg_core.claims.record import BlockHold, JsonRoom, TomlRoom, TomlTableHold

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kg_core.claims.record import Hold
    from kg_plugin_api.claims import Claim

    Room = JsonRoom | TomlRoom

Paragraph = TomlTableHold | TomlRoom | BlockHold


class ClaimState(StrEnum):
    """How a claim stands on disk."""

    PRESENT = "present"
    MISSING = "missing"
    FOREIGN = "foreign"
    """Somebody set another value there."""
    UNPARSABLE = "unparsable"
    """The file cannot be read or parsed."""


class Unparsable(Exception):
    """The text is not of its syntax; the argument is a sentence about where."""


class Refused(Exception):
    """A claim cannot be put there; the argument is the reason, a sentence."""


class Sheet(Protocol):
    """A text being edited in memory. Made from a text; raises Unparsable there."""

    @property
    def text(self) -> str:
        """The text as it stands now."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """Sentences about what was left because somebody changed it."""
        ...

    def put(self, claim: Claim, hold: Hold | None) -> tuple[Hold, ...]:
        """Makes the text hold the claim; ``hold`` is what the record says about it.

        Returns what is ours there now, rooms first; nothing when it is the user's. Raises Refused.
        """
        ...

    def take(self, hold: Hold) -> None:
        """Takes out what the record says. Nothing happens when it is gone. Raises Refused."""
        ...

    def has(self, hold: Hold) -> bool:
        """Whether what the record says is in the text, unchanged."""
        ...

    def stands(self, room: Room) -> bool:
        """Whether the container is in the text."""
        ...

    def close(self, room: Room) -> None:
        """Takes a container of ours out, or gives its interior back, when it is there and nothing is in it."""
        ...

    def state(self, claim: Claim, hold: Hold | None) -> ClaimState:
        """How the claim stands in the text."""
        ...


@dataclass(frozen=True, slots=True)
class Reworked:
    """A file after the claims were put in. When any are ``refused``, with reasons, the rest does not count."""

    text: str
    holds: tuple[Hold, ...]
    refused: tuple[tuple[Claim, str], ...]
    notes: tuple[str, ...]


def rework(open_sheet: Callable[[str], Sheet], text: str, holds: Sequence[Hold], claims: Sequence[Claim]) -> Reworked:
    """Takes out what is held and no longer claimed, last first, then puts the claims in. Raises Unparsable, Refused.

    Refused comes out only for what could not be taken out.
    """
    sheet = open_sheet(text)
    held = _handed_on(holds, [hold for _, hold in _paired(claims, holds) if hold is not None])
    pairs = _paired(claims, held)
    remaining = _cleared(sheet, held, [hold for _, hold in pairs if hold is not None])
    refused: list[tuple[Claim, str]] = []
    for claim, hold in pairs:
        try:
            new = sheet.put(claim, hold)
        except Refused as refusal:
            refused.append((claim, str(refusal)))
            continue
        remaining = _replaced(remaining, hold, new)
    return Reworked(sheet.text, tuple(remaining), tuple(refused), tuple(sheet.notes))


def _paired(claims: Sequence[Claim], holds: Sequence[Hold]) -> list[tuple[Claim, Hold | None]]:
    return pair(claims, [hold for hold in holds if not isinstance(hold, JsonRoom | TomlRoom)])


def _cleared(sheet: Sheet, holds: Sequence[Hold], kept: list[Hold]) -> list[Hold]:
    """Takes out what is not kept, and the containers in which nothing of ours remains, last first."""
    remaining: list[Hold] = []
    for hold in reversed(holds):
        if isinstance(hold, JsonRoom | TomlRoom):
            if sheet.stands(hold) and any(_lies_in(other, hold) for other in [*kept, *remaining]):
                remaining.insert(0, hold)
            else:
                sheet.close(hold)
        elif any(hold is other for other in kept):
            remaining.insert(0, hold)
        else:
            sheet.take(hold)
    return remaining


def _handed_on(holds: Sequence[Hold], kept: list[Hold]) -> list[Hold]:
    """The holds, where one of those that stay owes the line end that the original lacked instead of one that goes."""
    staying = [hold for hold in holds if any(hold is other or _is_room_of(hold, other) for other in kept)]
    gone = [hold for hold in holds if not any(hold is other for other in staying)]
    heir = next((hold for hold in staying if isinstance(hold, Paragraph) and _was_put_at_the_end(hold)), None)
    if heir is None or not any(isinstance(hold, Paragraph) and hold.seam.closed for hold in gone):
        return list(holds)
    handed = {id(hold): _closed(hold, hold is heir) for hold in [*gone, heir] if isinstance(hold, Paragraph)}
    return [handed.get(id(hold), hold) for hold in holds]


def _was_put_at_the_end(hold: Paragraph) -> bool:
    """Not so a table inside of an inline table, nor what stands beside root keys."""
    return isinstance(hold, BlockHold) or bool(hold.keys and hold.seam.tail)


def _closed(hold: Paragraph, closed: bool) -> Hold:
    return hold.model_copy(update={"seam": hold.seam.model_copy(update={"closed": closed})})


def _is_room_of(room: Hold, hold: Hold) -> bool:
    return isinstance(room, JsonRoom | TomlRoom) and _lies_in(hold, room)


def _lies_in(hold: Hold, room: Room) -> bool:
    keys = getattr(hold, "keys", ())
    below = len(keys) > len(room.keys) or getattr(hold, "item", False)
    return bool(below and keys[: len(room.keys)] == room.keys)


def _replaced(holds: list[Hold], old: Hold | None, new: tuple[Hold, ...]) -> list[Hold]:
    """In place when the value stayed where it was, at the end when it was put in anew."""
    if old is not None and len(new) == 1 and any(hold is old for hold in holds):
        return [new[0] if hold is old else hold for hold in holds]
    return [*(hold for hold in holds if hold is not old), *new]
