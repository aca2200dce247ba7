"""The one error type that crosses package borders.

KgError
└── SearchUnavailable   a search backend cannot answer; the built-in index answers instead
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Code(StrEnum):
    """What kind of failure it is. The server has one table from these to MCP, HTTP and exit codes."""

    INVALID = "invalid"
    """The input is wrong; the sentence says what, where and how to mend it."""
    NOT_FOUND = "not_found"
    AMBIGUOUS = "ambiguous"
    """The input names more than one thing; the sentence names them."""
    CONFLICT = "conflict"
    """Something changed meanwhile, or somebody else owns it; nothing was written."""
    REFUSED = "refused"
    """A rule forbids it (locked, a secret, a budget of votes); nothing was written."""
    FORBIDDEN = "forbidden"
    """The caller may not do this at all (token, Host, Origin)."""
    TOO_LARGE = "too_large"
    READ_ONLY = "read_only"
    """The storage cannot be written; the sentence names the path."""
    UNAVAILABLE = "unavailable"
    """Something that should answer does not; trying again later may help."""
    INTERNAL = "internal"


class KgError(Exception):
    """A failure with a clear sentence for whoever caused it.

    ``sentence`` says what is wrong, where, and what to do. ``data`` holds what a program needs
    (ids, paths, versions) as JSON-compatible values.
    """

    def __init__(self, code: Code, sentence: str, data: Mapping[str, object] | None = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.data: Mapping[str, object] = dict(data or {})


class SearchUnavailable(KgError):
    """Raised by a search backend that cannot answer now; never fatal, said to the user once."""

    def __init__(self, sentence: str, data: Mapping[str, object] | None = None) -> None:
        super().__init__(Code.UNAVAILABLE, sentence, data)
