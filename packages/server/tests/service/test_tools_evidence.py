"""Conclusions and their evidence: how they are saved, what is refused, and how deep a search goes."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kg_core.model import DERIVED_FROM, USER, Change, Edge, Graph, Kind
from kg_core.policy.derivation import circle, premises
from kg_core.policy.paths import Place
from kg_core.store import Write
from kg_server.tools.levels import Levels
from kg_server.tools.search import Search, question

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

SHOP = "project:shop"
FAST = "Nightly imports are slow since the index grew."
SLOW = "Zebra imports took nine minutes on Monday."


def graph(world: Any, key: str = SHOP) -> Any:
    return world.service._memory.durable(key)


def rests(world: Any, key: str = SHOP) -> set[tuple[str, str]]:
    return {(edge.source, edge.target) for edge in graph(world, key).edges if edge.rel == DERIVED_FROM}


async def chain(writer: Any, *names: str) -> None:
    """Each concluded from the next."""
    for above, below in zip(names, (*names[1:], ""), strict=True):
        await writer.put(above, f"The claim of {above}.")
        if below:
            await writer.put(below, f"The claim of {below}.")
    for above, below in pairwise(names):
        await writer.call("kg_put_edge", from_=above, rel=DERIVED_FROM, to=below)


def test_a_conclusion_is_saved_with_its_evidence_in_one_write(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("case-one", SLOW)
        await writer.put("case-two", "Imports took ten minutes on Tuesday.")
        before = world.service._memory.store.sequence
        await writer.put("index-slows-imports", FAST, derived_from=["Case_One", "case-two"])
        assert world.service._memory.store.sequence == before + 1
        assert graph(world).nodes["index-slows-imports"].kind is Kind.DERIVED
        assert rests(world) == {("index-slows-imports", "case-one"), ("index-slows-imports", "case-two")}
        text = await world.agent("s-2").call("kg_read", ids=["index-slows-imports"])
        assert "derived" in text.splitlines()[0]
        assert "index-slows-imports --derived-from--> case-one" in text

    live(scenario)


def test_a_circle_of_three_is_refused_with_its_path_and_changes_nothing(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await chain(writer, "first-claim", "second-claim", "third-claim")
        path = "third-claim --derived-from--> first-claim --derived-from--> second-claim --derived-from--> third-claim"
        before = graph(world)
        refusals = [
            await writer.refused("kg_put_edge", from_="third-claim", rel=DERIVED_FROM, to="first-claim"),
            await writer.refused(
                "kg_put_node", level="project", id="third-claim", gist="Other.", derived_from=["first-claim"]
            ),
        ]
        for refusal in refusals:
            assert f"'third-claim' would rest on itself: {path}." in refusal
        assert graph(world) == before

    live(scenario)


def test_a_users_conclusion_may_rest_on_a_projects_case_and_no_circle_leads_over_levels(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("case-one", SLOW)
        await writer.put("imports-need-care", "Imports need care everywhere.", "user", derived_from=["case-one"])
        assert graph(world, USER).nodes["imports-need-care"].kind is Kind.DERIVED
        assert rests(world) == {("user:imports-need-care", "case-one")}
        refusal = await writer.refused("kg_put_edge", from_="case-one", rel=DERIVED_FROM, to="user:imports-need-care")
        assert "shop:case-one --derived-from--> user:imports-need-care --derived-from--> shop:case-one" in refusal

    live(scenario)


def test_a_circle_over_a_project_that_nobody_has_opened_is_refused(live: Live) -> None:
    async def scenario(world: Any) -> None:
        yard = world.agent("y-1", cwd="yard")
        await yard.put("rule-a", "Rule A.", "user")
        await yard.put("rule-b", "Rule B.", "user")
        await yard.put("yard-case", "A case.")
        await yard.call("kg_put_edge", from_="user:rule-b", rel=DERIVED_FROM, to="yard-case")
        await yard.call("kg_put_edge", from_="yard-case", rel=DERIVED_FROM, to="user:rule-a")
        await world.restart()
        shop = world.agent("s-1", cwd="shop")
        await shop.call("kg_read")
        assert "project:yard" not in world.service._memory.loaded
        refusal = await shop.refused("kg_put_edge", from_="rule-a", rel=DERIVED_FROM, to="rule-b", level="user")
        assert "yard:yard-case" in refusal
        assert rests(world, USER) == set()

    live(scenario)


def test_evidence_makes_a_stated_lesson_a_conclusion_that_its_writer_still_knows(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("case-one", SLOW)
        await writer.put("slow-imports", FAST, notes=["one"])
        author = graph(world).nodes["slow-imports"].written
        saved = await writer.call("kg_put_edge", from_="slow-imports", rel=DERIVED_FROM, to="case-one")
        assert "'slow-imports' counts as a conclusion from now on." in saved
        assert graph(world).nodes["slow-imports"].kind is Kind.DERIVED
        assert graph(world).nodes["slow-imports"].written == author
        await writer.put("slow-imports", FAST, notes=["one", "two"])
        await writer.call("kg_delete_node", id="case-one")
        assert graph(world).nodes["slow-imports"].kind is Kind.DERIVED
        await writer.put("slow-imports", FAST, kind="stated")
        assert graph(world).nodes["slow-imports"].kind is Kind.STATED

    live(scenario)


def test_who_takes_a_premise_away_is_told_what_was_concluded_from_it(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await chain(writer, "upper-claim", "lower-claim")
        told = "What was concluded from it may fall too: 'upper-claim'."
        await writer.put("better-claim", "It is otherwise.")
        assert told in await writer.call("kg_put_edge", from_="better-claim", rel="supersedes", to="lower-claim")
        assert told in await writer.put("lower-claim", "It was wrong.", status="retracted")
        assert told not in await writer.put("lower-claim", "It was quite wrong.")
        assert told in await writer.call("kg_delete_node", id="lower-claim")
        assert "concluded" not in await writer.call("kg_delete_node", id="upper-claim")

    live(scenario)


def test_a_circle_over_the_maintainers_own_notes_is_refused(live: Live) -> None:
    async def scenario(world: Any) -> None:
        keeper = world.agent("m-1")
        await keeper.call("kg_read", maintenance=True)
        for name in ("rule-a", "rule-b"):
            await keeper.put(name, f"{name}.", "user")
        await keeper.put("note-c", "A note.", "maintain", derived_from=["user:rule-a"])
        await keeper.call("kg_put_edge", from_="user:rule-b", rel=DERIVED_FROM, to="note-c", level="maintain")
        await world.restart()
        writer = world.agent("s-1")
        refusal = await writer.refused("kg_put_edge", from_="rule-a", rel=DERIVED_FROM, to="rule-b", level="user")
        assert "user:rule-a --derived-from--> user:rule-b --derived-from--> maintain:note-c" in refusal

    live(scenario)


def test_a_locked_lesson_keeps_its_kind(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await chain(writer, "claim-one")
        memory = world.service._memory
        locked = replace(graph(world).nodes["claim-one"], locked=True)
        await memory.commit(Write(by="person", at=1, changes=(Change(graph=SHOP, nodes={"claim-one": locked}),)))
        await writer.put("case-one", SLOW)
        await writer.call("kg_put_edge", from_="claim-one", rel=DERIVED_FROM, to="case-one")
        assert graph(world).nodes["claim-one"].kind is Kind.STATED

    live(scenario)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"derived_from": ["nobody-knows"]}, "There is no node 'nobody-knows'"),
        ({"derived_from": ["src/app.py"]}, "is a file; derived_from names lessons"),
        ({"derived_from": ["slow-imports"]}, "cannot be derived from itself"),
        ({"derived_from": ["case-one"], "kind": "stated"}, "leave out kind='stated'"),
        ({"observer": "x" * 200}, "at most 128 are kept"),
    ],
)
def test_evidence_that_is_none_is_refused(live: Live, more: dict[str, Any], sentence: str) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("case-one", SLOW)
        await writer.put("slow-imports", FAST)
        refusal = await writer.refused("kg_put_node", level="project", id="slow-imports", gist="Other.", **more)
        assert sentence in refusal
        assert graph(world).nodes["slow-imports"].gist == FAST

    live(scenario)


def test_a_file_concludes_nothing(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("case-one", SLOW)
        refusal = await writer.refused("kg_put_edge", from_="src/app.py", rel=DERIVED_FROM, to="case-one")
        assert "leads from a conclusion, which is a lesson" in refusal
        await writer.call("kg_put_edge", from_="case-one", rel=DERIVED_FROM, to="src/app.py")

    live(scenario)


def test_evidence_is_added_to_what_is_there_and_written_once(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("case-one", SLOW)
        await writer.put("case-two", "Another case.")
        await writer.put("slow-imports", FAST, derived_from=["case-one"])
        assert await writer.put("slow-imports", FAST, derived_from=["case-two"]) == (
            "Saved what 'slow-imports' rests on: 1 more."
        )
        before = world.service._memory.store.sequence
        assert "nothing was written" in await writer.put("slow-imports", FAST, derived_from=["case-two", "case-one"])
        assert world.service._memory.store.sequence == before
        assert len(rests(world)) == 2

    live(scenario)


def test_a_rename_to_a_name_that_evidence_has_already_closes_no_circle(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await chain(writer, "upper-claim", "lower-claim")
        dormant = Edge(source="lower-claim", rel=DERIVED_FROM, target="gone-claim")
        change = Change(graph=SHOP, edges={dormant.key: dormant})
        await world.service._memory.commit(Write(by="edit", at=1, changes=(change,)))
        refusal = await writer.refused("kg_rename_node", old_id="upper-claim", new_id="gone-claim")
        assert "gone-claim --derived-from--> lower-claim --derived-from--> gone-claim" in refusal
        await writer.call("kg_rename_node", old_id="upper-claim", new_id="higher-claim")
        assert ("higher-claim", "lower-claim") in rests(world)

    live(scenario)


NAMES = ["aa-one", "bb-two", "cc-three"]
STEPS = st.tuples(
    st.sampled_from(["edge", "edge", "edge", "put", "rename", "delete", "unrelate"]),
    st.sampled_from(["user", "project"]),
    st.sampled_from([*NAMES, *(f"user:{name}" for name in NAMES)]),
    st.sampled_from([*NAMES, *(f"user:{name}" for name in NAMES)]),
)


def test_no_tool_ever_leaves_a_circle(live: Live) -> None:
    @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(STEPS, max_size=20))
    def check(steps: list[tuple[str, str, str, str]]) -> None:
        async def scenario(world: Any) -> None:
            agent = world.agent("s-1")
            for level in ("user", "project"):
                for name in NAMES:
                    await agent.put(name, f"{name}.", level)
            for action, level, one, other in steps:
                match action:
                    case "put":
                        name = one.removeprefix("user:")
                        await agent.reply("kg_put_node", level=level, id=name, gist=f"{name}.", derived_from=[other])
                    case "edge":
                        await agent.reply("kg_put_edge", from_=one, rel=DERIVED_FROM, to=other, level=level)
                    case "rename":
                        await agent.reply("kg_rename_node", old_id=one, new_id=other, level=level)
                    case "delete":
                        await agent.reply("kg_delete_node", id=one, level=level)
                    case _:
                        await agent.reply("kg_delete_edge", from_=one, rel=DERIVED_FROM, to=other, level=level)
            levels = {key: graph(world, key) for key in (USER, SHOP) if key in world.service._memory.loaded}
            for key, level in levels.items():
                for node_id in level.nodes:
                    place = Place(key, node_id)
                    assert not any(circle(place, step.place, levels) for step in premises(place, levels))

        live(scenario)

    check()


async def zebras(writer: Any) -> None:
    """A conclusion that says little of what is asked, with a premise, and one below that."""
    await writer.put("oldest-case", "A first look at the matter.")
    await writer.put("zebra-case", SLOW, derived_from=["oldest-case"])
    await writer.put("imports-and-index", FAST, derived_from=["zebra-case"])


def test_a_search_goes_as_deep_as_it_is_told(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await zebras(writer)
        reader = world.agent("s-2")
        shown = {}
        for depth in ("explicit", "derived", "premises", "ancestry"):
            text = await reader.call("kg_search", query="nightly growing", depth=depth)
            shown[depth] = {name for name in ("imports-and-index", "zebra-case", "oldest-case") if f"  {name}" in text}
            assert "Depth" not in text
        assert shown == {
            "explicit": set(),
            "derived": {"imports-and-index"},
            "premises": {"imports-and-index", "zebra-case"},
            "ancestry": {"imports-and-index", "zebra-case", "oldest-case"},
        }

    live(scenario)


def test_auto_says_what_it_chose_and_why_where_there_is_a_conclusion(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await zebras(writer)
        await writer.put("walnut-shelf", "The walnut shelf is full.")
        reader = world.agent("s-2")
        text = await reader.call("kg_search", query="nightly imports slow index")
        assert "Depth premises: 'imports-and-index', the best match, is a conclusion." in text
        assert "  imports-and-index: " in text
        assert "[project, derived]" in text
        assert "    imports-and-index --derived-from--> zebra-case" in text
        assert "Depth" not in await reader.call("kg_search", query="walnut")
        asked = await reader.call("kg_search", query="walnut", depth="auto")
        assert "Depth explicit: nothing that was found is a conclusion." in asked

    live(scenario)


def test_a_premise_that_does_not_hold_is_told_of_and_not_shown(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await zebras(writer)
        await writer.put("zebra-case", SLOW, status="retracted")
        text = await world.agent("s-2").call("kg_search", query="nightly", depth="ancestry")
        assert "zebra-case" not in text
        assert "leaves out by status, level, tag or view: 1." in text
        everything = ["current", "retracted"]
        text = await world.agent("s-3").call("kg_search", query="nightly", depth="premises", statuses=everything)
        assert "  zebra-case (retracted): " in text

    live(scenario)


def test_what_was_not_asked_for_connects_no_hits_either(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("zebra-one", "Zebra the first.")
        await writer.put("zebra-two", "Zebra the second.")
        await writer.put("bridge-idea", "Between them.", status="proposed")
        for end in ("zebra-one", "zebra-two"):
            await writer.call("kg_put_edge", from_="bridge-idea", rel="joins", to=end)
        assert "bridge-idea" not in await writer.call("kg_search", query="zebra")
        everything = ["current", "proposed"]
        assert "bridge-idea" in await writer.call("kg_search", query="zebra", statuses=everything)

    live(scenario)


def test_whose_view_a_lesson_is_is_kept_shown_and_asked_for(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("zebra-liked", "Zebra crossings are liked.", observer="Ada", observed="Bob")
        await writer.put("zebra-seen", "Zebra crossings are seen.")
        read = await world.agent("s-2").call("kg_read", ids=["zebra-liked"])
        assert "observer: Ada" in read
        assert "observed: Bob" in read
        for narrowed in ({"observer": "Ada"}, {"observed": "Bob"}, {"observer": "Ada", "observed": "Bob"}):
            text = await world.agent("s-3").call("kg_search", query="zebra", **narrowed)
            assert "zebra-liked" in text
            assert "zebra-seen" not in text
        assert "Nothing matches" in await writer.call("kg_search", query="zebra", observer="Bob")
        await writer.put("zebra-liked", "Zebra crossings are liked.", observer="")
        assert graph(world).nodes["zebra-liked"].observer == ""
        assert graph(world).nodes["zebra-liked"].observed == "Bob"

    live(scenario)


def test_documents_are_nobodys_view() -> None:
    call: Any = SimpleNamespace(durable=Levels(user=Graph(key=USER)))
    assert question(Search(query="zebra"), call).documents > 0
    assert question(Search(query="zebra", observer="Ada"), call).documents == 0
    assert question(Search(query="zebra", observed="Ada"), call).documents == 0


def test_the_command_line_goes_as_deep(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await zebras(world.agent("s-1"))
        cwd = world.folder("shop")
        found = await world.service.search(cwd, "nightly imports slow index")
        assert found["depth"] == "premises"
        assert [node["id"] for node in found["nodes"]] == ["imports-and-index", "zebra-case"]
        assert [node["id"] for node in found["premises"]] == ["oldest-case"]
        assert found["reason"] in found["text"]
        assert (await world.service.search(cwd, "nightly", depth="explicit"))["nodes"] == []
        deep = await world.service.search(cwd, "nightly", depth="ancestry")
        assert [(each["from"], each["to"]) for each in deep["evidence"]] == [
            ("imports-and-index", "zebra-case"),
            ("zebra-case", "oldest-case"),
        ]
        with pytest.raises(Exception, match="no depth 'deeper'"):
            await world.service.search(cwd, "nightly", depth="deeper")

    live(scenario)
