"""The words of a shell command: what is certain of them, and nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_OPERATOR: Final = re.compile(r"\|\||&&|;;|\|&|[;|&\n()]")
_REDIRECTION: Final = re.compile(r"(\d*)(<<<|<<-?|<>|<&|<|>>|>\||>&|>)|(&>>|&>)")
_PLAIN: Final = re.compile(r"[^\s|&;()<>'\"\\$`*?\[\]{}~#]+")
_BLANK: Final = " \t\r"
DOCUMENT: Final = "<<"
_OPENING: Final = "*?[]{}"
"""Unquoted, they may stand for other words, for several or for none."""


class Certainty(StrEnum):
    """What is known of a word."""

    KNOWN = "known"
    """Its text is what the command gets."""
    ONE = "one"
    """It is one word of unknown text."""
    ANY = "any"
    """It is any number of words."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word without its quotes. ``text`` means something only when it is known; ``is_bare`` tells that nothing of it
    was quoted, as of keywords and assignments.
    """

    text: str
    certainty: Certainty = Certainty.KNOWN
    is_bare: bool = True

    @property
    def is_known(self) -> bool:
        """Whether its text is what the command gets."""
        return self.certainty is Certainty.KNOWN


@dataclass(frozen=True, slots=True)
class Redirection:
    """``<``, ``>`` or ``>>`` and the file that it names."""

    target: Word
    reads: bool


@dataclass(frozen=True, slots=True)
class Operator:
    """What stands between commands; ``text`` is ``\\n`` for a line break, and :data:`DOCUMENT` where one begins."""

    text: str


@dataclass(frozen=True, slots=True)
class Inner:
    """A command in ``$(…)``, whose output becomes part of a word."""

    text: str


Token = Word | Redirection | Operator | Inner


class Unreadable(Exception):
    """Nothing is certain: a quote or a bracket is not closed."""


def tokens(command: str) -> Iterator[Token]:
    """The tokens of a command, in order, the last of which may be that a here-document begins. Raises Unreadable."""
    return _Reader(command).tokens()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._has_document = False

    def tokens(self) -> Iterator[Token]:
        while self._goes_on():
            redirection = _REDIRECTION.match(self._text, self._at)
            operator = _OPERATOR.match(self._text, self._at)
            if redirection is not None and not self._is_process():
                self._at = redirection.end()
                yield from self._redirected(redirection[2] or redirection[3])
            elif operator is not None:
                self._at = operator.end()
                if operator[0] == "\n" and self._has_document:
                    yield Operator(DOCUMENT)
                    return
                yield Operator(operator[0])
            else:
                word, inner = self._word()
                yield from inner
                yield word

    def _goes_on(self) -> bool:
        """Whether something is left behind blanks, joined lines and comments."""
        text = self._text
        while self._at < len(text):
            if text[self._at] in _BLANK:
                self._at += 1
            elif text.startswith("\\\n", self._at):
                self._at += 2
            elif text[self._at] == "#":
                end = text.find("\n", self._at)
                self._at = len(text) if end < 0 else end
            else:
                return True
        return False

    def _redirected(self, operator: str) -> Iterator[Token]:
        if not self._goes_on() or self._text[self._at] in "\n;|&()<>":
            raise Unreadable
        target, inner = self._word()
        yield from inner
        if operator.startswith("<<"):
            self._has_document = self._has_document or operator != "<<<"
        elif operator in {"<", "<>"}:
            yield Redirection(target, reads=True)
        elif not (operator == ">&" and (target.text.isdigit() or target.text == "-")) and operator != "<&":
            yield Redirection(target, reads=False)

    def _is_process(self) -> bool:
        """Whether ``<(…)`` or ``>(…)`` begins here: a word, not a redirection."""
        return self._text.startswith(("<(", ">("), self._at)

    def _word(self) -> tuple[Word, list[Token]]:
        """A word, and the commands in it."""
        parts: list[str] = []
        certainty = Certainty.KNOWN
        is_bare = True
        inner: list[Token] = []
        start = self._at
        text = self._text
        if self._is_process():
            self._at += 1
            inner.append(Inner(self._enclosed()))
            certainty = Certainty.ONE
        while self._at < len(text):
            character = text[self._at]
            plain = _PLAIN.match(text, self._at)
            if plain is not None:
                parts.append(plain[0])
                self._at = plain.end()
                continue
            if character in _BLANK or character in "\n|&;()<>":
                break
            self._at += 1
            if character == "'":
                is_bare = False
                parts.append(self._until("'"))
            elif character == '"':
                is_bare = False
                quoted, is_certain = self._double(inner)
                parts.append(quoted)
                certainty = certainty if is_certain else _worse(certainty, Certainty.ONE)
            elif character == "\\":
                is_bare = False
                parts.append(self._escaped())
            elif character == "$" and self._text.startswith("'", self._at):
                self._at += 1
                self._closed("'", escapes=True)
                certainty = _worse(certainty, Certainty.ONE)
            elif character == "$":
                certainty = _worse(certainty, self._expansion(inner))
            elif character == "`":
                self._until("`")
                certainty = Certainty.ANY
            else:
                parts.append(character)
                if character in _OPENING or (character == "~" and self._is_foreign_home(start)):
                    certainty = Certainty.ANY
        word = "".join(parts)
        if word.startswith("~") and text[start] != "~":
            word = f"./{word}"  # quoted, it is no home but a name
        return Word(word, certainty, is_bare), inner

    def _is_foreign_home(self, start: int) -> bool:
        """Whether a ``~`` begins the name of somebody's home."""
        following = self._text[self._at : self._at + 1]
        return self._at == start + 1 and bool(following) and following not in "/ \t\r\n|&;()<>"

    def _until(self, end: str) -> str:
        close = self._text.find(end, self._at)
        if close < 0:
            raise Unreadable
        found = self._text[self._at : close]
        self._at = close + 1
        return found

    def _escaped(self) -> str:
        if self._at >= len(self._text):
            raise Unreadable
        character = self._text[self._at]
        self._at += 1
        return "" if character == "\n" else character

    def _double(self, inner: list[Token]) -> tuple[str, bool]:
        """What stands in double quotes, and whether that is certain."""
        parts: list[str] = []
        is_certain = True
        while True:
            if self._at >= len(self._text):
                raise Unreadable
            character = self._text[self._at]
            self._at += 1
            if character == '"':
                return "".join(parts), is_certain
            if character == "\\" and self._text[self._at : self._at + 1] in {"\\", '"', "$", "`", "\n"}:
                parts.append(self._escaped())
            elif character == "$":
                self._expansion(inner)
                is_certain = False
            elif character == "`":
                self._until("`")
                is_certain = False
            else:
                parts.append(character)

    def _expansion(self, inner: list[Token]) -> Certainty:
        """Over what follows a ``$``: what is known of it outside of quotes."""
        following = self._text[self._at : self._at + 1]
        if self._text.startswith("((", self._at):
            self._enclosed()
        elif following == "(":
            inner.append(Inner(self._enclosed()))
        elif following == "{":
            self._until("}")
        elif not (following.isalnum() or following in set("_@*#?$!-")):
            return Certainty.ONE
        return Certainty.ANY

    def _enclosed(self) -> str:
        """What stands between the bracket here and the one that closes it."""
        start = self._at
        depth = 0
        while self._at < len(self._text):
            character = self._text[self._at]
            self._at += 1
            if character == "\\":
                self._at += 1
            elif character in "'\"":
                self._closed(character, escapes=character == '"')
            elif character == "(":
                depth += 1
            elif character == ")":
                depth -= 1
                if depth == 0:
                    return self._text[start + 1 : self._at - 1]
        raise Unreadable

    def _closed(self, quote: str, *, escapes: bool) -> None:
        """Over a quoted text and the quote that closes it."""
        while self._at < len(self._text) and self._text[self._at] != quote:
            self._at += 2 if self._text[self._at] == "\\" and escapes else 1
        if self._at >= len(self._text):
            raise Unreadable
        self._at += 1


def _worse(one: Certainty, other: Certainty) -> Certainty:
    return max(one, other, key=list(Certainty).index)
