"""Node ids: what is legal, which spellings are the same node, and what to propose instead of an illegal one."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import NewType

from kg_core.model.limits import ID_LENGTH, ID_WORDS_NOTED, REL_LENGTH
from kg_core.model.visible import shows
from kg_plugin_api import Code, KgError

Folded = NewType("Folded", str)
"""An id as it is compared: NFC, case-folded."""

_UNSHOWN = "\u034f\u3164\uffa0"
"""Two letters and a mark that show nothing: what is shown leaves them out, and would name another node."""
_EXAMPLE = "retry-needs-jitter"
_QUOTES = "`´"
"""Symbols that stand around an id, as Markdown has them, and are none of its words."""
_HALVES = re.compile("[\ud800-\udfff]")
"""Halves of surrogate pairs: bytes of a command line that are no text become such."""
_SEPARATORS = re.compile(r"[-_.]+")
_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d[-_.]?(?:0[1-9]|1[0-2])(?:[-_.]?(?:0[1-9]|[12]\d|3[01]))?(?!\d)")


def fold(node_id: str) -> Folded:
    """The form in which ids are compared: two spellings that fold alike are one node."""
    return Folded(unicodedata.normalize("NFC", unicodedata.normalize("NFC", node_id).casefold()))


def is_legal(name: str, length: int = ID_LENGTH) -> bool:
    """Whether ``name`` is NFC, shows something and is made of 1 to ``length`` letters, marks, digits, ``.``, ``_`` and
    ``-``.
    """
    return (
        0 < len(name) <= length
        and unicodedata.is_normalized("NFC", name)
        and all(_is_name_character(c) for c in name)
        and shows(name)
    )


def check_id(text: str) -> str:
    """The id that ``text`` spells, in NFC; raises INVALID with a legal id proposed, or when it has too many words."""
    node_id = unicodedata.normalize("NFC", text.strip())
    if not shows(node_id):
        what = "is not valid text" if _HALVES.search(text) else "is empty"
        raise KgError(
            Code.INVALID,
            f"The id {what}. Name the subject in 3 to 5 words, for example {_EXAMPLE!r}.",
            {"id": text, "proposed": _EXAMPLE},
        )
    if not is_legal(node_id):
        proposed = _in_few_words(propose(text))
        raise KgError(
            Code.INVALID,
            f"The id {text!r} is not legal: an id is 1 to {ID_LENGTH} letters, digits, '.', '_' or '-', in any script. "
            f"Use for example {proposed!r}.",
            {"id": text, "proposed": proposed},
        )
    if len(words(node_id)) > ID_WORDS_NOTED:
        proposed = _in_few_words(node_id)
        raise KgError(
            Code.INVALID,
            f"The id {node_id!r} has {len(words(node_id))} words. Name the subject in 3 to 5 words and let the gist "
            f"say the rest, for example {proposed!r}.",
            {"id": node_id, "proposed": proposed},
        )
    return node_id


def check_rel(text: str) -> str:
    """The relation that ``text`` names, in NFC; raises INVALID with a legal one proposed."""
    rel = unicodedata.normalize("NFC", text.strip())
    if not shows(rel):
        what = "is not valid text" if _HALVES.search(text) else "is empty"
        raise KgError(Code.INVALID, f"The relation {what}. It is a verb, for example 'guards' or 'implemented-in'.")
    if not is_legal(rel, REL_LENGTH):
        raise KgError(
            Code.INVALID,
            f"The relation {text!r} is not legal: it is 1 to {REL_LENGTH} letters, digits, '.', '_' or '-'. "
            f"Use for example {propose(text)[:REL_LENGTH]!r}.",
            {"rel": text},
        )
    return rel


def words(node_id: str) -> list[str]:
    """The words of an id, separated by ``-``, ``_`` or ``.``."""
    return [word for word in _SEPARATORS.split(node_id) if word]


def advice(node_id: str) -> str:
    """A remark on a legal id that could be better, or the empty string."""
    if _DATE.search(node_id):
        return (
            "the id carries a date; the time is kept anyway, so name the subject alone (kg_rename_node keeps the edges)"
        )
    if len(words(node_id)) >= ID_WORDS_NOTED:
        return f"the id has {len(words(node_id))} words; 3 to 5 are easier to recall (kg_rename_node keeps the edges)"
    return ""


def propose(text: str) -> str:
    """A legal id close to ``text``: distinct texts of letters stay distinct, symbols become their names."""
    pieces: list[str] = []
    for character in unicodedata.normalize("NFC", text.strip()):
        if _is_name_character(character):
            pieces.append("" if unicodedata.category(character) == "Mn" and _joins_symbol(pieces) else character)
        elif character in _QUOTES:
            pieces.append("-")
        elif unicodedata.category(character).startswith("S"):
            name = unicodedata.name(character, "").lower().replace(" ", "-")
            pieces.append(f"-{name}-")
        elif unicodedata.category(character) not in {"Cf", "Cc"} or character.isspace():
            pieces.append("-")
    joined = re.sub(r"-{2,}", "-", "".join(pieces)).strip("-._")[:ID_LENGTH].strip("-._")
    proposed = unicodedata.normalize("NFC", joined)
    if proposed and is_legal(proposed):
        return proposed
    return "note-" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _in_few_words(node_id: str) -> str:
    """A legal id with no more words than a new one may have: what is proposed must not be refused in its turn."""
    parts = words(node_id)
    return node_id if len(parts) <= ID_WORDS_NOTED else "-".join(parts[:4])


def _joins_symbol(pieces: list[str]) -> bool:
    """A mark behind a symbol (a variation selector) only styles it and is no part of a name."""
    return not pieces or pieces[-1] == "" or pieces[-1].endswith("-")


def _is_name_character(character: str) -> bool:
    return character in "._-" or (unicodedata.category(character)[0] in "LMN" and character not in _UNSHOWN)
