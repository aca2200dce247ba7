"""How deep a search can be asked to go."""

from enum import StrEnum


class Depth(StrEnum):
    """What a search returns. Each of the first four returns what the one before returns as well."""

    EXPLICIT = "explicit"
    """What was stated."""
    DERIVED = "derived"
    """Conclusions too, where they match."""
    PREMISES = "premises"
    """And what these were concluded from, directly."""
    ANCESTRY = "ancestry"
    """And what that rests on, down to the ceiling."""
    AUTO = "auto"
    """One of the others, by what was found."""
