"""Telling contents of files apart. Pure."""

from __future__ import annotations

import hashlib


def digest(data: bytes | None) -> str:
    """The SHA-256 of a file's content in hexadecimal, "" for no file."""
    return "" if data is None else hashlib.sha256(data).hexdigest()
