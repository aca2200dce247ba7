"""From text to terms, in any script: identifiers split and whole, n-grams where words are not separated."""

from __future__ import annotations

import re
import unicodedata
from enum import Enum
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kg_core.policy.stopwords import STOP

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST: Final = 64
"""Longer terms (hashes, pasted data) are no words anybody asks for."""


class Role(Enum):
    """What a term is in its text."""

    WORD = "word"
    """A word, or a part of an identifier."""
    GRAM = "gram"
    """Some neighbouring characters of a script that does not separate words."""
    LOOSE = "loose"
    """The same across two scripts, or in hiragana, where it is mostly grammar."""
    WHOLE = "whole"
    """An identifier or path as a whole, beside its parts."""
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
_HUMP: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def terms(text: str) -> list[Term]:
    """The terms of ``text`` in order, repeated ones repeated. NFKC and case folding make spellings equal."""
    found: list[Term] = []
    for chunk in _chunks(text):
        found.extend(_analysed(chunk) if len(chunk) <= _LONGEST else _analyse(chunk))
    return found


def asked(text: str) -> dict[str, Role]:
    """The distinct terms that a question asks for, in order: its words but for stop words.

    Of a question that has nothing else, all. Han characters within a word are asked for by their pairs alone.
    """
    every: dict[str, Role] = {}
    for term in terms(text):
        if term.role is not Role.SINGLE:
            every.setdefault(*term)
    return {term: role for term, role in every.items() if not is_stop(term)} or every


def is_stop(term: str) -> bool:
    """Whether a term says nothing about a subject."""
    return term in _stop_terms()


@cache
def _stop_terms() -> frozenset[str]:
    return STOP | {stem(word) for word in STOP}


def _chunks(text: str) -> Iterator[str]:
    """Runs of word characters, with what joins them."""
    if text.isascii():
        pattern: Any = _ASCII
    else:
        text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
        pattern = _unicode_chunk()
    for match in pattern.finditer(_APOSTROPHE.sub("", text)):
        yield match.group()


@lru_cache(maxsize=16_384)
def _analysed(chunk: str) -> tuple[Term, ...]:
    return tuple(_analyse(chunk))


def _analyse(chunk: str) -> list[Term]:
    if chunk.isascii():
        return list(_identifier(chunk))
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


def _identifier(chunk: str) -> Iterator[Term]:
    """A word, or an identifier whole and in parts: ``a/b.c`` gives itself, ``b.c``, ``a``, ``b`` and ``c``."""
    segments = [segment for segment in _SEGMENT.split(chunk.strip("._/\\:@-")) if segment]
    if len(segments) > 1:
        yield from _whole(chunk)
    for segment in segments:
        parts = [part for part in _PART.split(segment) if part]
        if len(parts) > 1:
            yield from _whole(segment)
        for part in parts:
            yield from _part(part, alone=len(segments) == len(parts) == 1)


def _part(part: str, *, alone: bool) -> Iterator[Term]:
    if len(part) > _LONGEST:
        return
    humps = _HUMP.findall(part) if (part.isascii() and not part.islower()) or not part.isalpha() else []
    if len(humps) > 1:
        yield Term(stem(part.casefold()), Role.WHOLE)
        for hump in humps:
            if len(hump) > 1 or hump.isdigit():
                yield Term(stem(hump.casefold()), Role.WORD)
    elif alone or len(part) > 1 or part.isdigit():
        yield Term(stem(part.casefold()), Role.WORD)


def _whole(chunk: str) -> Iterator[Term]:
    folded = chunk.strip("._/\\:@-").casefold()
    if len(folded) <= _LONGEST:
        yield Term(folded, Role.WHOLE)


def _grams(run: str, size: int) -> Iterator[Term]:
    """The n-grams of a run of a script without spaces, and its Han characters one by one."""
    run = run.casefold()
    if len(run) < size:
        yield Term(run, Role.LONE if len(run) == 1 else Role.WORD)
        return
    for start in range(len(run) - size + 1):
        gram = run[start : start + size]
        yield Term(gram, Role.LOOSE if _is_loose(gram) else Role.GRAM)
    for index, character in enumerate(run):
        if _is_han(character):
            beside = run[index - 1 : index] + run[index + 1 : index + 2] if index else run[1:2]
            yield Term(character, Role.SINGLE if any(map(_is_han, beside)) else Role.LONE)


def _is_loose(gram: str) -> bool:
    has_kana = any("\u3041" <= character <= "\u309f" for character in gram)
    return has_kana or len({_is_han(character) for character in gram}) > 1


def _is_han(character: str) -> bool:
    return "\u3400" <= character <= "\u9fff" or "\uf900" <= character <= "\ufaff" or character >= "\U00020000"


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """An English word without its commonest endings, the same for all its forms; other words as they are."""
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    if word.endswith(("ies", "ied")):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith("sses"):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        bare = word.removesuffix(ending)
        if bare != word and len(bare) > 2 and any(vowel in bare for vowel in "aeiouy"):
            word = bare[:-1] if bare[-1] == bare[-2] and bare[-1] not in "lsz" else bare
            break
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


@cache
def _unicode_chunk() -> Any:
    import regex  # type: ignore[import-untyped]

    word = r"[\p{L}\p{M}\p{N}_]+"
    return regex.compile(rf"[A-Za-z](?:\+\+|\#)(?!\w)|{word}(?:{_JOINERS}{word})*|\p{{Extended_Pictographic}}")


@cache
def _unicode_run() -> Any:
    import regex

    return regex.compile(
        r"(?P<pairs>[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\u30fc]+)"
        r"|(?P<triples>[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+)"
        r"|[^\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\u30fc\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+"
    )
