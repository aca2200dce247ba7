"""The nodes that lead for some terms, against a plain model that reads all of them."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_core.policy import Index
from kg_core.policy.columns import added
from kg_core.policy.leading import Wanted, leading
from kg_core.policy.postings import MOST_IMPACT, TITLED, Postings
from kg_plugin_api import SearchItem, SearchRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

UNTIMED = settings(deadline=None)
MANY = settings(deadline=None, max_examples=50)

IMPACTS = [1, 100, 120, MOST_IMPACT, TITLED | 120]
SMALL = st.dictionaries(
    st.integers(0, 40), st.dictionaries(st.sampled_from("abcde"), st.sampled_from(IMPACTS), min_size=1), min_size=8
)
WEIGHTS = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([0, 1, 30, 35, 900, 9_000]))
LIMITS = st.integers(0, 6) | st.just(math.inf)
FREQUENCIES = {"a": 0.97, "b": 0.6, "c": 0.3, "d": 0.1, "e": 0.01}
"""The part of many nodes that has each term."""
SIZE = 1_800


def some_terms(chance: Random, impacts: Sequence[int] = IMPACTS) -> dict[str, int]:
    return {term: chance.choice(impacts) for term, part in FREQUENCIES.items() if chance.random() < part}


def entered(nodes: dict[int, dict[str, int]]) -> Postings:
    postings = Postings()
    for number, impacts in nodes.items():
        postings.add(number, impacts)
    return postings


def check(
    postings: Postings, nodes: dict[int, dict[str, int]], weights: dict[str, int], limit: float, unsure: set[int]
) -> None:
    plain = {
        number: sum(weights[term] * (impact & MOST_IMPACT) for term, impact in impacts.items() if term in weights)
        for number, impacts in nodes.items()
        if not impacts.keys().isdisjoint(weights)
    }

    found = leading(postings, [Wanted(*each) for each in weights.items()], limit, unsure)

    sure = sorted((score for number, score in plain.items() if number not in unsure), reverse=True)
    least = sure[int(limit) - 1] if 0 < limit <= len(sure) else 0
    leaders = {number: score for number, score in plain.items() if score >= least} if limit else {}
    assert leaders.items() <= found.items() <= plain.items()


@given(SMALL, WEIGHTS, LIMITS, st.sets(st.integers(0, 40)))
@UNTIMED
def test_those_that_lead_are_found_as_by_reading_all(
    nodes: dict[int, dict[str, int]], weights: dict[str, int], limit: float, unsure: set[int]
) -> None:
    check(entered(nodes), nodes, weights, limit, unsure)


@given(
    st.integers(0),
    st.tuples(WEIGHTS, st.just({}) | st.fixed_dictionaries(dict.fromkeys("ab", st.sampled_from([30, 900])))),
    LIMITS | st.integers(1, 40),
    st.sampled_from([0, 150, 900]),
    st.sampled_from([IMPACTS, range(1, MOST_IMPACT)]),
)
@MANY
def test_those_that_lead_by_frequent_terms_are_found_as_by_reading_all(
    seed: int,
    weights: tuple[dict[str, int], dict[str, int]],
    limit: float,
    unsure_ones: int,
    impacts: Sequence[int],
) -> None:
    chance = Random(seed)
    nodes = {number: some_terms(chance, impacts) for number in chance.sample(range(SIZE), SIZE * 2 // 3)}
    unsure = set(chance.sample(range(SIZE), unsure_ones))

    check(entered(nodes), nodes, weights[0] | weights[1], limit, unsure)


@given(st.integers(0), st.lists(st.tuples(st.sampled_from([1, 30, 400, 900]), WEIGHTS), min_size=1, max_size=6))
@MANY
def test_those_that_lead_are_the_same_however_nodes_came_and_went(
    seed: int, steps: list[tuple[int, dict[str, int]]]
) -> None:
    chance = Random(seed)
    nodes = {number: some_terms(chance) for number in range(SIZE // 2)}
    postings = entered(nodes)

    for changes, weights in steps:
        for number in chance.sample(range(SIZE), changes):
            if number in nodes:
                postings.remove(number, nodes.pop(number))
            else:
                nodes[number] = some_terms(chance)
                postings.add(number, nodes[number])
        check(postings, nodes, weights, 5, set())
        assert all(postings.impact("a", number) == impacts.get("a", 0) for number, impacts in nodes.items())


def test_a_term_is_frequent_while_many_nodes_and_one_in_eight_have_it() -> None:
    postings = Postings()
    for number in range(500):
        postings.add(number * 8, {"term": 1})
    assert postings.is_frequent("term")
    postings.remove(0, {"term": 1})
    assert not postings.is_frequent("term")
    postings.add(80_000, {"term": 1})
    assert not postings.is_frequent("term")
    assert not postings.is_frequent("unknown")


def test_a_frequent_term_has_its_column_before_it_is_asked_for_the_first_time() -> None:
    postings = Postings()
    for number in range(1_000):
        postings.add(number, {"every": 7, f"seldom{number}": 7} | ({"fifth": 7} if number % 5 == 0 else {}))
    assert postings._columns.keys() == {"every"}
    assert postings._columns["every"] == bytes([7]) * 1_000


def test_a_term_that_is_no_longer_frequent_loses_its_column() -> None:
    postings = Postings()
    for number in range(500):
        postings.add(number, {"term": 7})
    for number in range(100_000, 100_500):
        postings.add(number, {"term": 7})
    assert not postings._columns


COLUMNS = st.lists(st.tuples(st.binary(max_size=9).map(bytearray), st.integers(0, 60_000)), max_size=32)


@given(COLUMNS)
@UNTIMED
def test_columns_are_added_up_number_by_number(columns: list[tuple[bytearray, int]]) -> None:
    size = max((len(column) for column, _ in columns), default=0)
    plain = [sum(weight * column[n] for column, weight in columns if n < len(column)) for n in range(size)]
    assert added(columns) == plain


def test_no_sum_reaches_the_next_node() -> None:
    column = bytearray([255, 0, 255])
    assert added([(column, 2**23), (column, 2**23)]) == [255 * 2**24, 0, 255 * 2**24]
    with pytest.raises(ValueError, match="too large"):
        added([(column, 2**23), (column, 2**23 + 1)])


WORDS = ("every", "most", "half", "third", "tenth", "seldom")


@given(
    st.integers(0),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=4),
    st.integers(1, 30),
    st.sampled_from([(), ("current", "superseded"), ("retracted",)]),
)
@settings(deadline=None, max_examples=20)
def test_the_best_few_of_many_are_the_beginning_of_all(
    seed: int, words: list[str], limit: int, statuses: tuple[str, ...]
) -> None:
    chance = Random(seed)
    index = Index()
    for place in range(1_000):
        gist = [word for number, word in enumerate(WORDS) for _ in range(2) if chance.random() < 0.9 - number * 0.17]
        status = chance.choice(["current"] * 9 + ["superseded", "retracted"])
        index.upsert([SearchItem(key=f"k{place:03d}", graph="user", id="id", gist=" ".join(gist), status=status)])
    request = SearchRequest(text=" ".join(words), graphs=("user",), limit=limit, statuses=statuses)

    every = index.search(replace(request, limit=2_000)).hits

    assert index.search(request).hits == every[:limit]
