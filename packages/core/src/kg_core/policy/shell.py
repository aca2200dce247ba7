"""Which files a shell command reads or edits, as far as its text makes that certain. It misses rather than invents."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kg_core.policy.shellcommands import operands
from kg_core.policy.shellwords import DOCUMENT, Inner, Operator, Redirection, Unreadable, Word, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST: Final = 8
"""So many files of one command are looked at."""
LONGEST: Final = 4_000
TOKENS: Final = 400
"""So far a command is looked at, by whole lines. What comes behind that is mostly text that was pasted."""
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=")
_CONDITIONS: Final = {"if", "then", "elif", "else", "fi", "case", "esac", "select", "[[", "!"}
_LOOPS: Final = {"for", "while", "until", "do", "done"}
_COMPOUND: Final = frozenset({*_CONDITIONS, *_LOOPS, "function", "{", "}", "time", "coproc"})
"""Where one of these begins a command, what follows may run not at all, or often."""
_MOVES: Final = frozenset({"cd", "pushd", "popd"})
_NESTED: Final = 4


@dataclass(frozen=True, slots=True)
class ShellFile:
    """A file that a command reads, or edits. ``word`` is its name as the command gets it, and ``folder`` where the
    command had moved before, relative to where it began unless it is absolute or begins with ``~``; empty for nowhere.
    """

    word: str
    folder: str = ""
    edits: bool = False

    @property
    def path(self) -> str:
        """The file's path, relative to the folder in which the command began, absolute, or from ``~`` on."""
        return _joined(self.folder, self.word)


@dataclass(slots=True)
class _Part:
    """One command between operators."""

    words: list[Word] = field(default_factory=list)
    redirections: list[Redirection] = field(default_factory=list)
    inner: list[Inner] = field(default_factory=list)


def shell_files(command: str) -> tuple[ShellFile, ...]:
    """The files of a command, in order, each once, at most :data:`MOST`.

    Read are the operands of the commands in :mod:`kg_core.policy.shellcommands` and what ``<`` names; edited are those
    of ``sed -i`` and ``tee`` and what ``>`` names. A word that holds a variable or an unquoted pattern is no file; nor
    is anything behind a loop, a condition or the text of a here-document.
    """
    try:
        return tuple(dict.fromkeys(_Walk().files(command)))[:MOST]
    except Unreadable:
        return ()


def shell_folder(command: str) -> str | None:
    """The folder in which a command ends, relative to where it began unless it is absolute or begins with ``~``: empty
    when it stays there, ``None`` when that is not certain.
    """
    walk = _Walk()
    try:
        for _ in walk.files(command):
            pass
    except Unreadable:
        return None
    return walk.folder


class _Walk:
    """Goes over a command from left to right. It knows in which folder it is, or that it does not."""

    def __init__(self, folder: str | None = "", depth: int = 0, left: int = TOKENS) -> None:
        self.folder = folder
        self.left = left
        """How many tokens may still be looked at."""
        self._depth = depth
        self._groups: list[str | None] = []

    def files(self, command: str) -> Iterator[ShellFile]:
        part = _Part()
        before = ""
        known = command if len(command) <= LONGEST else command[:LONGEST].rpartition("\n")[0]
        for token in tokens(known):
            self.left -= 1
            if self.left < 0:
                self.folder = None
                return
            match token:
                case Word():
                    if not part.words and token.is_bare and token.text in _COMPOUND:
                        self.folder = None
                        return
                    part.words.append(token)
                case Redirection():
                    part.redirections.append(token)
                case Inner():
                    part.inner.append(token)
                case Operator(text):
                    yield from self._did(part, before, text)
                    if text == DOCUMENT or not self._is_grouped(part, before, text):
                        self.folder = None
                        return
                    part = _Part()
                    before = text
        yield from self._did(part, before, "")
        if known != command:
            self.folder = None

    def _is_grouped(self, part: _Part, before: str, operator: str) -> bool:
        """Follows brackets; whether they are those of a subshell, and not of a function, a sum or a choice."""
        if operator == "(":
            self._groups.append(self.folder)
            return not part.words and before != "("
        if operator == ")":
            if not self._groups:
                return False
            self.folder = self._groups.pop()
        return operator != ";;"

    def _did(self, part: _Part, before: str, after: str) -> Iterator[ShellFile]:
        """What one command did, if it ran: behind ``||`` it mostly did not."""
        words = part.words
        while words and words[0].is_bare and _ASSIGNMENT.match(words[0].text):
            words = words[1:]
        name = posixpath.basename(words[0].text) if words and words[0].is_known else ""
        is_piped = before in {"|", "|&"} or after in {"|", "|&", "&"}
        if name in _MOVES and not is_piped:
            self._move(name, words[1:], is_certain=before != "||")
            return
        if before == "||" or (after == "(" and words):
            return
        for inner in part.inner if self._depth < _NESTED else ():
            walk = _Walk(self.folder, self._depth + 1, self.left)
            yield from walk.files(inner.text)
            self.left = walk.left
        found, edits = operands(name, words[1:])
        for word in found:
            yield from self._file(word, edits=edits)
        for redirection in part.redirections:
            if redirection.target.is_known and not redirection.target.text.startswith("/dev/"):
                yield from self._file(redirection.target, edits=not redirection.reads)

    def _file(self, word: Word, *, edits: bool) -> Iterator[ShellFile]:
        is_placed = word.text.startswith(("/", "~"))
        if word.text and "\0" not in word.text and (is_placed or self.folder is not None):
            yield ShellFile(word.text, "" if is_placed else self.folder or "", edits)

    def _move(self, name: str, words: list[Word], *, is_certain: bool) -> None:
        """Follows ``cd``. Wherever it is not plain where that leads, the folder is unknown."""
        targets = [word for word in words if not (word.is_known and word.text == "--")]
        is_plain = name == "cd" and is_certain and len(targets) <= 1 and all(word.is_known for word in targets)
        target = targets[0].text if targets else "~"
        if not is_plain or not target or target.startswith(("-", "+")):
            self.folder = None
        elif target.startswith(("/", "~")):
            self.folder = target
        elif self.folder is not None:
            self.folder = _joined(self.folder, target)


def _joined(folder: str, name: str) -> str:
    return name if not folder or name.startswith(("/", "~")) else posixpath.join(folder, name)
