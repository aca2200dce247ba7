"""The commands that are known to read or edit the files they name, with all their options."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from kg_core.policy.shellwords import Certainty

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_core.policy.shellwords import Word


class Does(StrEnum):
    """What a command does with the files that it names."""

    READS = "reads"
    EDITS = "edits"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """The options of a command, closed: one that is not here makes the whole command uncertain.

    ``flags`` and ``valued`` are letters, ``long`` and ``long_valued`` words without dashes; a valued option takes the
    rest of its word or the next one. ``pairs`` take two words. With ``script`` the first operand is a pattern or a
    program unless an option of ``scripts`` gave it. ``never`` are options with which nothing that it names is read.
    ``edits_with`` are those with which the files are edited, ``reads_with``, where there are any, those without which
    they are not read. ``numbers`` tells that ``-20`` is an option, ``starts`` that ``+20`` is one.
    """

    does: Does = Does.READS
    flags: str = ""
    valued: str = ""
    long: frozenset[str] = frozenset()
    long_valued: frozenset[str] = frozenset()
    pairs: frozenset[str] = frozenset()
    script: bool = False
    scripts: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()
    reads_with: frozenset[str] = frozenset()
    edits_with: frozenset[str] = frozenset()
    numbers: bool = False
    starts: bool = False


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_GREP: Final = Command(
    flags="EFGPiywxcLlqsbHhnTUaIozZv",
    valued="efmABCdD",
    long=_set(
        "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp "
        "line-regexp count color colour files-without-match files-with-matches only-matching quiet silent no-messages "
        "byte-offset with-filename no-filename line-number initial-tab null text null-data"
    ),
    long_valued=_set("regexp file max-count after-context before-context context label include exclude exclude-dir"),
    script=True,
    scripts=_set("e f regexp file"),
    numbers=True,
)
_TEXT: Final = _set("quiet silent verbose zero-terminated")

COMMANDS: Final[dict[str, Command]] = {
    "cat": Command(
        flags="AbeEnstTuv",
        long=_set("show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting"),
    ),
    "head": Command(flags="qvz", valued="nc", long=_TEXT, long_valued=_set("lines bytes"), numbers=True),
    "tail": Command(
        flags="fFqvzr",
        valued="ncs",
        long=_TEXT | _set("follow retry"),
        long_valued=_set("lines bytes pid sleep-interval max-unchanged-stats"),
        numbers=True,
        starts=True,
    ),
    "less": Command(flags="aBcCdeEfFgGiIJKmMnNqQrRsSuUwWX", valued="pbhjoOtTxyPkD", numbers=True, starts=True),
    "nl": Command(
        flags="p",
        valued="bdfhilnsvw",
        long=_set("no-renumber"),
        long_valued=_set(
            "body-numbering section-delimiter footer-numbering header-numbering line-increment join-blank-lines "
            "number-format number-separator starting-line-number number-width"
        ),
    ),
    "sed": Command(
        flags="nrEsuz",
        valued="efl",
        long=_set("quiet silent regexp-extended separate unbuffered null-data posix sandbox in-place"),
        long_valued=_set("expression file line-length"),
        script=True,
        scripts=_set("e f expression file"),
        reads_with=_set("n quiet silent"),
        edits_with=_set("i in-place"),
    ),
    "grep": _GREP,
    "jq": Command(
        flags="cnrjaCMSesR",
        valued="fL",
        long=_set(
            "compact-output raw-output join-output ascii-output color-output monochrome-output sort-keys tab "
            "unbuffered slurp raw-input exit-status null-input stream seq args jsonargs"
        ),
        long_valued=_set("from-file indent"),
        pairs=_set("arg argjson slurpfile rawfile"),
        script=True,
        scripts=_set("f from-file"),
        never=_set("n null-input args jsonargs"),
    ),
    "rg": Command(
        flags="FiIsSvwxnNHlcoaUPpquz",
        valued="efmABCgtTjMrE",
        long=_set(
            "fixed-strings ignore-case case-sensitive smart-case invert-match word-regexp line-regexp line-number "
            "no-line-number with-filename no-filename files-with-matches files-without-match count count-matches "
            "only-matching text multiline pcre2 pretty quiet hidden no-ignore no-heading heading column json vimgrep "
            "no-messages trim"
        ),
        long_valued=_set(
            "regexp file max-count after-context before-context context glob iglob type type-not threads max-columns "
            "replace encoding color colors sort sortr max-depth"
        ),
        script=True,
        scripts=_set("e f regexp file"),
    ),
    "tee": Command(does=Does.EDITS, flags="aip", long=_set("append ignore-interrupts")),
}

_NUMBER: Final = re.compile(r"-\d+")
_START: Final = re.compile(r"\+\S*")
_SCRIPT: Final = re.compile(r"[\d$/\\,;{}!=a-zA-Z].*", re.DOTALL)


@dataclass(slots=True)
class _Given:
    """What the words of a command turned out to be."""

    options: set[str] = field(default_factory=set)
    operands: list[Word] = field(default_factory=list)


def operands(name: str, words: Sequence[Word]) -> tuple[tuple[Word, ...], bool]:
    """The words behind a command's name that are files, and whether it edits them; none unless that is certain.

    Words of unknown text are left out. One that may be any number of words makes uncertain what follows it where a
    pattern or a value could be meant.
    """
    command = COMMANDS.get(name)
    given = _sorted(command, words) if command is not None else None
    if command is None or given is None or given.options & command.never:
        return (), False
    edits = command.does is Does.EDITS or bool(given.options & command.edits_with)
    if not edits and command.reads_with and not given.options & command.reads_with:
        return (), False
    left = given.operands
    if command.script and not given.options & command.scripts:
        if edits and left and left[0].is_known and not left[0].text:
            left = left[1:]  # the empty suffix that other systems want with -i
        if not left or left[0].certainty is Certainty.ANY or (edits and not _SCRIPT.fullmatch(left[0].text)):
            return (), False
        left = left[1:]
    files = (word for word in left if word.is_known and word.text and not word.text.endswith("/"))
    names = (word for word in files if word.text != "-" and not (command.starts and _START.fullmatch(word.text)))
    return tuple(names), edits


def _sorted(command: Command, words: Sequence[Word]) -> _Given | None:
    """Options and operands apart; ``None`` when an option is unknown or a value is missing."""
    given = _Given()
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word.certainty is Certainty.ANY and (command.script or command.valued):
            given.operands.append(word)
            if not given.operands[:-1] and not given.options & command.scripts and command.script:
                return None
        elif not word.is_known or not word.text.startswith("-") or word.text == "-":
            given.operands.append(word)
        elif word.text == "--":
            given.operands.extend(words[at:])
            return given
        else:
            taken = _option(command, word.text, given.options)
            if taken is None or any(each.certainty is Certainty.ANY for each in words[at : at + taken]):
                return None
            at += taken
            if at > len(words):
                return None
    return given


def _option(command: Command, text: str, options: set[str]) -> int | None:
    """Notes an option; how many of the words behind it are its own, ``None`` when it is not known."""
    if command.numbers and _NUMBER.fullmatch(text):
        return 0
    if text.startswith("--"):
        name, equals, _ = text[2:].partition("=")
        options.add(name)
        if name in command.long_valued:
            return 0 if equals else 1
        if name in command.pairs:
            return 2
        return 0 if name in command.long else None
    for place, letter in enumerate(text[1:], start=1):
        options.add(letter)
        if letter in command.edits_with:
            return 0  # the rest is the suffix of what is kept
        if letter in command.valued:
            return 0 if place + 1 < len(text) else 1
        if letter not in command.flags:
            return None
    return 0
