"""The common words are known before the first question, without a long step."""

from __future__ import annotations

from itertools import pairwise

from kg_core.policy import plainwords, usualwords
from kg_core.policy.evidence import know_words
from kg_core.policy.stems import stem


def test_the_stems_of_the_common_words_are_worked_out_in_small_steps() -> None:
    plainwords._stems.cache_clear()
    usualwords._stems.cache_clear()
    stem.cache_clear()

    known = [0, *(stem.cache_info().currsize for _ in know_words())]
    stem.cache_clear()

    assert plainwords._stems.cache_info().currsize == usualwords._stems.cache_info().currsize == 1
    assert max(after - earlier for earlier, after in pairwise(known)) <= 200
    assert plainwords.is_plain(stem(plainwords.plain_words()[-1]))
    assert usualwords.is_usual(stem(usualwords.usual_words()[-1]))
