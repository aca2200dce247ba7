"""The name of a context, and the short id by which the rest of kg knows it."""

from __future__ import annotations

import base64
import hashlib
from typing import NamedTuple

_ID_LENGTH = 8


class ContextKey(NamedTuple):
    """What a model's context is to its harness: the session, and the subagent in it or the empty string."""

    harness: str
    session: str
    agent: str = ""

    def short_id(self, generation: int = 0) -> str:
        """Eight letters and digits, the same for the same key and generation on every machine and at every time."""
        name = "\x00".join((*self, str(generation)))
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
        return base64.b32encode(digest)[:_ID_LENGTH].decode("ascii").lower()
