"""From text to terms, in any script: identifiers split and whole, n-grams where words are not separated."""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum
from functools import cache, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kg_core.policy.stems import stem
from kg_core.policy.stopwords import STOP

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_LONGEST: Final = 64
"""Longer terms (hashes, pasted data) are no words anybody asks for."""


class Role(StrEnum):
    """What a term is in its text."""

    WORD = "word"
    """A word."""
    PART = "part"
    """A part of an identifier or path."""
    GRAM = "gram"
    """Some neighbouring characters of a script that does not separate words."""
    SYLLABLES = "syllables"
    """The same in a script of sounds, where a word has several of them."""
    LOOSE = "loose"
    """The same across two scripts, or with a particle or hiragana, where it is mostly grammar."""
    SIGN = "sign"
    """An emoji."""
    WHOLE = "whole"
    """An identifier or path joined to one word, beside its parts."""
    NUMBER = "number"
    """Digits or a single letter, which say little without the words beside them."""
    LONE = "lone"
    """A single character that stands alone, as a Han character between kana does."""
    SINGLE = "single"
    """A single Han character within a word."""


class Term(NamedTuple):
    """A term, ready to be compared, and its role."""

    text: str
    role: Role


_JOINERS = r"[._/\\:@-]+"
_ASCII: Final = re.compile(rf"[A-Za-z](?:\+\+|\#)(?!\w)|[A-Za-z0-9_]+(?:{_JOINERS}[A-Za-z0-9_]+)*")
_APOSTROPHE: Final = re.compile(r"(?<=\w)['’](?=\w)")
_INVISIBLE: Final = re.compile("[\u00ad\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff]")
_SEGMENT: Final = re.compile(r"[/\\:@]+")
_PART: Final = re.compile(r"[._-]+")
_SEPARATOR: Final = re.compile(_JOINERS)
_PLAIN: Final = re.compile(r"[A-Za-z][a-z]*")
_NUMBER: Final = re.compile(r"[0-9]+(?:[.:][0-9]+)*")
_DIGITS: Final = re.compile(r"([0-9]+)")
_DOTTED: Final = re.compile(r"((?<![0-9])(?<![0-9]\.)[0-9]+(?:\.[0-9]+)+(?![0-9]))")
"""A version or the like: whoever asks for it leaves out the ``v`` before it, or does not."""
_TURNS: Final = 2
_PARTICLES: Final = frozenset(
    "的了是在要吗呢吧啊么什们这那哪谁很我你他她它不没有就都也把被还嗎這們麼還沒"
    + "".join(map(chr, range(0x3041, 0x30A0)))
)
"""Chinese characters that are grammar in nearly every pair, and hiragana."""
_HUMP: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def terms(text: str) -> list[Term]:
    """The terms of ``text`` in order, repeated ones repeated. NFKC and case folding make spellings equal."""
    found: list[Term] = []
    for chunk in _chunks(text):
        found += _analysed(chunk) if len(chunk) <= _LONGEST else _analyse(chunk)
    return found


@lru_cache(maxsize=2)  # a long prompt takes many milliseconds, and is looked at more than once for one answer
def asked(text: str) -> Mapping[str, Role]:
    """The distinct terms that a question asks for, in order: its words but for stop words.

    Of a question that has nothing else, all. Han characters within a word are asked for by their pairs alone.
    """
    every: dict[str, Role] = {}
    for term in terms(text):
        if term.role is Role.WORD:
            every[term.text] = term.role
        elif term.role is not Role.SINGLE:
            every.setdefault(*term)
    return MappingProxyType({term: role for term, role in every.items() if not is_stop(term)} or every)


def is_stop(term: str) -> bool:
    """Whether a term says nothing about a subject."""
    return term in _stop_terms()


@cache
def _stop_terms() -> frozenset[str]:
    return STOP | {stem(word) for word in STOP}


def _chunks(text: str) -> list[str]:
    """Runs of word characters, with what joins them."""
    if text.isascii():
        return list(_ASCII.findall(_APOSTROPHE.sub("", text) if "'" in text else text))
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    return list(_unicode_chunk().findall(_APOSTROPHE.sub("", text)))


@lru_cache(maxsize=16_384)
def _analysed(chunk: str) -> tuple[Term, ...]:
    return tuple(_analyse(chunk))


