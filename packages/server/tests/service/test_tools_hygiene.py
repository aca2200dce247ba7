"""What a client sends is clean before it is stored, and what a hand wrote is clean before it is shown."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kg_core.model import USER, Change, Node
from kg_core.store import Write
from kg_server.tools.catalogue import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path
    from typing import Any

    from kg_plugin_api import SearchItem

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

KEY = "".join(("AK", "IA", "Q3EGRJ4XVZ7LMN2P"))
TOKEN = "".join(("gh", "p_", "a1B2" * 9))
CACHE = "Cache keys include the tenant."


def graph(world: Any, key: str = "project:shop") -> Any:
    return world.service._memory.durable(key)


def on_disk(world: Any, needle: str) -> list[Path]:
    """The files of the memory that hold a text."""
    files = [path for path in (world.root / ".kg").rglob("*") if path.is_file()]
    assert files
    return [path for path in files if needle.encode() in path.read_bytes()]


def test_no_secret_reaches_the_disk_the_index_or_a_reply_by_any_field(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        replies = [
            await writer.put("cache-key", f"The key {KEY} opens it.", notes=[f"was {TOKEN}"]),
            await writer.put(f"uses-{KEY}", CACHE, touches=[f"src/{KEY}.py"], tags=[KEY], level="user"),
            await writer.call("kg_put_edge", from_="cache-key", rel=KEY, to="src/a.py", notes=[f"by {KEY}"]),
            await writer.call("kg_put_edge", from_="cache-key", rel="in", to=f"src/{KEY}"),
            await writer.call("kg_rename_node", old_id="cache-key", new_id=KEY),
            await writer.call("kg_progress", task_id="move", state=json.dumps({"key": KEY, "next": ["b", TOKEN]})),
            await writer.call("kg_progress", task_id=KEY, state="half way"),
        ]
        for reply in replies:
            assert "Warning: what looks like a secret" in reply
            assert "aws access key" in reply
        assert "(gist: aws access key; notes: github token)" in replies[0]
        assert "(from:" not in replies[2]
        assert "(to: aws access key)" in replies[3]
        assert await writer.call("kg_progress", task_id="move") == (
            await world.agent("s-2").call("kg_progress", task_id="move")
        )
        found = await writer.call("kg_search", query="opens")
        assert "The key [secret:aws-access-key] opens it." in found
        await world.restart()
        assert on_disk(world, KEY) == []
        assert on_disk(world, TOKEN) == []
        assert on_disk(world, "[secret:aws-access-key]") != []
        assert all(KEY not in reply and TOKEN not in reply for reply in [*replies, found])

    live(scenario)


def test_the_same_secret_sent_again_is_the_same_lesson(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE, notes=[f"was {TOKEN}"])
        again = await writer.put("cache-key", CACHE, notes=[f"was {TOKEN}"])
        assert "nothing was written" in again
        assert "Warning" in again

    live(scenario)


def test_what_only_talks_of_secrets_is_stored_as_it_was_said(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        gist = "There is no API key in the build: apiKey: import.meta.env.X."
        notes = ["since 3f786850e387550fdab836ed7e6dc881de23001b", "550e8400-e29b-41d4-a716-446655440000"]
        assert "Warning" not in await writer.put("build-keys", gist, notes=notes)
        assert graph(world).nodes["build-keys"].gist == gist
        assert graph(world).nodes["build-keys"].notes == tuple(notes)

    live(scenario)


def test_a_secret_that_a_hand_wrote_is_shown_to_no_model_and_indexed_nowhere(live: Live, monkeypatch: Any) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE)
        indexed: list[SearchItem] = []
        upsert = world.service._memory.index.upsert
        monkeypatch.setattr(world.service._memory.index, "upsert", lambda items: (indexed.extend(items), upsert(items)))
        caller = world.agent("s-4")
        await caller.start()
        node = Node(id="by-hand", gist=f"The vault opens with {KEY}.", notes=(f"and {TOKEN}",), created=world.clock())
        await world.service._memory.commit(
            Write(by="person", at=world.clock(), changes=(Change(graph=USER, nodes={"by-hand": node}),))
        )
        reader = world.agent("s-2")
        texts = [
            await reader.start(),
            await reader.prompt("how does the vault open?"),
            await writer.after_tool(),
            await world.agent("s-3").call("kg_read"),
            await reader.call("kg_read", ids=["by-hand"]),
            await reader.call("kg_search", query="vault opens"),
            (await world.service.preview("hooked", reader.cwd)).text,
            await caller.call("kg_search", query="nothing of the kind"),
        ]
        assert sum("[secret:aws-access-key]" in text for text in texts) >= 6
        assert "[secret:aws-access-key]" in texts[-1]
        assert all(KEY not in text and TOKEN not in text for text in texts)
        assert {item.id for item in indexed} == {"by-hand"}
        assert "[secret:aws-access-key]" in indexed[0].gist
        assert KEY not in repr(indexed)
        assert TOKEN not in repr(indexed)

    live(scenario)


def test_every_text_that_a_tool_takes_is_stored_clean_or_only_looked_up() -> None:
    looked_up = {
        "kg_put_node": {"level", "status", "kind"},
        "kg_put_edge": {"level"},
        "kg_rename_node": {"level", "old_id"},
        "kg_delete_node": {"level", "id"},
        "kg_delete_edge": {"level", "source", "rel", "target"},
        "kg_useful": {"level", "ids", "credits"},
        "kg_progress": {"level"},
    }
    for tool in TOOLS.values():
        if not tool.read_only:
            known = {"session_id", *tool.texts, *tool.names, *looked_up[tool.name]}
            assert set(tool.arguments.model_fields) - known == set(), tool.name


def test_a_long_node_is_looked_through_in_slices() -> None:
    import asyncio

    from kg_server.tools.hygiene import without_secrets
    from kg_server.tools.put_node import PutNode

    async def main() -> None:
        turns = 0

        async def others() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        other = asyncio.create_task(others())
        notes = tuple(f"{n} {'x' * 7_000}" for n in range(40))
        arguments = PutNode(level="user", id="big", gist="A big one.", notes=(*notes, f"x {KEY}"))
        clean, found = await without_secrets(TOOLS["kg_put_node"], arguments)
        other.cancel()
        assert turns > 10
        assert [tuple(each) for each in found] == [("aws-access-key", "notes")]
        assert clean.notes[:-1] == notes
        assert not clean.sent("touches")
        assert replace(Node(id="a", gist="b"), notes=clean.notes).notes[-1] == "x [secret:aws-access-key]"

    asyncio.run(main())


def test_a_new_lesson_that_says_what_another_says_is_told_so(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put(
            "webhook-signature-raw-body", "Verify the webhook signature over the raw body, before parsing."
        )
        other = world.agent("s-2")
        again = "Check a webhook signature against the raw body, not after parsing."
        text = await other.put("webhook-check", again)
        assert text.startswith("Saved 'webhook-check' (project).")
        assert "'webhook-signature-raw-body' seems to say the same" in text
        assert "seems to say" not in await other.put("webhook-check", f"{again} Always.")
        assert "seems to say" not in await other.put("log-format", "Logs are JSON lines with the request's id.")
        await world.restart()
        await writer.call("kg_search", query="webhook")
        await writer.call("kg_delete_node", id="webhook-check")
        assert "seems to say the same" in await writer.put("webhook-once-more", again)

    live(scenario)


@pytest.mark.parametrize("end", ["", ".", "!", " "])
def test_a_gist_that_is_repeated_in_a_remark_ends_before_the_next_sentence(live: Live, end: str) -> None:
    async def scenario(world: Any) -> None:
        gist = "Retries of the payment worker need random jitter"
        await world.agent("s-1").put("retry-jitter", gist + end)

        text = await world.agent("s-2").put("payment-retries", gist)

        assert f"'retry-jitter' seems to say the same: {gist}{end.strip() or '.'} If it does, add" in text

    live(scenario)


def test_a_new_lesson_about_what_has_a_name_is_told_the_name(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("checkout-service", "The service that takes orders.")
        await writer.call("kg_put_edge", from_="checkout-service", rel="implemented-in", to="src/checkout.py")
        for number in range(6):
            await writer.put(f"case-{number}", f"Checkout broke in case{number} for reason{number}.")
        for number in range(25):
            await writer.put(f"lesson-{number}", f"Claim {number} about subject{number}.")
        text = await writer.put("promo-codes", "Promo codes are applied by the checkout, not the cart.")
        assert "the graph already names 'checkout': 'checkout-service'" in text
        assert "already names" not in await writer.put("tax-rules", "Taxes are computed by the ledger.")

    live(scenario)


def test_a_move_between_tiers_looks_through_no_text_again(live: Live, monkeypatch: Any) -> None:
    async def scenario(world: Any) -> None:
        from kg_core.model import Tier, Use
        from kg_server import memory

        await world.agent("s-1").put("cache-key", CACHE)
        await world.agent("s-1").call("kg_search", query="tenant")
        monkeypatch.setattr(memory, "scrub_node", lambda _: 1 / 0)
        change = Change(graph="project:shop", use={"cache-key": Use(tier=Tier.ARCHIVED)})
        await world.service._memory.commit(Write(by="kg", at=world.clock(), changes=(change,)))
        assert "[project, archived]" in await world.agent("s-1").call("kg_search", query="tenant")

    live(scenario)
