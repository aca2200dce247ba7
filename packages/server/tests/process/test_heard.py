from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow


def test_the_last_event_of_each_harness_is_known_even_after_a_restart(start: Callable[..., Any]) -> None:
    first = start()
    assert first.health()["heard"] == {}
    first.event("claude", "UserPromptSubmit", session_id="s", cwd="/", prompt="hello")
    first.event("claude", "Nonsense", session_id="s")
    first.event("nobody", "UserPromptSubmit", session_id="s")
    heard = first.health()["heard"]
    assert list(heard) == ["claude"]
    assert heard["claude"]["event"] == "UserPromptSubmit"
    first.stop()

    assert start(first.home.root).health()["heard"] == heard


def test_a_damaged_record_of_arrivals_is_an_empty_one(start: Callable[..., Any]) -> None:
    first = start()
    first.stop()
    for damaged in ("", "[]", "{", '{"claude": 1}', '{"claude": {"native": "x", "at": "y"}}'):
        (first.home.state / "heard.json").write_text(damaged, encoding="utf-8")
        again = start(first.home.root)
        assert again.health()["heard"] == {}
        again.stop()
