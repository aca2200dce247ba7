"""What of a lesson is beyond the limits that bind tools. People and imports may go beyond them, and are told so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kg_core.model.ids import is_legal, words
from kg_core.model.limits import (
    GIST_HARD,
    ID_LENGTH,
    ID_WORDS_NOTED,
    NOTE_LENGTH,
    NOTES,
    TAG_LENGTH,
    TAGS,
    TOUCH_LENGTH,
    TOUCHES,
    VIEW_LENGTH,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kg_core.model.node import Node

_LISTS: Final = (("notes", NOTES, NOTE_LENGTH), ("touches", TOUCHES, TOUCH_LENGTH), ("tags", TAGS, TAG_LENGTH))


def beyond(node: Node) -> list[str]:
    """In words what a tool would have refused to write, a piece for each; nothing for nearly every lesson."""
    return [*_of_id(node.id), *_of_texts(node)]


def _of_id(node_id: str) -> Iterator[str]:
    if not is_legal(node_id):
        yield f"an id that is not 1 to {ID_LENGTH} letters, digits, '.', '_' or '-'"
    elif len(words(node_id)) > ID_WORDS_NOTED:
        yield f"an id of {len(words(node_id))} words ({ID_WORDS_NOTED} at most)"


def _of_texts(node: Node) -> Iterator[str]:
    if len(node.gist) > GIST_HARD:
        yield f"a gist of {len(node.gist):,} characters ({GIST_HARD:,} at most)"
    for name, most, longest in _LISTS:
        texts: Sequence[str] = getattr(node, name)
        if len(texts) > most:
            yield f"{len(texts):,} {name} ({most} at most)"
        length = max(map(len, texts), default=0)
        if length > longest:
            yield f"one of the {name} with {length:,} characters ({longest:,} at most)"
    for name, text in (("observer", node.observer), ("observed", node.observed)):
        if len(text) > VIEW_LENGTH:
            yield f"an `{name}` of {len(text):,} characters ({VIEW_LENGTH} at most)"
