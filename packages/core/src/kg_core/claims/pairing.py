"""Which recorded value belongs to which claim. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.claims.record import BlockHold, JsonHold, OwnedHold, TomlHold, TomlTableHold
from kg_core.claims.values import plain, same
from kg_plugin_api.claims import JsonEntry, JsonItem, OwnedFile, TextBlock, TomlEntry, TomlTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_core.claims.record import Hold
    from kg_plugin_api.claims import Claim


def pair(claims: Sequence[Claim], holds: Sequence[Hold]) -> list[tuple[Claim, Hold | None]]:
    """Every claim of one file with what the record holds for it, or None. Equal claims count once.

    Members of one array are told apart by their value; what is left over is paired in order, as an older value.
    """
    distinct: list[Claim] = []
    for claim in claims:
        if not any(_equal(claim, other) for other in distinct):
            distinct.append(claim)
    free = list(holds)
    found: dict[int, Hold] = {}
    for exact in (True, False):
        for index, claim in enumerate(distinct):
            if index in found:
                continue
            hold = next((h for h in free if place(h) == place_of(claim) and (not exact or _value_is(h, claim))), None)
            if hold is not None:
                found[index] = hold
                free.remove(hold)
    return [(claim, found.get(index)) for index, claim in enumerate(distinct)]


def place_of(claim: Claim) -> tuple[str, ...]:
    """The place in a file that a claim is about, comparable with :func:`place`."""
    match claim:
        case JsonEntry():
            return ("json", *claim.keys)
        case JsonItem():
            return ("json_item", *claim.keys)
        case TomlEntry():
            return ("toml", *claim.keys)
        case TomlTable():
            return ("toml_table", *claim.keys)
        case TextBlock():
            return ("block", claim.name)
        case OwnedFile():
            return ("owned",)


def place(hold: Hold) -> tuple[str, ...]:
    """The place in a file that a recorded value has; a container has none."""
    match hold:
        case JsonHold():
            return ("json_item" if hold.item else "json", *hold.keys)
        case TomlHold():
            return ("toml", *hold.keys)
        case TomlTableHold():
            return ("toml_table", *hold.keys)
        case BlockHold():
            return ("block", hold.name)
        case OwnedHold():
            return ("owned",)
        case _:
            return ()


def _value_is(hold: Hold, claim: Claim) -> bool:
    if isinstance(hold, JsonHold) and isinstance(claim, JsonEntry | JsonItem):
        return same(hold.value, plain(claim.value))
    return True


def _equal(left: Claim, right: Claim) -> bool:
    if isinstance(left, JsonItem) and isinstance(right, JsonItem):
        return left.keys == right.keys and same(plain(left.value), plain(right.value))
    return type(left) is type(right) and left == right
