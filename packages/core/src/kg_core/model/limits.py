"""Limits of content, and the budget. They bind tool writes; files edited by hand are kept and flagged."""

from typing import Final

ID_LENGTH: Final = 128
ID_WORDS_NOTED: Final = 6
"""An id of this many words, or with a date, gets a note; more words are refused."""
GIST_SOFT: Final = 300
GIST_HARD: Final = 1_000
NOTES: Final = 200
NOTE_LENGTH: Final = 8_000
TOUCHES: Final = 100
TOUCH_LENGTH: Final = 512
TAGS: Final = 32
TAG_LENGTH: Final = 64
VIEW_LENGTH: Final = 128
"""Of the name of an observer, or of who is observed."""
REL_LENGTH: Final = 64
PROGRESS_BYTES: Final = 65_536
TOMBSTONES: Final = 10_000
TOMBSTONE_DAYS: Final = 365
GIST_CHANGES: Final = 8

BUDGET: Final = 22_000
"""Charge of one level, in characters, that a pass brings it back to."""
FILL: Final = 17_600
"""Archiving stops at or below this (0.8 of the budget), refilling fills up to it."""
FRESH_SHARE: Final = 0.30
"""Share of the budget within which the newest nodes are never archived."""
ARCHIVED_LINES: Final = 6_600
"""Charge of archived lines beyond which the lowest are orphaned."""
FULL_READ: Final = 50_000
"""Target of a full read, in characters."""
