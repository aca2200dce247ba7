"""Scanning JSON with comments and trailing commas into spans. Pure; accepts nothing else beyond RFC 8259."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

MAX_DEPTH: Final = 200

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_COMMENT: Final = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING: Final = re.compile(
    r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"'  # possessive loops need Python 3.11.5
)
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD: Final = re.compile(r"true|false|null")
_BRACKETS: Final = {"{": "}", "[": "]"}


class JsonTextError(ValueError):
    """The text is not JSON with comments. The sentence says where."""


class Kind(StrEnum):
    """The kinds of values."""

    OBJECT = "object"
    ARRAY = "array"
    SCALAR = "scalar"


@dataclass(frozen=True, slots=True)
class Comment:
    """The span of a comment, without the line end of a line comment."""

    start: int
    end: int
    line: bool


@dataclass(frozen=True, slots=True)
class Node:
    """A value and its span; for an object or array with the brackets."""

    kind: Kind
    start: int
    end: int
    members: tuple[Member, ...] = ()
    scalar: str | float | bool | None = None

    def value(self) -> object:
        """The value in Python's types; of equal keys the last one counts, as in every JSON reader."""
        if self.kind is Kind.OBJECT:
            return {member.key: member.node.value() for member in self.members}
        if self.kind is Kind.ARRAY:
            return [member.node.value() for member in self.members]
        return self.scalar


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object or array: its key (None in an array), where it starts, its value, the comma behind it."""

    key: str | None
    start: int
    node: Node
    comma: int | None


@dataclass(frozen=True, slots=True)
class Document:
    """One scanned text. ``root`` is None when it holds only white space and comments."""

    text: str
    root: Node | None
    comments: tuple[Comment, ...]

    def comments_in(self, start: int, end: int) -> list[Comment]:
        """The comments that lie wholly between two positions."""
        return [comment for comment in self.comments if start <= comment.start and comment.end <= end]


def scan(text: str) -> Document:
    """Raises JsonTextError, naming line and column, for anything but one value, white space and comments."""
    return _Scanner(text).document()


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._comments: list[Comment] = []

    def document(self) -> Document:
        self._skip()
        root = self._node(0) if self._at < len(self._text) else None
        self._skip()
        if self._at < len(self._text):
            raise self._error("something follows the end of the document")
        return Document(self._text, root, tuple(self._comments))

    def _skip(self) -> None:
        while True:
            self._at = _matched(_SPACE, self._text, self._at)
            end = _matched(_COMMENT, self._text, self._at)
            if end == self._at:
                return
            self._comments.append(Comment(self._at, end, line=self._text[self._at + 1] == "/"))
            self._at = end

    def _node(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self._error(f"more than {MAX_DEPTH} brackets are nested")
        opening = self._text[self._at : self._at + 1]
        if opening in _BRACKETS:
            return self._container(opening, depth)
        for pattern in (_STRING, _NUMBER, _WORD):
            end = _matched(pattern, self._text, self._at)
            if end > self._at:
                return self._scalar(end)
        raise self._error("a value is expected")

    def _scalar(self, end: int) -> Node:
        start, self._at = self._at, end
        try:
            value = json.loads(self._text[start:end])
        except ValueError as error:
            raise self._error("a number is out of range") from error
        return Node(Kind.SCALAR, start, end, scalar=value)

    def _container(self, opening: str, depth: int) -> Node:
        start = self._at
        self._at += 1
        members: list[Member] = []
        self._skip()
        while self._text[self._at : self._at + 1] != _BRACKETS[opening]:
            if members and members[-1].comma is None:
                raise self._error(f"a comma or {_BRACKETS[opening]} is expected")
            members.append(self._member(opening, depth))
            self._skip()
        self._at += 1
        return Node(Kind.OBJECT if opening == "{" else Kind.ARRAY, start, self._at, tuple(members))

    def _member(self, opening: str, depth: int) -> Member:
        start = self._at
        key = self._key() if opening == "{" else None
        node = self._node(depth + 1)
        self._skip()
        comma = self._at if self._text[self._at : self._at + 1] == "," else None
        if comma is not None:
            self._at += 1
        return Member(key, start, node, comma)

    def _key(self) -> str:
        end = _matched(_STRING, self._text, self._at)
        if end == self._at:
            raise self._error("a key in double quotes is expected")
        key = str(json.loads(self._text[self._at : end]))
        self._at = end
        self._skip()
        if self._text[self._at : self._at + 1] != ":":
            raise self._error("a colon is expected")
        self._at += 1
        self._skip()
        return key

    def _error(self, what: str) -> JsonTextError:
        line = self._text.count("\n", 0, self._at) + 1
        column = self._at - self._text.rfind("\n", 0, self._at)
        return JsonTextError(f"line {line}, column {column}: {what}")


def _matched(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return position if match is None else match.end()
