"""Plain words for the baselines."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_WORD: Final = re.compile(r"\w+")


def folded(text: str) -> str:
    """``text`` with equal spellings made equal."""
    return unicodedata.normalize("NFKC", text).casefold()


def with_bigrams(text: str) -> str:
    """``text`` with each run of Chinese or Japanese as its overlapping pairs, with spaces between them."""
    return _CJK.sub(lambda run: f" {' '.join(_pairs(run.group()))} ", folded(text))


def words(text: str) -> list[str]:
    """The words of ``text``, pairs where there are none."""
    return _WORD.findall(with_bigrams(text))


def _pairs(run: str) -> list[str]:
    return [run[start : start + 2] for start in range(max(1, len(run) - 1))]
