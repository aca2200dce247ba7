"""What a refusal repeats of a call: no secret, and no more than leaves room for what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kg_plugin_api import KgError
from kg_server.tools.arguments import parse
from kg_server.tools.put_node import PutNode

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

TOKEN = "".join(("gh", "p_", "a1B2" * 9))
CACHE = "Cache keys include the tenant."
MAP = '[[component]]\nslug = "cart"\nname = "Cart"\nresponsibility = "Sums up"\npaths = ["src/cart/**"]\n'

CALLS: list[tuple[str, dict[str, object]]] = [
    ("kg_read", {"ids": [TOKEN]}),
    ("kg_read", {"level": TOKEN}),
    ("kg_read", {TOKEN: "x"}),
    ("kg_search", {"query": "cache", "statuses": TOKEN}),
    ("kg_search", {"query": "cache", "depth": TOKEN}),
    ("kg_put_node", {"level": "project", "id": f"{TOKEN} !", "gist": "x"}),
    ("kg_put_node", {"level": "project", "id": f"user:{TOKEN}", "gist": "x"}),
    ("kg_put_node", {"level": "project", "id": "a", "gist": "x", "derived_from": [TOKEN]}),
    ("kg_put_node", {"level": "project", "id": "a", "gist": "x", "status": TOKEN}),
    ("kg_put_edge", {"from": TOKEN, "rel": "guards", "to": "cache-key"}),
    ("kg_put_edge", {"from": "cache-key", "rel": f"{TOKEN} !", "to": "src/a.py"}),
    ("kg_rename_node", {"old_id": TOKEN, "new_id": "b"}),
    ("kg_rename_node", {"old_id": "cache-key", "new_id": f"{TOKEN} !"}),
    ("kg_delete_node", {"id": TOKEN}),
    ("kg_delete_edge", {"from": TOKEN, "rel": "guards", "to": "cache-key"}),
    ("kg_delete_edge", {"from": "cache-key", "rel": TOKEN, "to": "cache-key"}),
    ("kg_useful", {"ids": [TOKEN]}),
    ("kg_progress", {"task_id": f"{TOKEN} !"}),
    ("kg_rules", {"path": f"/elsewhere/{TOKEN}"}),
    ("kg_rules", {"component": TOKEN}),
    (f"kg_{TOKEN}", {}),
    (f"{'x' * 80}-{TOKEN}", {}),
]


def test_no_refusal_repeats_a_secret_whatever_argument_it_was_sent_as(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        (world.root / "shop" / ".kg").mkdir(parents=True)
        (world.root / "shop" / ".kg" / "map.toml").write_text(MAP, encoding="utf-8")
        await writer.put("cache-key", CACHE)
        for tool, arguments in CALLS:
            text = await writer.refused(tool, **arguments)
            assert TOKEN[:12] not in text, (tool, arguments)
        without_hooks = world.agent("s-2", harness="mcp")
        for arguments in ({"session_id": TOKEN}, {"cwd": TOKEN}):
            assert "[secret:github-token]" in await without_hooks.refused("kg_read", **arguments)

    live(scenario)


def test_a_question_that_found_nothing_is_repeated_without_secrets_wherever_it_is_cut(live: Live) -> None:
    async def scenario(world: Any) -> None:
        for before in (0, 170, 190, 300):
            text = await world.agent("s-1").call("kg_search", query=f"{'x' * before} {TOKEN}")
            assert TOKEN[:8] not in text

    live(scenario)


def test_a_long_list_of_wrong_items_is_refused_in_few_words() -> None:
    with pytest.raises(KgError) as raised:
        parse("kg_put_node", PutNode, {"level": "user", "id": "x", "gist": "y", "notes": [1] * 500})

    assert "'notes.0' must be one text." in raised.value.sentence
    assert raised.value.sentence.endswith("Besides these: 495 faults.")
    assert len(raised.value.sentence) < 500
