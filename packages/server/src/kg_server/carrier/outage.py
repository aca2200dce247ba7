"""What all carriers of a machine know of an outage, kept as files: who skips, and who says so.

After one miss every carrier skips for ten seconds. The first event of an outage that can say something says one
fixed line; after that there is silence until the server has answered again.
"""

from __future__ import annotations

import time

from kg_server.carrier.places import Places, age, remove, touch

SKIP_SECONDS = 10.0
LINE = (
    "kg: the memory server does not answer, so memory is off for now: lessons are neither recalled nor saved. "
    "The command `kg doctor` says why."
)


def skipping(places: Places) -> bool:
    """Whether a miss is so recent that asking again is not worth the wait."""
    since = age(places.outage, time.time())
    return since is not None and since < SKIP_SECONDS


def missed(places: Places) -> None:
    """Notes that the server did not answer just now."""
    touch(places.outage)


def may_say(places: Places) -> bool:
    """Whether the caller is the one that says the line of this outage. True once, for one carrier."""
    return touch(places.said, new=True)


def recovered(places: Places) -> None:
    """Ends the outage, if there was one: the server has answered."""
    remove(places.outage)
    remove(places.said)
