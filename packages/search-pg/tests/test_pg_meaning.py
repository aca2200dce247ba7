"""The leg by meaning: what feeds it, and that whatever ails the embedder, words still find."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import psycopg
import pytest

from kg_plugin_api import KgError, SearchItem, SearchRequest
from kg_search_pg import database, lexical
from kg_search_pg.embedding import Queue, queue
from kg_search_pg.embedding.endpoint import EndpointEmbedder
from kg_search_pg.options import Options


def node(name: str, gist: str, **more: Any) -> SearchItem:
    fields: dict[str, Any] = {"hash": f"{gist} {more}", **more}
    return SearchItem(key=f"user\x1f{name}", graph="user", id=name, gist=gist, **fields)


def ask(text: str, **more: Any) -> SearchRequest:
    return SearchRequest(text=text, graphs=("user",), **more)


def embedded(health: dict[str, Any]) -> bool:
    return health["rows"] > 0 and health["lag"] == 0


def test_other_words_for_the_same_thing_are_found(opened: Any, until: Any) -> None:
    async def main() -> None:
        async with opened() as backend:
            await backend.upsert([node("a", "the automobile is red"), node("b", "a kettle of fish")])
            await until(backend, embedded)

            found = await backend.search(ask("car"))

            assert found.degraded == ""
            assert [hit.id for hit in found.hits][:1] == ["a"]
            assert dict(found.hits[0].ranks) == {"dense": 1}

    asyncio.run(main())


def test_what_both_legs_find_comes_first_and_tells_its_ranks(opened: Any, until: Any) -> None:
    async def main() -> None:
        async with opened() as backend:
            await backend.upsert([node("a", "the automobile is red"), node("b", "the car is blue")])
            await until(backend, embedded)

            (first, second) = (await backend.search(ask("car"))).hits

            assert (first.id, first.ranks["lexical"]) == ("b", 1)
            assert (second.id, dict(second.ranks)) == ("a", {"dense": second.ranks["dense"]})

    asyncio.run(main())


def test_nothing_comes_to_mind_by_meaning_beyond_the_gate(opened: Any, until: Any) -> None:
    async def main() -> None:
        async with opened() as backend:
            await backend.upsert([node("a", "automobile"), node("b", "kettle")])
            await until(backend, embedded)

            silent = (await backend.search(ask("car"))).hits
            spoken = (await backend.search(ask("car", gate=0.3))).hits

            assert {hit.strength for hit in silent} == {0.0}
            assert {hit.id: hit.strength > 0 for hit in spoken} == {"a": True, "b": False}

    asyncio.run(main())


def test_a_text_that_stays_keeps_its_vector(opened: Any, until: Any, endpoint: Any) -> None:
    async def main() -> None:
        async with opened() as backend:
            await backend.upsert([node("a", "automobile", notes=("red", "blue"))])
            await until(backend, embedded)
            endpoint.texts.clear()

            await backend.upsert([node("a", "automobile", notes=("red", "green"), tier="archived")])
            await until(backend, embedded)

            assert endpoint.texts == ["green"]

    asyncio.run(main())


def test_a_node_that_lost_notes_loses_their_rows(opened: Any, until: Any) -> None:
    async def main() -> None:
        async with opened() as backend:
            await backend.upsert([node("a", "automobile", notes=("red", "blue"))])
            await backend.upsert([node("a", "automobile", notes=("red",))])

            assert (await until(backend, embedded))["rows"] == 3
            assert (await backend.search(ask("blue"))).hits[0].ranks.keys() == {"dense"}

    asyncio.run(main())


def test_embedding_goes_on_where_it_was_left(opened: Any, until: Any, endpoint: Any) -> None:
    async def main() -> None:
        endpoint.status = 503
        async with opened() as backend:
            await backend.upsert([node(f"n{number}", f"automobile {number}") for number in range(40)])
            await until(backend, lambda health: "503" in health.get("problem", ""))
        endpoint.status = 200

        async with opened(keep=True) as backend:
            assert (await until(backend, embedded))["embedded"] == 80

    asyncio.run(main())


def test_what_is_new_or_changed_does_not_wait_for_a_bulk(opened: Any, until: Any, endpoint: Any) -> None:
    async def main() -> None:
        async with opened() as backend:
            await backend.upsert([node("old", "ledger")])
            await until(backend, embedded)
            endpoint.open.clear()
            await backend.upsert([node(f"bulk-{number}", f"bulk {number}") for number in range(100)])
            before = len(endpoint.texts)
            await backend.upsert([node("old", "automobile"), node("new", "vessel")])
            endpoint.open.set()
            await until(backend, embedded)

            asked = endpoint.texts[before:]
            assert max(asked.index("automobile"), asked.index("vessel")) < 64

    asyncio.run(main())


def test_of_a_very_long_question_the_beginning_is_asked(opened: Any, until: Any, endpoint: Any) -> None:
    async def main() -> None:
        async with opened() as backend:
            await backend.upsert([node("a", "the car")])
            await until(backend, embedded)
            endpoint.texts.clear()

            found = await backend.search(ask("car " + "pasted output " * 100_000))

            assert [hit.id for hit in found.hits] == ["a"]
            assert len(endpoint.texts[0]) == 1_500

    asyncio.run(main())


def test_an_embedder_that_is_down_is_said_and_words_still_find(opened: Any, until: Any, endpoint: Any) -> None:
    async def main() -> None:
        async with opened() as backend:
            await backend.upsert([node("a", "the car")])
            await until(backend, embedded)
            endpoint.status = 500

            found = await backend.search(ask("car"))

            assert [hit.id for hit in found.hits] == ["a"]
            assert "by words alone" in found.degraded
            assert "500" in found.degraded
            endpoint.status = 200
            assert (await backend.search(ask("car"))).degraded == ""

    asyncio.run(main())


def test_an_embedder_that_hangs_costs_no_more_than_the_budget(opened: Any, until: Any, endpoint: Any) -> None:
    async def main() -> None:
        async with opened() as backend:
            await backend.upsert([node("a", "the car")])
            await until(backend, embedded)
            await backend.search(ask("car"))
            endpoint.open.clear()

            found = [await backend.search(ask("car", budget=1.0)) for _ in range(4)]

            assert [[hit.id for hit in each.hits] for each in found] == [["a"]] * 4
            assert "took too long" in found[0].degraded
            assert "earlier questions" in found[-1].degraded

    asyncio.run(main())


@pytest.mark.parametrize(
    "answer",
    [
        lambda vectors: {"data": []},
        lambda vectors: {"data": [{"embedding": [0.0] * len(vector)} for vector in vectors]},
        lambda vectors: {"data": [{"embedding": [math.nan, *vector[1:]]} for vector in vectors]},
        lambda vectors: {"data": [{"embedding": vector + [1.0] * number} for number, vector in enumerate(vectors)]},
        lambda vectors: ["harbour"],
        lambda vectors: {"data": [{"embedding": "harbour"} for _ in vectors]},
        lambda vectors: {"data": [{"embedding": [10**400, *vector[1:]]} for vector in vectors]},
    ],
)
def test_an_answer_that_is_no_vectors_is_not_kept(opened: Any, until: Any, endpoint: Any, answer: Any) -> None:
    async def main() -> None:
        sound, endpoint.answer = endpoint.answer, answer
        async with opened() as backend:
            await backend.upsert([node("a", "the car"), node("b", "the boat")])

            health = await until(backend, lambda health: "embedder answered" in health.get("problem", ""))

            assert health["embedded"] == 0
            assert [hit.id for hit in (await backend.search(ask("car"))).hits] == ["a"]
            endpoint.answer = sound
            assert "problem" not in await until(backend, embedded)

    asyncio.run(main())


@pytest.mark.parametrize("length", [1e39, 7e4, 1e-60])
def test_how_long_the_vectors_of_a_model_are_means_nothing(
    opened: Any, until: Any, endpoint: Any, length: float
) -> None:
    endpoint.answer = lambda vectors: {"data": [{"embedding": [part * length for part in each]} for each in vectors]}

    async def main() -> None:
        async with opened() as backend:
            await backend.upsert([node("a", "automobile"), node("b", "ledger")])
            await until(backend, embedded)

            found = await backend.search(ask("car"))

            assert (found.degraded, found.hits[0].id) == ("", "a")

    asyncio.run(main())


def test_other_dimensions_than_before_are_refused_by_name(opened: Any, until: Any, endpoint: Any) -> None:
    async def main() -> None:
        async with opened() as backend:
            await backend.upsert([node("a", "the car")])
            await until(backend, embedded)
            endpoint.dimensions = 8
            await backend.upsert([node("b", "the boat")])

            health = await until(backend, lambda health: "problem" in health)

            assert "8 dimensions" in health["problem"]
            assert "16" in health["problem"]
            found = await backend.search(ask("car"))
            assert [hit.id for hit in found.hits] == ["a"]
            assert "8 dimensions" in found.degraded

    asyncio.run(main())


def test_another_model_makes_all_vectors_anew(opened: Any, until: Any, endpoint: Any) -> None:
    async def main() -> None:
        async with opened() as backend:
            await backend.upsert([node("a", "automobile"), node("b", "boat")])
            await until(backend, embedded)
        endpoint.texts.clear()
        endpoint.dimensions = 32

        async with opened(keep=True, model="other", passage_prefix="passage: ", query_prefix="query: ") as backend:
            health = await until(backend, embedded)

            assert (health["model"], health["dimensions"]) == ("other passage:", 32)
            assert sorted(endpoint.texts) == sorted(
                f"passage: {text}" for text in ("automobile", "a: automobile", "boat", "b: boat")
            )
            assert (await backend.search(ask("car"))).hits[0].id == "a"
            assert endpoint.texts[-1] == "query: car"

    asyncio.run(main())


def test_a_model_that_comes_back_before_its_vectors_were_forgotten_finds_them_again(
    opened: Any, until: Any, endpoint: Any
) -> None:
    async def main() -> None:
        async with opened() as backend:
            await backend.upsert([node("a", "automobile")])
            await until(backend, embedded)
            other = EndpointEmbedder(endpoint.url, "other")
            await Queue(backend.database, other).open()  # and no more: its server was killed
            await other.close()

        async with opened(keep=True) as backend:
            health = await until(backend, embedded)

            assert (health["dimensions"], health.get("problem")) == (16, None)
            assert [hit.id for hit in (await backend.search(ask("car"))).hits] == ["a"]
            await Queue(backend.database, other).open()
        endpoint.dimensions = 8

        async with opened(keep=True) as backend:
            await backend.upsert([node("b", "boat")])
            assert "16; `kg pg reindex`" in (await until(backend, lambda health: "problem" in health))["problem"]

    asyncio.run(main())


def test_a_text_that_is_refused_holds_up_no_other(opened: Any, until: Any, endpoint: Any) -> None:
    async def main() -> None:
        endpoint.refused = "kettle"
        async with opened() as backend:
            await backend.upsert([node("a", "automobile"), node("b", "kettle"), node("c", "boat")])

            health = await until(backend, lambda health: health["embedded"] == 4)

            assert health["lag"] == 2
            assert [hit.id for hit in (await backend.search(ask("kettle"))).hits][:1] == ["b"]

    asyncio.run(main())


def test_a_text_that_changed_meanwhile_gets_no_vector_of_the_old_one(opened: Any, until: Any, endpoint: Any) -> None:
    async def main() -> None:
        async with opened() as backend:
            endpoint.open.clear()
            await backend.upsert([node("a", "automobile")])
            await until(backend, lambda _: bool(endpoint.texts))
            await backend.upsert([node("a", "boat")])
            endpoint.open.set()

            await until(backend, embedded)

            assert endpoint.texts == ["automobile", "a: automobile", "boat", "a: boat"]

    asyncio.run(main())


def test_many_vectors_get_an_index_that_filters_do_not_starve(
    opened: Any, until: Any, monkeypatch: pytest.MonkeyPatch, postgres: Any
) -> None:
    monkeypatch.setattr(queue, "_INDEXED", 300)

    async def main() -> None:
        async with opened() as backend:
            await backend.upsert([node(f"n{number:03}", f"car {number}") for number in range(400)])
            await backend.upsert(
                [node(f"o{number}", f"harbour kettle {number}", tags=("rare",)) for number in range(5)]
            )
            await until(backend, lambda health: health["vector index"])

            found = await backend.search(ask("vehicle", tags=("rare",), limit=5))

            assert len(found.hits) == 5
            async with await psycopg.AsyncConnection.connect(postgres.dsn) as connection:
                row = await (
                    await connection.execute("select indexdef from pg_indexes where indexname = %s", [queue.INDEX])
                ).fetchone()
            assert row
            assert "hnsw" in row[0]

    asyncio.run(main())


async def waited_for_a_second(looking: Any) -> None:
    """Returns once a statement of somebody else has waited for a lock as long as that."""
    for _ in range(1_500):
        waiting = "wait_event_type = 'Lock' and clock_timestamp() - query_start > interval '1 second'"
        if await (await looking.execute(f"select from pg_stat_activity where {waiting}")).fetchone() is not None:
            return
        await asyncio.sleep(0.02)
    raise AssertionError("nothing waited so long")


def test_an_index_that_takes_longer_than_any_write_may_is_built(
    opened: Any, until: Any, monkeypatch: pytest.MonkeyPatch, postgres: Any
) -> None:
    monkeypatch.setattr(queue, "_INDEXED", 10)
    monkeypatch.setattr(database, "_GRACE_SECONDS", -29.5)  # half a second for whatever states no limit of its own

    async def main() -> None:
        connect = psycopg.AsyncConnection.connect
        async with opened() as backend, await connect(postgres.dsn) as writer, await connect(postgres.dsn) as looking:
            await looking.set_autocommit(True)
            await backend.upsert([node(f"n{number}", f"car {number}") for number in range(4)])
            await writer.execute("lock table tried.chunk in row exclusive mode")  # the index waits for writers to end
            await backend.upsert([node("last", "boat")])
            await until(backend, embedded)
            await waited_for_a_second(looking)
            meanwhile = await backend.health()
            await writer.rollback()

            assert "problem" not in meanwhile
            await until(backend, lambda health: health["vector index"])

    asyncio.run(main())


def test_frequent_words_leave_a_question_that_has_rarer_ones(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexical, "_ROWS", 5)

    async def main() -> None:
        async with opened(embedder="none") as backend:
            await backend.upsert([node(f"n{number}", "the car") for number in range(20)])
            await backend.upsert([node("rare", "the ledger of the car")])

            both = await backend.search(ask("ledger car", limit=50))
            frequent = await backend.search(ask("car", limit=50))

            assert [hit.id for hit in both.hits] == ["rare"]
            assert len(frequent.hits) == 21

    asyncio.run(main())


def test_the_key_of_an_endpoint_comes_from_its_file(opened: Any, until: Any, endpoint: Any, tmp_path: Any) -> None:
    (tmp_path / "key").write_text("harbour\n", encoding="utf-8")

    async def main() -> None:
        async with opened(key_file=str(tmp_path / "key")) as backend:
            await backend.upsert([node("a", "automobile")])
            await until(backend, embedded)

        assert set(endpoint.keys) == {"Bearer harbour"}

    asyncio.run(main())


def test_the_model_in_the_wheel_finds_a_paraphrase_in_another_language(opened: Any, until: Any) -> None:
    async def main() -> None:
        async with opened(embedder="local") as backend:
            await backend.upsert(
                [
                    node("retries", "the payment worker stops trying again after five attempts"),
                    node("kettle", "tea is best made with boiling water"),
                ]
            )
            await until(backend, embedded)

            found = await backend.search(ask("combien de fois le paiement est-il relancé", budget=30.0))

            assert found.degraded == ""
            assert found.hits[0].id == "retries"

    asyncio.run(main())


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"harbour": "1"}, "harbour"),
        ({"schema": "kg; drop table chunk"}, "schema"),
        ({"language": "Klingon"}, "language"),
        ({"connections": "many"}, "connections"),
        ({"gate": "nan"}, "gate"),
        ({"embedder": "magic"}, "embedder"),
        ({"embedder": "openai"}, "url"),
    ],
)
def test_a_wrong_option_is_named(given: dict[str, str], named: str) -> None:
    with pytest.raises(KgError, match=named):
        Options.parse(given)
