"""Putting members into a JSON document and taking them out again, span by span. Pure.

Taking out is the inverse of putting in: ``insert`` puts only white space, one comma and the member between two tokens
that were neighbours before, and ``remove`` takes away a member, one comma and the white space in front of it. So a
document that nobody else wrote comes back byte for byte, but for the white space inside a container that was empty:
``insert`` into such a container replaces its interior, which the caller keeps (``empty_interior``, ``set_interior``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.claims.jsonstyle import style_of
from kg_core.claims.jsontext import Kind
from kg_core.claims.lines import begins_line, indentation, is_blank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_core.claims.jsontext import Document, Member, Node


def locate(document: Document, path: Sequence[str | int]) -> Node | None:
    """The value at a path of keys and indices; of equal keys the last. None when there is none."""
    node = document.root
    for step in path:
        if node is None:
            return None
        index = position(node, step)
        node = None if index is None else node.members[index].node
    return node


def position(node: Node, step: str | int) -> int | None:
    """Which member of a container a key (the last of equal ones) or an index names."""
    if isinstance(step, int):
        return step if node.kind is Kind.ARRAY and step < len(node.members) else None
    if node.kind is not Kind.OBJECT:
        return None
    return next((i for i in range(len(node.members) - 1, -1, -1) if node.members[i].key == step), None)


def empty_interior(document: Document, container: Node) -> str | None:
    """The white space inside a container without members and comments; None for any other container."""
    interior = document.text[container.start + 1 : container.end - 1]
    return interior if is_blank(interior) else None


def set_interior(document: Document, container: Node, interior: str) -> str:
    """The text with another interior of that container."""
    text = document.text
    return text[: container.start + 1] + interior + text[container.end - 1 :]


def insert(document: Document, container: Node, key: str | None, value: object) -> str:
    """The text with a new last member of the container; ``key`` is None for an array."""
    if empty_interior(document, container) is not None:
        return _insert_only(document, container, key, value)
    text, style = document.text, style_of(document)
    last = container.members[-1] if container.members else None
    token = container.start + 1
    if last is not None:
        token = last.node.end if last.comma is None else last.comma + 1
    comments = document.comments_in(token, container.end - 1)
    stop = comments[-1].end if comments else token
    indent = _member_indent(document, container, last)
    if indent is None and comments and comments[-1].line:
        indent = indentation(text, container.start) + style.unit
    lead = style.gap if indent is None else style.newline + indent
    member = lead + style.member(key, value, indent)
    if last is None:
        return text[:stop] + member + text[stop:]
    if last.comma is not None:
        return text[:stop] + member + "," + text[stop:]
    return text[:token] + "," + text[token:stop] + member + text[stop:]


def _insert_only(document: Document, container: Node, key: str | None, value: object) -> str:
    style = style_of(document)
    if not style.multiline:
        return set_interior(document, container, style.member(key, value, None))
    outer = indentation(document.text, container.start)
    inner = outer + style.unit
    member = style.member(key, value, inner)
    return set_interior(document, container, style.newline + inner + member + style.newline + outer)


def _member_indent(document: Document, container: Node, last: Member | None) -> str | None:
    text = document.text
    if last is not None:
        return indentation(text, last.start) if begins_line(text, last.start) else None
    if "\n" in text[container.start : container.end]:
        return indentation(text, container.start) + style_of(document).unit
    return None


def remove(document: Document, container: Node, index: int) -> str:
    """The text without that member. Comments around it stay."""
    text = document.text
    member = container.members[index]
    start = _behind_token_before(document, container, index)
    end, cuts = member.node.end, []
    if member.comma is not None:
        if is_blank(text[end : member.comma]):
            end = member.comma + 1
        else:
            cuts.append((member.comma, member.comma + 1))
        if index == 0 and "\n" not in text[start : member.start]:
            end = _behind_blanks(text, end)
    elif index > 0:
        comma = container.members[index - 1].comma
        if comma is not None:
            cuts.append((comma, comma + 1))
    cuts.append((_keep_line_end(document, start, end), end))
    for cut_start, cut_end in sorted(cuts, reverse=True):
        text = text[:cut_start] + text[cut_end:]
    return text


def _behind_token_before(document: Document, container: Node, index: int) -> int:
    start = container.start + 1
    if index > 0:
        before = container.members[index - 1]
        start = before.node.end if before.comma is None else before.comma + 1
    comments = document.comments_in(start, container.members[index].start)
    return comments[-1].end if comments else start


def _behind_blanks(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t":
        position += 1
    return position


def _keep_line_end(document: Document, start: int, end: int) -> int:
    """Where a cut may start when a line comment stands in front of it: its line must still end."""
    text = document.text
    behind = text[_behind_blanks(text, end) :]
    behind_line_comment = any(comment.line and comment.end == start for comment in document.comments)
    if behind_line_comment and not behind.startswith(("\n", "\r\n")):
        return text.index("\n", start) + 1
    return start


def replace(document: Document, node: Node, new: str) -> str:
    """The text with another text in place of that value."""
    return document.text[: node.start] + new + document.text[node.end :]


def rendered_at(document: Document, node: Node, start: int, value: object) -> str:
    """A value rendered to stand in place of ``node``, whose member starts at ``start``."""
    text, style = document.text, style_of(document)
    lined = style.multiline and (begins_line(text, start) or "\n" in text[node.start : node.end])
    return style.render(value, indentation(text, start) if lined else None)
