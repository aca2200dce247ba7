"""A document: a file's text as it is indexed, and what sort of document its name says it is."""

from __future__ import annotations

import codecs
import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kg_search_pg.documents.pieces import JOINER, pieces
from kg_search_pg.words import clean

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kg_search_pg.documents.pieces import Piece
    from kg_search_pg.embedding.tokens import Tokenizer

_FORM: Final = b"2"
"""Changes when the same file is to be taken apart in another way."""
_KINDS: Final = (
    ("readme", re.compile(r"readme")),
    ("changelog", re.compile(r"change|history|release-?notes|news")),
    ("runbook", re.compile(r"runbook|playbook|operations|deploy|release|incident")),
    ("decision", re.compile(r"(^|[/_-])(adrs?|decisions?|rfcs?)([/_.-]|$)")),
    ("specification", re.compile(r"spec|plan|design|architecture|proposal")),
    ("interface", re.compile(r"(^|[/_-])(api|reference|openapi)([/_.-]|$)")),
)
NOTE: Final = "note"


@dataclass(frozen=True, slots=True)
class Document:
    """A file, taken apart. ``has_secrets`` when something was left out of its text."""

    path: str
    kind: str
    title: str
    digest: bytes
    pieces: tuple[Piece, ...]
    has_secrets: bool


def digest(data: bytes, tokenizer: str) -> bytes:
    """What changes when a file is to be taken apart again: its bytes, or who counts its tokens."""
    return hashlib.sha256(b"\0".join((_FORM, tokenizer.encode("utf-8"), data))).digest()


def kind(name: str) -> str:
    """What sort of document a path below its repository's root is, by its name, then by that of its folders."""
    folded = name.casefold()
    stem = folded.rpartition("/")[2]
    for text in (stem, folded):
        for found, pattern in _KINDS:
            if pattern.search(text):
                return found
    return NOTE


def taken_apart(
    path: Path, name: str, data: bytes, tokenizer: Tokenizer, without_secrets: Callable[[str], str]
) -> Document:
    """The document of a file. Secrets are gone before anything else looks at the text."""
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    text = clean(data.decode(encoding, "replace"))
    told = without_secrets(text)
    found = tuple(pieces(told, tokenizer.count))
    title = next((piece.heading.partition(JOINER)[0] for piece in found if piece.heading), path.stem)
    return Document(
        path=clean(str(path)),
        kind=kind(name),
        title=title,
        digest=digest(data, tokenizer.name),
        pieces=found,
        has_secrets=told != text,
    )
