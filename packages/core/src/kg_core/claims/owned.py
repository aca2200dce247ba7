"""Whole files of ours. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kg_core.claims.digests import digest
from kg_core.claims.record import OwnedHold
from kg_core.claims.sheet import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_core.claims.files import Found
    from kg_core.claims.record import Hold
    from kg_plugin_api.claims import OwnedFile

_FILE: Final = 0o600
_PROGRAM: Final = 0o700
_RUN: Final = 0o100


@dataclass(frozen=True, slots=True)
class ReworkedFile:
    """A file after the claim. ``data`` is None for no file, ``mode`` is None when it stays as it is."""

    data: bytes | None
    mode: int | None
    holds: tuple[Hold, ...]
    notes: tuple[str, ...] = ()


def rework_owned(
    claims: Sequence[OwnedFile], holds: Sequence[Hold], found: Found | None, *, unread: bool = False
) -> ReworkedFile:
    """The file that the claim wants; an equal file that was there before stays the user's. Raises Refused.

    What somebody changed stays when no claim wants it any more, and is still ours as long as it is there, except where
    it is ``unread``: nobody but us ever looks there. What no record knows is there left over from us, too.
    """
    held = next((hold for hold in holds if isinstance(hold, OwnedHold)), None)
    untouched = held is not None and found is not None and digest(found.data) == held.sha256
    if not claims:
        return _cleared(held, found, untouched=untouched, unread=unread)
    claim = claims[0]
    if any(other.text != claim.text or other.executable != claim.executable for other in claims):
        raise Refused("two claims want different texts in it")
    data = claim.text.encode("utf-8")
    hold = OwnedHold(sha256=digest(data), executable=claim.executable)
    if found is None:
        return ReworkedFile(data, _PROGRAM if claim.executable else _FILE, (hold,))
    if held is None and found.data == data:
        return ReworkedFile(data, None, ())
    if not untouched and found.data != data and not (unread and held is None):
        raise Refused(
            "it is there already with another content; move it away and run this again"
            if held is None
            else "somebody changed it since it was put there; move it away and run this again"
        )
    mode = found.mode | _RUN if claim.executable else found.mode
    return ReworkedFile(data, mode, (hold,))


def _cleared(held: OwnedHold | None, found: Found | None, *, untouched: bool, unread: bool) -> ReworkedFile:
    if held is None or found is None or untouched:
        return ReworkedFile(None, None, ())
    notes = ("It was changed by somebody else and stays as it is.",)
    return ReworkedFile(found.data, None, () if unread else (held,), notes)
