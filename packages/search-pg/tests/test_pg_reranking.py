"""The reranker: what it is asked, what comes of its answer, and that whatever ails it, the fused order is answered."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_plugin_api import KgError, SearchHit, SearchItem, SearchRequest
from kg_search_pg.options import Options
from kg_search_pg.reranking import FORMS, POOL, ordered

NAMES = ("ledger", "harbour", "kettle", "meadow")


def node(name: str, gist: str, **more: Any) -> SearchItem:
    return SearchItem(key=f"user\x1f{name}", graph="user", id=name, gist=gist, hash=f"{gist} {more}", **more)


def ask(text: str, **more: Any) -> SearchRequest:
    return SearchRequest(text=text, graphs=("user",), **more)


@pytest.fixture
def asked(opened: Any, reranker: Any) -> Any:
    """Asks a backend with this reranker, and four nodes that hold the word car the more often the earlier they come."""

    async def run(*requests: SearchRequest, **more: Any) -> list[Any]:
        options = {"embedder": "none", "reranker": "tei", "reranker_url": reranker.url, **more}
        async with opened(**options) as backend:
            await backend.upsert(
                [
                    node(name, f"car {name} " * (4 - place), notes=(f"the case of the {name}",))
                    for place, name in enumerate(NAMES)
                ]
            )
            return [await backend.search(request) for request in requests]

    return lambda *requests, **more: asyncio.run(run(*requests, **more))


def order(found: Any) -> list[str]:
    return [hit.id for hit in found.hits]


@pytest.mark.parametrize("form", FORMS)
def test_what_the_reranker_likes_comes_first_and_the_places_keep_their_scores(
    asked: Any, reranker: Any, form: str
) -> None:
    (before,) = asked(ask("car"), reranker="", reranker_url="")
    reranker.likes = before.hits[-1].id

    (found,) = asked(ask("car"), reranker=form)

    assert order(found) == [order(before)[-1], *order(before)[:-1]]
    assert [hit.score for hit in found.hits] == [hit.score for hit in before.hits]
    assert [hit.ranks["reranked"] for hit in found.hits] == [1, 2, 3, 4]
    assert found.degraded == ""


def test_each_form_is_sent_what_its_services_take(asked: Any, reranker: Any) -> None:
    asked(ask("car"))
    asked(ask("car"), reranker="cohere", reranker_model="bge")

    tei, cohere = reranker.asked
    assert (tei["query"], tei["truncate"], len(tei["texts"])) == ("car", True, 4)
    assert (cohere["query"], cohere["model"], len(cohere["documents"])) == ("car", "bge", 4)
    assert "the case of the" in tei["texts"][0], "a lesson is read with its cases"


def test_a_prompt_is_never_sent_to_the_reranker(asked: Any, reranker: Any) -> None:
    (found,) = asked(ask("car", is_prompt=True, budget=30.0))

    assert reranker.asked == []
    assert len(found.hits) == 4
    assert found.degraded == ""


def test_the_reranker_looks_further_down_than_is_answered(asked: Any, reranker: Any) -> None:
    (before,) = asked(ask("car"), reranker="", reranker_url="")
    reranker.likes = before.hits[-1].id

    (found,) = asked(ask("car", limit=1))

    assert order(found) == [before.hits[-1].id]


def test_a_single_find_needs_no_reranker(asked: Any, reranker: Any) -> None:
    asked(ask("meadow"), ask("nothing of this"))

    assert reranker.asked == []


def test_a_reranker_that_fails_is_said_and_the_order_stays(asked: Any, reranker: Any) -> None:
    reranker.status = 503

    (before,) = asked(ask("car"), reranker="", reranker_url="")
    (found,) = asked(ask("car"))

    assert order(found) == order(before)
    assert "Not reranked" in found.degraded
    assert "503" in found.degraded


def test_a_reranker_that_is_not_there_is_said_and_the_order_stays(asked: Any) -> None:
    (before,) = asked(ask("car"), reranker="", reranker_url="")
    (found,) = asked(ask("car"), reranker_url="http://127.0.0.1:9")

    assert order(found) == order(before)
    assert "does not answer" in found.degraded


def test_a_reranker_that_hangs_costs_no_more_than_the_budget(asked: Any, reranker: Any) -> None:
    reranker.open.clear()

    found = asked(*[ask("car", budget=1.0)] * 4)

    assert [len(each.hits) for each in found] == [4] * 4
    assert "took too long" in found[0].degraded
    assert all("Not reranked" in each.degraded for each in found)


@pytest.mark.parametrize(
    "answer",
    [
        lambda entries: entries[1:],
        lambda entries: [*entries, {"index": 4, "score": 1.0}],
        lambda entries: [{**entry, "score": math.nan} for entry in entries],
        lambda entries: [{**entry, "score": "much"} for entry in entries],
        lambda entries: [{**entry, "score": 10**400} for entry in entries],
        lambda entries: [{**entry, "index": math.inf} for entry in entries],
        lambda entries: [{**entry, "index": 0} for entry in entries],
        lambda entries: {"results": None},
        lambda entries: ["harbour"],
        lambda entries: None,
    ],
)
def test_an_answer_without_a_score_for_each_changes_nothing(asked: Any, reranker: Any, answer: Any) -> None:
    reranker.answer = answer

    (found,) = asked(ask("car"))

    assert len(found.hits) == 4
    assert "no score for each text" in found.degraded


def test_the_key_of_a_reranker_comes_from_its_file(asked: Any, reranker: Any, tmp_path: Any) -> None:
    (tmp_path / "key").write_text("harbour\n", encoding="utf-8")

    asked(ask("car"), reranker_key_file=str(tmp_path / "key"))

    assert reranker.keys == ["Bearer harbour"]


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"reranker": "magic", "reranker_url": "http://localhost"}, "reranker"),
        ({"reranker": "tei"}, "reranker_url"),
    ],
)
def test_a_wrong_option_of_the_reranker_is_named(given: dict[str, str], named: str) -> None:
    with pytest.raises(KgError, match=named):
        Options.parse(given)


def test_an_address_that_is_none_is_named(opened: Any) -> None:
    async def main() -> None:
        async with opened(embedder="none", reranker="tei", reranker_url="localhost"):
            pass

    with pytest.raises(KgError, match="reranker_url"):
        asyncio.run(main())


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=POOL))
def test_reranking_loses_nothing_and_leaves_the_scores_in_order(scores: list[float]) -> None:
    hits = [
        SearchHit(key=str(place), graph="user", id=str(place), score=1.0 / (place + 1)) for place in range(len(scores))
    ]

    found = ordered(hits, scores)

    assert sorted(hit.key for hit in found) == sorted(hit.key for hit in hits)
    assert [hit.score for hit in found] == [hit.score for hit in hits]
    assert [scores[int(hit.key)] for hit in found] == sorted(scores, reverse=True)
