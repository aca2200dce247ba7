"""Whatever is written, lost, compacted and restarted in whatever order: no news is lost, and none is told twice.

A preload, which a session gets late when its first one was lost, and a full read show everything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

AGENTS = ("s-1", "s-2", "s-3")
NODES = ("one", "two", "three")

agents = st.sampled_from(AGENTS)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("put"), agents, st.sampled_from(NODES)),
        st.tuples(st.just("event"), agents, st.booleans()),
        st.tuples(st.just("compact"), agents, st.booleans()),
        st.tuples(st.just("read"), agents, st.booleans()),
        st.tuples(st.just("restart"), agents, st.none()),
    ),
    max_size=25,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps)
def test_no_news_is_lost_and_none_is_told_twice(live: Live, given_steps: list[tuple[str, str, Any]]) -> None:
    async def scenario(world: Any) -> None:
        everyone = {name: world.agent(name) for name in AGENTS}
        shown: dict[str, list[str]] = {name: [] for name in AGENTS}
        newest: dict[str, tuple[str, str]] = {}
        for agent in everyone.values():
            await agent.start()

        async def let(agent: Any, text: str) -> None:
            if agent.arrives:
                is_preload = "shared memory of all coding agents" in text
                for claim in claims(text):
                    assert is_preload or claim not in shown[agent.session], "told twice"
                    shown[agent.session].append(claim)

        for number, (what, name, detail) in enumerate(given_steps):
            agent = everyone[name]
            match what:
                case "put":
                    claim = f"Claim {number} about {detail}."
                    put = {"level": "project", "id": detail, "gist": claim}
                    reply = await agent.reply("kg_put_node", **put)
                    if reply.is_error:
                        shown[name] = [known for known in shown[name] if known not in claims(reply.text)]
                        await let(agent, reply.text)
                        reply = await agent.reply("kg_put_node", **put)
                    assert not reply.is_error
                    newest[detail] = (claim, name)
                    await let(agent, reply.text)
                case "event":
                    agent.arrives = detail
                    await let(agent, await agent.after_tool())
                    agent.arrives = True
                case "compact":
                    shown[name].clear()
                    agent.arrives = detail
                    await let(agent, await agent.start("compact"))
                    agent.arrives = True
                case "read":
                    agent.arrives = detail
                    text = await agent.call("kg_read")
                    if detail:
                        shown[name] = list(dict.fromkeys([*shown[name], *claims(text)]))
                    agent.arrives = True
                case "restart":
                    await world.restart()
        for name, agent in everyone.items():
            await let(agent, await agent.after_tool())
            assert await agent.after_tool() == ""
            for claim, author in newest.values():
                assert author == name or claim in shown[name], f"{name} was never told: {claim}"

    live(scenario)


def claims(text: str) -> list[str]:
    """The claims in a text, in order."""
    found = []
    for line in text.splitlines():
        start, end = line.find("Claim "), line.find(".")
        if start >= 0 and end > start:
            found.append(line[start : end + 1])
    return found
