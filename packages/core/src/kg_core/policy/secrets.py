"""Secrets in text: found by their shape and replaced by a placeholder that names their kind. Pure."""

from __future__ import annotations

import json
import operator
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from kg_core.model.foreign import as_object
from kg_core.policy.secretrules import BY_HINT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kg_core.model import Edge, Node, Progress
    from kg_core.policy.secretrules import Rule
    from kg_core.render import Block


_HIDDEN: Final = re.compile(
    "(?<=[\\s!-~])[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e01ef]+(?=[\\s!-~])"
)
"""What shows nothing between characters of ASCII, where no script needs it."""
_PASSES: Final = 4
"""From then on what runs on from a secret goes with it: each pass sees one more of a row of secrets without breaks."""
_RUNNING_ON: Final = re.compile(r"(\[secret:[a-z-]+\])\w[\w.-]*")


class Scrubbed(NamedTuple):
    """A text without secrets, and the kinds of those that were in it (``aws-access-key``), each once."""

    text: str
    kinds: tuple[str, ...] = ()


def scrub(text: str, *, is_name: bool = False) -> Scrubbed:
    """``text`` with each secret replaced by ``[secret:kind]``, or by ``secret-kind``, which is legal in an id.

    Doing it twice equals doing it once. A text without secrets is returned as it is. One that has a secret only once
    characters that show nothing are taken out of it, as some programs put them into what is copied, loses these.
    """
    kinds: dict[str, None] = {}
    passes = 0
    while (clean := _without_seen(text, is_name=is_name)).kinds:  # what a secret ran into may now be seen to be another
        text = clean.text
        kinds.update(dict.fromkeys(clean.kinds))
        passes += 1
        if passes >= _PASSES:
            text = _RUNNING_ON.sub(r"\1", text)
    return Scrubbed(text, tuple(kinds))


def scrub_node(node: Node) -> Node:
    """The node without secrets in its content, in what a merge set aside and in keys that kg does not know; the very
    node when there are none. Its id stays.
    """
    lines = (node.gist, node.observer, node.observed)
    clean = tuple(_scrub_all(texts) for texts in (lines, node.notes, node.touches, node.tags))
    aside = tuple(map(_scrub_record, node.conflicts))
    extra = _scrub_record(node.extra)
    is_same = clean == (lines, node.notes, node.touches, node.tags)
    if is_same and extra is node.extra and all(map(operator.is_, aside, node.conflicts)):
        return node
    (gist, observer, observed), notes, touches, tags = clean
    return replace(
        node,
        gist=gist,
        observer=observer,
        observed=observed,
        notes=notes,
        touches=touches,
        tags=tags,
        conflicts=aside,
        extra=extra,
    )


def scrub_edge(edge: Edge) -> Edge:
    """The edge without secrets in its notes and in keys that kg does not know; the very edge when there are none."""
    notes, extra = _scrub_all(edge.notes), _scrub_record(edge.extra)
    return edge if notes == edge.notes and extra is edge.extra else replace(edge, notes=notes, extra=extra)


def scrub_progress(progress: Progress) -> Progress:
    """The progress without secrets in its state, at whatever depth; the very progress when there are none.

    A state that is no object any more without them is kept as a text.
    """
    state, extra = _scrub_record(progress.state), _scrub_record(progress.extra)
    is_same = state is progress.state and extra is progress.extra
    return progress if is_same else replace(progress, state=state, extra=extra)


def scrub_blocks(blocks: Sequence[Block]) -> list[Block]:
    """The blocks without secrets in what they show: a hand may have put some into the files."""
    if not scrub("\n".join(block.text for block in blocks)).kinds:
        return list(blocks)
    return [replace(block, text=scrub(block.text).text) for block in blocks]


def _without_seen(text: str, *, is_name: bool) -> Scrubbed:
    """The text without the secrets that can be seen in it once what shows nothing is out of it, or else as it is."""
    if not text.isascii() and _HIDDEN.search(text):
        bare = _scrubbed(_HIDDEN.sub("", text), is_name=is_name)
        if bare.kinds:
            return bare
    return _scrubbed(text, is_name=is_name)


def _scrubbed(text: str, *, is_name: bool) -> Scrubbed:
    kinds: dict[str, None] = {}
    applied: set[Rule] = set()
    for hint, rules in BY_HINT:
        if hint in text:
            for rule in rules:
                if rule in applied:
                    continue
                applied.add(rule)
                text, found = _replaced(text, rule, f"secret-{rule.kind}" if is_name else f"[secret:{rule.kind}]")
                if found:
                    kinds[rule.kind] = None
    return Scrubbed(text, tuple(kinds))


def _scrub_record(record: Mapping[str, object]) -> Mapping[str, object]:
    """What another product or another version wrote, without secrets; the very record when there are none."""
    if not record:
        return record
    clean = scrub(json.dumps(dict(record), ensure_ascii=False, default=str))
    return as_object(clean.text) if clean.kinds else record


def _scrub_all(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(scrub(text).text for text in texts)


def _replaced(text: str, rule: Rule, placeholder: str) -> tuple[str, bool]:
    pieces: list[str] = []
    end = 0
    group = "secret" if "secret" in rule.pattern.groupindex else 0
    for match in rule.pattern.finditer(text):
        if match[group] != placeholder and (rule.accepts is None or rule.accepts(match[group])):
            pieces += (text[end : match.start(group)], placeholder)
            end = match.end(group)
    return "".join((*pieces, text[end:])) if pieces else text, bool(pieces)
