"""The contract of a search backend. Subclass :class:`SearchBackendContract`, give one fixture, and every clause runs.

::

    class TestMyIndex(SearchBackendContract):
        @pytest.fixture
        def open_backend(self) -> Callable[[], Awaitable[SearchBackend]]:
            return open_an_empty_index
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kg_plugin_testing import evidence
from kg_plugin_testing.following import FollowingContract
from kg_plugin_testing.opened import ask, ids, item

if TYPE_CHECKING:
    from kg_plugin_api import SearchBackend, SearchItem
    from kg_plugin_testing.opened import Open

__all__ = ["SearchBackendContract", "ask", "item"]

_WORDS: Final = ("ledger", "harbour", "kettle", "walnut", "glacier", "pigment")


class SearchBackendContract(FollowingContract):
    """What kg promises of search rests on these clauses. Words, not relevance: that is measured, not promised."""

    def test_an_empty_index_finds_nothing(self, open_backend: Open) -> None:
        """No hits is an answer, not an error."""

        async def script(backend: SearchBackend) -> None:
            assert (await backend.search(ask("ledger"))).hits == ()
            assert await backend.snapshot() == {}

        self.run(open_backend, script)

    def test_a_word_is_found_in_every_field(self, open_backend: Open) -> None:
        """Id, gist, notes, touches and tags are all searched."""

        async def script(backend: SearchBackend) -> None:
            await backend.upsert(
                [
                    item("ledger-closing", "nothing of the kind"),
                    item("two", "the harbour is closed"),
                    item("three", "no", notes=("a kettle of fish",)),
                    item("four", "no", touches=("src/walnut.py",)),
                    item("five", "no", tags=("glacier",)),
                ]
            )
            wanted = {
                "ledger": "ledger-closing",
                "harbour": "two",
                "kettle": "three",
                "walnut": "four",
                "glacier": "five",
            }
            for word, name in wanted.items():
                assert ids(await backend.search(ask(word))) == [name], word

        self.run(open_backend, script)

    def test_one_shared_word_is_enough(self, open_backend: Open) -> None:
        """A question in whole sentences finds a node that shares some of its words; words are not joined by AND."""

        async def script(backend: SearchBackend) -> None:
            await backend.upsert([item("retry-limits", "retry limits of the payment worker are five")])
            found = await backend.search(ask("what did we decide about retry limits, back then?"))
            assert ids(found) == ["retry-limits"]

        self.run(open_backend, script)

    def test_words_of_any_script_are_found(self, open_backend: Open) -> None:
        """Chinese and Japanese words inside a sentence, accents in either normal form, any case."""

        async def script(backend: SearchBackend) -> None:
            await backend.upsert(
                [
                    item("部署方案", "用户服务器部署在国内节点"),
                    item("game", "子供たちはしりとりで遊んだ"),
                    item("cafe", "the cafe\u0301 opens at seven"),
                    item("strasse", "Die STRASSE ist gesperrt"),
                ]
            )
            for query, name in {"部署": "部署方案", "しりとり": "game", "café": "cafe", "strasse": "strasse"}.items():
                assert name in ids(await backend.search(ask(query))), query

        self.run(open_backend, script)

    def test_upsert_replaces(self, open_backend: Open) -> None:
        """What a node no longer says no longer finds it; twice equals once."""

        async def script(backend: SearchBackend) -> None:
            await backend.upsert([item("one", "ledger")])
            await backend.upsert([item("one", "harbour")])
            await backend.upsert([item("one", "harbour")])
            assert ids(await backend.search(ask("ledger"))) == []
            assert ids(await backend.search(ask("harbour"))) == ["one"]
            assert dict(await backend.snapshot()) == {"user\x1fone": "one harbour"}

        self.run(open_backend, script)

    def test_the_last_of_equal_keys_wins(self, open_backend: Open) -> None:
        """Also within one batch."""

        async def script(backend: SearchBackend) -> None:
            await backend.upsert([item("one", "ledger"), item("one", "harbour")])
            assert ids(await backend.search(ask("ledger"))) == []
            assert ids(await backend.search(ask("harbour"))) == ["one"]

        self.run(open_backend, script)

    def test_remove_forgets_and_ignores_unknown_keys(self, open_backend: Open) -> None:
        """Removing is safe to repeat."""

        async def script(backend: SearchBackend) -> None:
            await backend.upsert([item("one", "ledger"), item("two", "ledger")])
            await backend.remove(["user\x1fone", "user\x1fnever", "user\x1fone"])
            await backend.remove([])
            assert ids(await backend.search(ask("ledger"))) == ["two"]
            assert set(await backend.snapshot()) == {"user\x1ftwo"}

        self.run(open_backend, script)

    def test_graphs_never_leak(self, open_backend: Open) -> None:
        """A request is answered from the graphs that it names and from no other; none named is none searched."""

        async def script(backend: SearchBackend) -> None:
            await backend.upsert([item("one", "ledger", graph="a"), item("one", "ledger", graph="b")])
            assert [hit.graph for hit in (await backend.search(ask("ledger", graphs=("b",)))).hits] == ["b"]
            assert (await backend.search(ask("ledger", graphs=()))).hits == ()
            assert len((await backend.search(ask("ledger", graphs=("a", "b", "c")))).hits) == 2

        self.run(open_backend, script)

    def test_filters_hold(self, open_backend: Open) -> None:
        """Tier, status, kind and tags narrow the answer; retracted and proposed nodes come only when asked for."""

        async def script(backend: SearchBackend) -> None:
            await backend.upsert(
                [
                    item("plain", "ledger"),
                    item("archived", "ledger", tier="archived"),
                    item("retracted", "ledger", status="retracted"),
                    item("derived", "ledger", kind="derived"),
                    item("tagged", "ledger", tags=("red", "blue")),
                ]
            )

            async def found(**more: Any) -> set[str]:
                return set(ids(await backend.search(ask("ledger", **more))))

            assert await found() == {"plain", "archived", "derived", "tagged"}
            assert await found(tiers=("archived",)) == {"archived"}
            assert await found(statuses=("retracted",)) == {"retracted"}
            assert await found(statuses=()) == {"plain", "archived", "derived", "tagged", "retracted"}
            assert await found(kinds=("derived",)) == {"derived"}
            assert await found(tags=("blue", "red")) == {"tagged"}
            assert await found(tags=("blue", "green")) == set()

        self.run(open_backend, script)

    def test_statements_and_conclusions_are_told_apart(self, open_backend: Open) -> None:
        """How deep a search goes rests on it: of the labelled memory in ``evidence.json`` each question finds exactly
        its statements, and with its conclusions exactly those.
        """

        async def script(backend: SearchBackend) -> None:
            await backend.upsert(evidence.items())
            for question in evidence.questions():
                for depth, kinds in (("explicit", ("stated",)), ("derived", ())):
                    found = await backend.search(replace(question.request, kinds=kinds))
                    named = {(hit.graph, hit.id) for hit in found.hits}
                    assert named == question.answers[depth], (question.request.text, depth)

        self.run(open_backend, script)

    def test_whose_view_it_is_narrows(self, open_backend: Open) -> None:
        """A lesson may be one observer's view, of another; who asks for one gets no other, and nobody's by ``""``."""

        async def script(backend: SearchBackend) -> None:
            await backend.upsert(
                [
                    item("plain", "ledger"),
                    item("of-ada", "ledger", observer="ada"),
                    item("on-bob", "ledger", observed="bob"),
                    item("of-ada-on-bob", "ledger", observer="ada", observed="bob"),
                    item("of-ada-on-ada", "ledger", observer="Ada", observed="ada"),
                ]
            )

            async def found(**more: Any) -> set[str]:
                return set(ids(await backend.search(ask("ledger", **more))))

            assert await found(observers=("ada",)) == {"of-ada", "of-ada-on-bob"}
            assert await found(observers=("ada", "Ada")) == {"of-ada", "of-ada-on-bob", "of-ada-on-ada"}
            assert await found(observed=("bob",)) == {"on-bob", "of-ada-on-bob"}
            assert await found(observers=("ada",), observed=("bob", "ada")) == {"of-ada-on-bob"}
            assert await found(observers=("",), observed=("",)) == {"plain"}
            assert await found(observers=("bob",)) == set()

        self.run(open_backend, script)

    def test_the_limit_holds_and_ties_are_stable(self, open_backend: Open) -> None:
        """At most ``limit`` hits, and equal ones in the order of their keys, whatever the order they came in."""

        async def script(backend: SearchBackend) -> None:
            names = [f"n{number:02}" for number in range(20)]
            await backend.upsert([item(name, "ledger") for name in reversed(names)])
            assert ids(await backend.search(ask("ledger", limit=5))) == names[:5]
            assert len((await backend.search(ask("ledger", limit=100))).hits) == 20

        self.run(open_backend, script)

    def test_scores_descend(self, open_backend: Open) -> None:
        """Best first."""

        async def script(backend: SearchBackend) -> None:
            await backend.upsert([item(f"n{n}", " ".join(_WORDS[: n + 1])) for n in range(len(_WORDS))])
            scores = [hit.score for hit in (await backend.search(ask(" ".join(_WORDS)))).hits]
            assert len(scores) == len(_WORDS)
            assert scores == sorted(scores, reverse=True)

        self.run(open_backend, script)

    def test_a_hit_tells_its_evidence(self, open_backend: Open) -> None:
        """The gates of prompt recall rest on it: distinct matched terms, and how rare the rarest is, from 0 to 1."""

        async def script(backend: SearchBackend) -> None:
            await backend.upsert([item("one", "ledger harbour"), item("two", "ledger")])
            hits = (await backend.search(ask("ledger harbour harbour"))).hits
            assert {hit.id: hit.evidence for hit in hits} == {"one": 2, "two": 1}
            assert all(0.0 <= hit.rarity <= 1.0 for hit in hits)

        self.run(open_backend, script)

    def test_any_text_is_legal(self, open_backend: Open) -> None:
        """There are no operators: a hyphen, a quotation mark or an unclosed bracket is text. Nothing raises."""

        async def script(backend: SearchBackend) -> None:
            await backend.upsert([item("adr-016", "decision ADR-016 on src/app/main.py at 3 GB/s")])
            for query in ("ADR-016", "src/app/main.py", "ask-codex ADR-016", 'a" OR "ADR-016', "decision ("):
                assert ids(await backend.search(ask(query))) == ["adr-016"], query
            for query in ("", " ", "*", "^x", "NEAR", ":", "\x00", "\ud800", "-", "'; drop table x"):
                await backend.search(ask(query))

        self.run(open_backend, script)

    def test_any_words_are_legal(self, open_backend: Open) -> None:
        """The same for text that nobody thought of, as content and as a question."""

        @settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
        @given(st.text(max_size=40), st.text(max_size=40))
        def check(content: str, query: str) -> None:
            async def script(backend: SearchBackend) -> None:
                await backend.upsert([item("one", content, notes=(content,))])
                await backend.search(ask(query))
                await backend.search(ask(content))

            self.run(open_backend, script)

        check()

    def test_it_agrees_with_a_dictionary(self, open_backend: Open) -> None:
        """After any sequence of upserts and removals the index holds exactly what a dictionary would."""
        step = st.tuples(st.booleans(), st.sampled_from("abcde"), st.sampled_from(_WORDS))

        @settings(deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))
        @given(st.lists(step, max_size=15))
        def check(steps: list[tuple[bool, str, str]]) -> None:
            async def script(backend: SearchBackend) -> None:
                model: dict[str, SearchItem] = {}
                for keep, name, word in steps:
                    entry = item(name, word)
                    if keep:
                        await backend.upsert([entry])
                        model[entry.key] = entry
                    else:
                        await backend.remove([entry.key])
                        model.pop(entry.key, None)
                assert dict(await backend.snapshot()) == {key: kept.hash for key, kept in model.items()}
                for word in _WORDS:
                    expected = sorted(kept.id for kept in model.values() if kept.gist == word)
                    assert sorted(ids(await backend.search(ask(word)))) == expected

            self.run(open_backend, script)

        check()

    def test_health_is_json(self, open_backend: Open) -> None:
        """``kg doctor --json`` and ``/health`` print it."""

        async def script(backend: SearchBackend) -> None:
            json.dumps(await backend.health())

        self.run(open_backend, script)

    def test_closing_twice_is_closing_once(self, open_backend: Open) -> None:
        """A server that goes down in a hurry may do both."""

        async def script(backend: SearchBackend) -> None:
            await backend.close()
            await backend.close()

        self.run(open_backend, script)
