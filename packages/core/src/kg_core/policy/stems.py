"""The stem of a word, by the script that it is written in."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any, Final

_SHORTEST: Final = 3
"""Shorter words have no endings worth taking off."""
_SCRIPTS: Final = (
    ("\u0400", "\u052f", "russian"),
    ("\u0600", "\u06ff", "arabic"),
    ("\u0370", "\u03ff", "greek"),
    ("\u0900", "\u097f", "hindi"),
    ("\u0530", "\u058f", "armenian"),
)
"""The language whose endings are taken off in a script; Latin is taken for English, the language of code. Words of
its neighbours keep what the stemmer does not know, on both sides alike."""
_SPELLINGS: Final = str.maketrans(
    "ёґєії\u06a9\u06cc\u0649\u0629\u05da\u05dd\u05df\u05e3\u05e5",
    "егеии\u0643\u064a\u064a\u0647\u05db\u05de\u05e0\u05e4\u05e6",
)
"""Letters that are written for each other: without dots, in the other alphabet of a script, at the end of a word."""
_POINTS: Final = re.compile("[\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]")
"""Vowel signs of Hebrew and Arabic, and the stroke that lengthens a word: written by some, left out by most."""
_HEBREW: Final = re.compile("[\u05d0-\u05ea]")
_HEBREW_PREFIX: Final = re.compile("^ו?(?:כש|מש|ש)?[בכלמ]?ה?(?=[\u05d0-\u05ea]{3})")
_HEBREW_SUFFIX: Final = re.compile("(?<=[\u05d0-\u05ea]{3})(?:ימ|ות|יות|ית|ה|י)$")
_ARABIC_PREFIX: Final = re.compile("^[\u0648\u0641](?=\u0627\u0644.{2})|^\u0646?\u0645\u064a(?=.{3})")
"""*And* or *so* before the article; the present tense of Persian, which is written with the same letters."""
_ARABIC_SUFFIX: Final = re.compile("(?<=.{2})\u0647\u0627(?:\u064a\u064a?)?$")
"""The plural of Persian."""


@lru_cache(maxsize=32_768)
def stem(word: str) -> str:
    """A case-folded word without the endings that its grammar adds, the same for nearly all of its forms.

    Never empty. Words with digits and words of other scripts stay as they are, but for letters that are written for
    each other.
    """
    if word.isascii():
        return _stemmed("english", word) if len(word) > _SHORTEST and word.isalpha() else word
    word = (_POINTS.sub("", word) or word).translate(_SPELLINGS)
    if len(word) <= _SHORTEST or not word.isalpha():
        return word
    if _HEBREW.match(word):
        return _HEBREW_SUFFIX.sub("", _HEBREW_PREFIX.sub("", word))
    language = next((language for low, high, language in _SCRIPTS if low <= word[0] <= high), "english")
    if language == "arabic":
        word = _ARABIC_SUFFIX.sub("", _ARABIC_PREFIX.sub("", word))
    return _stemmed(language, word)


def _stemmed(language: str, word: str) -> str:
    stemmed: str = _stemmer(language).stemWord(word)
    return stemmed or word


@cache
def _stemmer(language: str) -> Any:
    import Stemmer  # type: ignore[import-not-found]

    return Stemmer.Stemmer(language, 0)
