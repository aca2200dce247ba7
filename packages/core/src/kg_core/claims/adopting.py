"""What stands on disk just as claimed and is in no record, taken for ours: its record was lost. Writes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from kg_core.claims.digests import digest
from kg_core.claims.planning import spots, states_of
from kg_core.claims.record import FileRecord, JsonHold, OwnedHold, Record, TomlHold, TomlTableHold
from kg_core.claims.sheet import ClaimState
from kg_core.claims.values import plain
from kg_plugin_api.claims import JsonEntry, JsonItem, OwnedFile, TextBlock, TomlEntry, TomlTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import JsonValue

    from kg_core.claims.files import Files
    from kg_core.claims.record import Hold
    from kg_plugin_api.claims import Claim


def adopted(claims: Sequence[Claim], files: Files) -> Record:
    """A record of these claims, as far as they stand on disk.

    What was there before them, and which containers were made for them, is not known: removal leaves those empty.
    """
    found = []
    for spot in spots(claims, Record(), files):
        standing = zip(spot.claims, states_of(spot), strict=True)
        present = [claim for claim, state in standing if state is ClaimState.PRESENT]
        holds = tuple(hold for claim in present if (hold := _hold(claim)) is not None)
        if holds:
            made = any(isinstance(hold, OwnedHold) for hold in holds)
            found.append(FileRecord(path=str(spot.path), made=made, holds=holds))
    return Record(files=tuple(found))


def _hold(claim: Claim) -> Hold | None:
    """What the record holds of a claim that was put in; ``None`` for a block of text, whose seams are not known."""
    match claim:
        case JsonEntry() | JsonItem():
            value = cast("JsonValue", plain(claim.value))
            return JsonHold(keys=claim.keys, value=value, item=isinstance(claim, JsonItem))
        case TomlEntry():
            return TomlHold(keys=claim.keys, value=cast("JsonValue", plain(claim.value)))
        case TomlTable():
            return TomlTableHold(keys=claim.keys, values=cast("dict[str, JsonValue]", plain(claim.values)))
        case OwnedFile():
            return OwnedHold(sha256=digest(claim.text.encode("utf-8")), executable=claim.executable)
        case TextBlock():
            return None