def _analyse(chunk: str) -> Iterable[Term]:
    if chunk.isascii():
        return _word(chunk) if _PLAIN.fullmatch(chunk) else _identifier(chunk)
    found: list[Term] = []
    for match in _unicode_run().finditer(chunk):
        run = match.group()
        if match["pairs"]:
            found += _grams(run, 2)
        elif match["triples"]:
            found += _grams(run, 3)
        else:
            found += _identifier(run)
    return found


def _word(chunk: str) -> Iterable[Term]:
    """A word in small letters, perhaps with a capital one before."""
    return (Term(stem(chunk.casefold()), Role.WORD if len(chunk) > 1 else Role.NUMBER),)


def _identifier(chunk: str) -> Iterator[Term]:
    """A word, or an identifier joined and in parts: ``a1/bc_d`` gives ``a1bcd``, ``a``, ``1``, ``bcd``, ``bc``."""
    if _NUMBER.fullmatch(chunk):
        yield Term(chunk, Role.NUMBER)
        return
    segments = [segment for segment in _SEGMENT.split(chunk) if segment.strip("._-")]
    if len(segments) > 1:
        yield from _joined(chunk)
    for segment in segments:
        parts = [piece for part in _parts(segment) for piece in _pieces(part)]
        if len(parts) > 1:
            yield from _joined(segment)
        for part in parts:
            if (
                part.isdigit()
                or _NUMBER.fullmatch(part)
                or (len(part) == 1 and part.isascii() and len(parts) == len(segments) == 1)
            ):
                yield Term(part.casefold(), Role.NUMBER)
            elif len(part) > 1 or not part.isascii():
                role = Role.WORD if len(parts) == len(segments) == 1 else Role.PART
                yield Term(stem(part.casefold()), role if part[0].isalnum() or part[0] == "_" else Role.SIGN)


def _parts(segment: str) -> list[str]:
    """What dots, underscores and hyphens separate, a version in one."""
    if "." not in segment or not _DOTTED.search(segment):
        return [part for part in _PART.split(segment) if part]
    found: list[str] = []
    for place, piece in enumerate(_DOTTED.split(segment)):
        found += [piece] if place % 2 else [part for part in _PART.split(piece) if part]
    return found


def _pieces(part: str) -> list[str]:
    """The humps of ``camelCase``, with digits apart. A hash, in which letters and digits take turns, stays whole."""
    if len(part) > _LONGEST:
        return []
    if part.isalpha() and (part.islower() or not part.isascii()):
        return [part]
    if not part.isascii():
        return [piece for piece in _DIGITS.split(part) if piece]
    if not part.isalnum() or len(_DIGITS.findall(part)) > _TURNS:
        return [part]
    return _HUMP.findall(part)


def _joined(chunk: str) -> Iterator[Term]:
    """An identifier without what separates its parts: the same however it is written."""
    whole = _SEPARATOR.sub("", chunk).casefold()
    if len(whole) <= _LONGEST:
        yield Term(stem(whole), Role.WHOLE)


def _grams(run: str, size: int) -> Iterator[Term]:
    """The n-grams of a run of a script without spaces, and its Han characters one by one."""
    run = run.casefold()
    if len(run) < size:
        yield Term(run, Role.LONE if len(run) == 1 else Role.WORD)
        return
    is_han = [_is_han(character) for character in run]
    is_particle = [character in _PARTICLES for character in run]
    for start in range(len(run) - size + 1):
        end = start + size
        mixes = True in is_han[start:end] and False in is_han[start:end]
        role = Role.GRAM if is_han[start] else Role.SYLLABLES
        yield Term(run[start:end], Role.LOOSE if mixes or True in is_particle[start:end] else role)
    for place, character in enumerate(run):
        if is_han[place]:
            stands_beside = True in is_han[max(0, place - 1) : place] or True in is_han[place + 1 : place + 2]
            yield Term(character, Role.SINGLE if stands_beside else Role.LONE)


def _is_han(character: str) -> bool:
    return "\u3400" <= character <= "\u9fff" or "\uf900" <= character <= "\ufaff" or character >= "\U00020000"


@cache
def _unicode_chunk() -> Any:
    import regex  # type: ignore[import-untyped]

    word = r"[\p{L}\p{M}\p{N}_]+"
    return regex.compile(
        rf"[A-Za-z](?:\+\+|\#)(?!\w)|{word}(?:{_JOINERS}{word})*|\p{{Extended_Pictographic}}|\p{{RI}}{{2}}"
    )


@cache
def _unicode_run() -> Any:
    import regex

    return regex.compile(
        r"(?P<pairs>[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\u30fc]+)"
        r"|(?P<triples>[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+)"
        r"|[^\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\u30fc\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+"
    )
