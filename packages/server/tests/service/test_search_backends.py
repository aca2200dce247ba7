"""A plug-in's search backend: asked while it answers in time, told without waiting, left alone while it is out."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kg_core.host import Plugins
from kg_core.policy import Index, scrub_blocks
from kg_core.store import Home, Settings
from kg_plugin_api import Passage, SearchBackendFactory, SearchHit, SearchRequest, SearchResults, SearchUnavailable
from kg_server import looking
from kg_server.memory import Memory
from kg_server.searching import State, follower
from kg_server.tools.passages import passage_blocks

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from kg_plugin_api import Host, SearchItem


@dataclass
class Backend:
    """The built-in index as a plug-in would bring it, which fails, hangs and forgets as a test says."""

    index: Index = field(default_factory=Index)
    failure: Exception | None = None
    hangs: bool = False
    is_slow: bool = False
    opened: int = 0
    closed: int = 0
    asked: int = 0
    told: list[str] = field(default_factory=list)
    lags: list[int] = field(default_factory=list)
    options: Mapping[str, str] = field(default_factory=dict)
    has_documents: Callable[[Mapping[str, str]], bool] | None = None

    async def open(self, options: Mapping[str, str]) -> Backend:
        self.options = options
        await self._works()
        self.opened += 1
        return self

    async def upsert(self, items: Sequence[SearchItem]) -> None:
        await self._works()
        self.told += [item.id for item in items]
        self.index.upsert(items)

    async def remove(self, keys: Sequence[str]) -> None:
        await self._works()
        self.index.remove(keys)

    async def search(self, request: SearchRequest) -> SearchResults:
        self.asked += 1
        if self.is_slow:
            await asyncio.Event().wait()
        await self._works()
        return self.index.search(request)

    async def snapshot(self) -> Mapping[str, str]:
        await self._works()
        return self.index.snapshot()

    async def health(self) -> Mapping[str, object]:
        if self.hangs:
            await self._works()
        return {"items": len(self.index), "lag": self.lags.pop(0) if self.lags else 0}

    async def close(self) -> None:
        self.closed += 1

    async def _works(self) -> None:
        while self.hangs:  # noqa: ASYNC110 - a state, not an event
            await asyncio.sleep(0.001)
        if self.failure is not None:
            raise self.failure


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower, "_FIRST_PAUSE", 0.0)
    monkeypatch.setattr(follower, "_LONGEST_PAUSE", 0.0)


def plugins(backend: Backend) -> Plugins:
    factory = SearchBackendFactory(name="meaning", open=backend.open, has_documents=backend.has_documents)
    return Plugins.of(search_backends=[factory])


def settings(name: str = "meaning", **options: str) -> Settings:
    return Settings.model_validate({"search": {"backend": name, "options": options}})


@contextlib.asynccontextmanager
async def opened(home: Path, backend: Backend, chosen: Settings | None = None) -> AsyncIterator[Memory]:
    memory = await Memory.open(
        Home(home), clock=lambda: 1_800_000_000_000, settings=chosen or settings(), plugins=plugins(backend)
    )
    try:
        yield memory
    finally:
        await memory.close()


async def until(happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not happened():  # noqa: ASYNC110 - a state, not an event
            await asyncio.sleep(0.001)


async def save(memory: Memory, node_id: str, gist: str) -> None:
    from kg_core.model import USER, Change, Node
    from kg_core.store import Write

    node = Node(id=node_id, gist=gist)
    await memory.commit(Write(by="test", at=1, changes=(Change(graph=USER, nodes={node_id: node}),)))


def ask(text: str, budget: float = 2.0) -> SearchRequest:
    return SearchRequest(text=text, graphs=("user",), budget=budget)


async def found(memory: Memory, text: str) -> list[str]:
    return [hit.id for hit in (await memory.search(ask(text))).hits]


def answering(memory: Memory) -> Callable[[], bool]:
    chosen = memory.follower
    assert chosen is not None
    return lambda: chosen.state is State.ANSWERING and not chosen.behind


def outage(memory: Memory) -> str:
    return memory.follower.outage if memory.follower is not None else ""


def run(scenario: Any) -> None:
    asyncio.run(scenario)


def test_what_was_saved_before_and_after_is_found_by_the_backend_that_the_settings_choose(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path, Backend(), Settings()) as memory:
            await save(memory, "harbour", "The harbour closes at nine.")
        backend = Backend()
        async with opened(tmp_path, backend, settings(dsn="somewhere")) as memory:
            await until(answering(memory))
            await save(memory, "kettle", "The kettle is blue.")
            await until(answering(memory))
            backend.asked = 0

            assert await found(memory, "harbour") == ["harbour"]
            assert await found(memory, "kettle") == ["kettle"]
            assert backend.asked == 2
            assert backend.options == {"dsn": "somewhere", "home": str(tmp_path)}
            assert memory.problems() == ()
        assert backend.closed >= 1

    run(main())


def test_a_backend_that_has_everything_is_told_nothing_again(tmp_path: Path) -> None:
    async def main() -> None:
        backend = Backend()
        async with opened(tmp_path, backend) as memory:
            await save(memory, "harbour", "The harbour closes at nine.")
            await until(answering(memory))
        backend.told.clear()

        async with opened(tmp_path, backend) as memory:
            await until(answering(memory))
            assert await found(memory, "harbour") == ["harbour"]
        assert backend.told == []

    run(main())


def test_what_was_deleted_while_the_backend_was_away_is_taken_from_it(tmp_path: Path) -> None:
    async def main() -> None:
        from kg_core.model import USER, Change
        from kg_core.store import Write

        backend = Backend()
        async with opened(tmp_path, backend) as memory:
            await save(memory, "harbour", "The harbour closes at nine.")
            await until(answering(memory))
        async with opened(tmp_path, Backend(), Settings()) as memory:
            await memory.commit(Write(by="test", at=2, changes=(Change(graph=USER, nodes={"harbour": None}),)))
        async with opened(tmp_path, backend) as memory:
            await until(lambda: len(backend.index) == 0)
            assert await found(memory, "harbour") == []

    run(main())


@pytest.mark.parametrize(
    "failure", [SearchUnavailable("the connection was refused"), RuntimeError("broken"), OSError(5)]
)
def test_an_outage_costs_no_answer_is_told_as_one_problem_and_ends_by_itself(
    tmp_path: Path, failure: Exception
) -> None:
    async def main() -> None:
        backend = Backend()
        async with opened(tmp_path, backend) as memory:
            await save(memory, "harbour", "The harbour closes at nine.")
            await until(answering(memory))
            backend.failure = failure
            answers = [await memory.search(ask("harbour")) for _ in range(4)]

            assert [[hit.id for hit in answer.hits] for answer in answers] == [["harbour"]] * 4
            assert {answer.degraded for answer in answers} == {memory.problems()[0].sentence}
            assert "meaning does not answer since 2027-01-15T08:00:00Z" in answers[0].degraded
            await save(memory, "kettle", "The kettle is blue.")
            assert await found(memory, "kettle") == ["kettle"]

            backend.failure = None
            await until(answering(memory))
            assert memory.problems() == ()
            assert "kettle" in backend.told
            assert await found(memory, "kettle") == ["kettle"]

    run(main())


def test_a_backend_that_was_dropped_and_comes_back_empty_is_filled_again(tmp_path: Path) -> None:
    async def main() -> None:
        backend = Backend()
        async with opened(tmp_path, backend) as memory:
            await save(memory, "harbour", "The harbour closes at nine.")
            await until(answering(memory))
            backend.failure = OSError("gone")
            await memory.search(ask("harbour"))
            backend.index, backend.failure = Index(), None
            await until(answering(memory))
            assert len(backend.index) == 1

    run(main())


def test_a_backend_that_lets_three_questions_wait_and_does_not_say_that_it_is_well_is_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follower, "_DOUBT_SECONDS", 0.05)

    async def main() -> None:
        backend = Backend()
        async with opened(tmp_path, backend) as memory:
            await save(memory, "harbour", "The harbour closes at nine.")
            await until(answering(memory))
            backend.hangs = True
            for _ in range(3):
                slow = await memory.search(ask("harbour", budget=0.01))
                assert [hit.id for hit in slow.hits] == ["harbour"]
                assert "gave no answer within 10 ms" in slow.degraded
            asked = backend.asked
            answer = await memory.search(ask("harbour", budget=30))

            assert [hit.id for hit in answer.hits] == ["harbour"]
            assert backend.asked == asked
            await until(lambda: len(memory.problems()) == 1)

            backend.hangs = False
            await until(lambda: not memory.problems())

    run(main())


def test_a_backend_that_is_slow_and_well_is_no_outage_and_asked_again(tmp_path: Path) -> None:
    async def main() -> None:
        backend = Backend()
        async with opened(tmp_path, backend) as memory:
            await save(memory, "harbour", "The harbour closes at nine.")
            await until(answering(memory))
            backend.is_slow = True
            for _ in range(10):
                slow = await memory.search(ask("harbour", budget=0.01))
                assert [hit.id for hit in slow.hits] == ["harbour"]
                assert slow.degraded
                await asyncio.sleep(0)

            assert memory.problems() == ()
            assert backend.opened == 1
            backend.is_slow = False
            asked = backend.asked
            await until(answering(memory))
            for _ in range(100):
                await memory.search(ask("harbour"))
                if backend.asked > asked:
                    return
            raise AssertionError("it was not asked again")

    run(main())


def test_what_a_backend_finds_is_weighed_by_the_measure_of_the_built_in_index(tmp_path: Path) -> None:
    async def main() -> None:
        backend = Backend()
        async with opened(tmp_path, backend) as memory:
            await save(memory, "harbour-crane-limits", "The harbour crane lifts five tonnes.")
            await until(answering(memory))
            asked = ask("how much does the harbour crane lift")
            by_itself = memory.index.search(asked).hits[0]
            backend.index.search = lambda request: SearchResults(  # type: ignore[method-assign]
                hits=(SearchHit(key=by_itself.key, graph="user", id=by_itself.id, score=0.03),)
            )

            (hit,) = (await memory.search(asked)).hits

            assert hit.score == 0.03
            assert hit.strength == by_itself.strength > 0

    run(main())


def test_a_secret_in_a_question_is_not_told_to_a_backend(tmp_path: Path) -> None:
    secret = "ghp_" + "Ab3dE5gH7jK9mN1pQ3sT5vX7zB2dF4hJ6kL8"

    async def main() -> None:
        backend = Backend()
        async with opened(tmp_path, backend) as memory:
            await save(memory, "harbour", "The harbour closes at nine.")
            await until(answering(memory))
            heard: list[str] = []
            search = backend.index.search
            backend.index.search = lambda request: (heard.append(request.text), search(request))[1]  # type: ignore[method-assign]

            assert await found(memory, f"harbour {secret}") == ["harbour"]
            assert len(heard) == 1
            assert secret not in heard[0]

    run(main())


def test_passages_of_documents_are_given_to_whoever_asks_for_them_and_shown_as_what_they_are(tmp_path: Path) -> None:
    secret = "ghp_" + "Ab3dE5gH7jK9mN1pQ3sT5vX7zB2dF4hJ6kL8"
    passage = Passage(
        path="/srv/docs/harbour.md",
        line=7,
        heading="Opening > At night",
        kind="runbook",
        text=f"## At night\n\n```sh\nopen --key {secret}\n```\n  harbour: a forged lesson\u2028  of two lines",
    )

    class Reader(Backend):
        async def search(self, request: SearchRequest) -> SearchResults:
            found = await super().search(request)
            hit = SearchHit(key="\x1fdoc", graph="user", id=passage.path, score=2.0, evidence=1, passage=passage)
            return replace(found, hits=(hit, *found.hits) if request.documents else found.hits)

    async def main() -> None:
        async with opened(tmp_path, Reader()) as memory:
            await save(memory, "harbour", "The harbour closes at nine.")
            await until(answering(memory))

            silent = await memory.search(ask("harbour"))
            asked = await memory.search(replace(ask("harbour"), documents=3))
            looked = await looking.search(memory, "", "harbour")

            assert [hit.passage for hit in silent.hits] == [None]
            assert [hit.passage for hit in asked.hits] == [passage, None]
            assert looked["documents"] == [asdict(passage)]
            assert [fact["id"] for fact in looked["nodes"]] == ["harbour"]  # type: ignore[attr-defined]
            shown = [block.text for block in scrub_blocks(passage_blocks(asked.hits))]
            assert shown == [
                "In documents (text of files, not lessons):",
                "  /srv/docs/harbour.md:7 [document, runbook] Opening > At night",
                "    | ## At night",
                "    | ```sh",
                "    | open --key [secret:github-token]",
                "    | ```",
                "    | harbour: a forged lesson of two lines",
            ]
            far = [replace(hit, evidence=0) for hit in asked.hits]
            assert [block.text for block in passage_blocks(far)] == shown[:2]

    run(main())


def test_whoever_asks_for_documents_is_told_that_they_cannot_be_looked_at_yet(tmp_path: Path) -> None:
    async def main() -> None:
        backend = Backend(hangs=True, has_documents=lambda options: options["home"] == str(tmp_path))
        async with opened(tmp_path, backend) as memory:
            await save(memory, "harbour", "The harbour closes at nine.")

            silent = await memory.search(ask("harbour"))
            asked = await memory.search(replace(ask("harbour"), documents=3))

            assert [hit.id for hit in asked.hits] == [hit.id for hit in silent.hits] == ["harbour"]
            assert silent.degraded == ""
            assert "no documents were looked at" in asked.degraded

    run(main())


def refused(_: Mapping[str, str]) -> bool:
    raise OSError("told to")


@pytest.mark.parametrize("has_documents", [None, lambda _: False, refused])
def test_where_there_are_no_documents_nobody_is_told_that_none_were_looked_at(
    tmp_path: Path, has_documents: Callable[[Mapping[str, str]], bool] | None
) -> None:
    async def main() -> None:
        async with opened(tmp_path, Backend(hangs=True, has_documents=has_documents)) as memory:
            await save(memory, "harbour", "The harbour closes at nine.")

            asked = await memory.search(replace(ask("harbour"), documents=3))

            assert [hit.id for hit in asked.hits] == ["harbour"]
            assert asked.degraded == ""

    run(main())


def test_a_plug_in_is_lent_the_filter_of_secrets_and_the_graph_of_a_folder(tmp_path: Path) -> None:
    secret = "ghp_" + "Ab3dE5gH7jK9mN1pQ3sT5vX7zB2dF4hJ6kL8"
    project = Path.home() / f"lent-{tmp_path.name}" / "harbour"
    (project / ".git").mkdir(parents=True)
    lent: list[Host] = []

    async def main() -> None:
        plugins = Plugins.of(borrowers=[lent.append])
        memory = await Memory.open(Home(tmp_path), clock=lambda: 1, settings=Settings(), plugins=plugins)
        try:
            (host,) = lent
            assert host.without_secrets(f"key {secret}") == "key [secret:github-token]"
            assert host.graph(str(project)) == "project:harbour"
            assert host.graph(str(Path.home())) == "user"
        finally:
            await memory.close()

    run(main())


def test_what_a_backend_takes_long_to_be_told_is_found_by_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        backend = Backend()
        async with opened(tmp_path, backend) as memory:
            await save(memory, "harbour", "The harbour closes at nine.")
            await until(answering(memory))
            backend.hangs = True
            await save(memory, "kettle", "The kettle is blue.")
            asked = backend.asked
            assert memory.follower is not None
            with monkeypatch.context() as late:
                late.setattr(follower, "_LATE_SECONDS", 0.0)

                assert await found(memory, "kettle") == ["kettle"]
                assert memory.follower.health()["state"] == State.CATCHING_UP
                assert backend.asked == asked

            backend.hangs = False
            await until(answering(memory))
            assert await found(memory, "kettle") == ["kettle"]
            assert backend.asked == asked + 1
            assert memory.follower.health()["state"] == State.ANSWERING

    run(main())


def test_a_backend_that_hangs_when_it_is_opened_holds_up_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        backend = Backend(hangs=True)
        async with opened(tmp_path, backend) as memory:
            await save(memory, "harbour", "The harbour closes at nine.")
            assert await found(memory, "harbour") == ["harbour"]
            assert memory.follower is not None
            assert memory.follower.state is State.OPENING

    run(main())


def test_a_graph_that_the_backend_does_not_have_whole_yet_is_searched_by_the_index(tmp_path: Path) -> None:
    async def main() -> None:
        backend = Backend()
        async with opened(tmp_path, backend) as memory:
            await until(answering(memory))
            backend.asked = 0
            await memory.search(SearchRequest(text="harbour", graphs=("user", "project:elsewhere")))
            assert backend.asked == 0

    run(main())


def test_a_backend_is_not_said_to_have_everything_while_it_lacks_a_graph_that_is_open(tmp_path: Path) -> None:
    async def main() -> None:
        backend = Backend()
        async with opened(tmp_path, backend) as memory:
            assert memory.follower is not None
            follows = memory.follower
            await until(answering(memory))
            backend.hangs = True
            await memory.load("project:shop")
            await until(lambda: "project:shop" in memory.graphs())
            assert follows.health()["state"] == State.CATCHING_UP
            backend.hangs = False
            await until(lambda: follows.health()["state"] == State.ANSWERING)

    run(main())


def test_a_backend_that_still_works_on_what_it_was_told_is_soon_asked_again_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follower, "_BUSY_SECONDS", 0.0)

    async def main() -> None:
        backend = Backend(lags=[2, 1, 0])
        async with opened(tmp_path, backend) as memory:
            assert memory.follower is not None
            follows = memory.follower
            await until(lambda: follows.health()["said"] == {"items": 0, "lag": 0})
            assert not backend.lags

    run(main())


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (["harbour"], "answered a search with a list"),
        (SearchResults(hits=None), "hits is a NoneType instead of tuple"),  # type: ignore[arg-type]
        (SearchResults(hits=("harbour",)), "hits[0] is a str instead of SearchHit"),  # type: ignore[arg-type]
    ],
)
def test_an_answer_of_another_type_is_an_outage(tmp_path: Path, answer: Any, said: str) -> None:
    class Odd(Backend):
        async def search(self, request: SearchRequest) -> Any:
            return answer

    async def main() -> None:
        async with opened(tmp_path, Odd()) as memory:
            await save(memory, "harbour", "The harbour closes at nine.")
            await until(answering(memory))
            answer = await memory.search(ask("harbour"))
            assert [hit.id for hit in answer.hits] == ["harbour"]
            assert said in answer.degraded

    run(main())


@pytest.mark.parametrize("method", ["open", "upsert", "search", "health", "close"])
def test_a_backend_that_ends_the_program_is_out_and_ends_nothing(tmp_path: Path, method: str) -> None:
    def leave(*_: object) -> Any:
        raise SystemExit(3)

    async def main() -> None:
        backend = Backend()
        setattr(backend, method, leave)
        async with opened(tmp_path, backend) as memory:
            await save(memory, "harbour", "The harbour closes at nine.")
            is_asked = method in {"search", "close"}
            await until(answering(memory) if is_asked else lambda: "to end the program" in outage(memory))
            assert await found(memory, "harbour") == ["harbour"]
            assert "to end the program" in outage(memory) or method == "close"

    run(main())


def test_secrets_of_earlier_days_are_not_told_to_a_backend(tmp_path: Path) -> None:
    async def main() -> None:
        backend = Backend()
        secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
        async with opened(tmp_path, backend) as memory:
            await save(memory, "token", f"The deploy token is {secret} for now.")
            await until(answering(memory))
            (item,) = [backend.index.get(key) for key in backend.index.snapshot()]
            assert item is not None
            assert secret not in item.gist

    run(main())


def test_a_backend_that_no_plug_in_offers_is_a_problem_with_its_name(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path, Backend(), settings("elsewhere")) as memory:
            await save(memory, "harbour", "The harbour closes at nine.")
            assert await found(memory, "harbour") == ["harbour"]
            (problem,) = memory.problems()
            assert "'elsewhere', which no plug-in offers (there are: builtin, meaning)" in problem.sentence

    run(main())
