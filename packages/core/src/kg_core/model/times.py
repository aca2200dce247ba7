"""Times: milliseconds since the epoch inside, UTC ISO-8601 with milliseconds in files."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

Millis = int
"""Milliseconds since 1970-01-01T00:00Z; 0 means never."""

DAY: Millis = 86_400_000

LATEST: Final[Millis] = 253_402_300_799_999
"""The last millisecond of the year 9999, which is as far as files go: a later time is read and written as this one."""


def to_iso(at: Millis) -> str:
    """``2026-11-29T20:05:01.123Z``; the empty string for never."""
    if at <= 0:
        return ""
    at = min(at, LATEST)
    moment = datetime.fromtimestamp(at / 1000, tz=UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at % 1000:03d}Z"


def from_iso(text: str) -> Millis:
    """The time that ``text`` names, with or without offset (none means UTC); 0 when it names none."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return 0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return min(max(0, round(moment.timestamp() * 1000)), LATEST)
