"""What each harness states of its client's limits, beside what was measured of the real client.

A text beyond a limit is not shortened by the client but hidden: the model sees a preview and a file name, or nothing.
That the real clients keep what is measured here is seen by the acceptance tests, which not every machine can run.
"""

from __future__ import annotations

import pytest

from kg_harness_antigravity import ANTIGRAVITY
from kg_harness_claude import CLAUDE
from kg_harness_codex import CODEX
from kg_harness_copilot import COPILOT
from kg_plugin_api import Carrier, Limit, Path, Queued, Unit

KEPT = {
    # Of one hook's text, and of a tool's result whose ``_meta`` asks for the most that can be asked for.
    CLAUDE.name: (CLAUDE, Limit(10_000, Unit.UTF16), Limit(500_000, Unit.UTF16)),
    # Of one hook's text; all that a script of a current model may print of the results that it asked for.
    CODEX.name: (CODEX, Limit(10_000, Unit.BYTES), Limit(40_000, Unit.BYTES)),
    # After a tool, which is the narrowest of its events; a result is cut beyond 20 KiB.
    COPILOT.name: (COPILOT, Limit(10_240, Unit.UTF16), Limit(20_480, Unit.BYTES)),
}


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("carrier", list(Carrier))
def test_no_text_is_longer_than_what_the_client_keeps(name: str, carrier: Carrier) -> None:
    harness, hook, result = KEPT[name]
    kept = {Path.PRELOAD: hook, Path.EVENT: hook, Path.READ: result, Path.TOOL: result}

    stated = {path: harness.limit(path, carrier) for path in kept}

    for path, limit in stated.items():
        assert limit is not None, path
        assert limit.unit is kept[path].unit, path
        assert limit.maximum <= kept[path].maximum, path


def test_what_claude_code_is_asked_to_keep_is_what_it_is_sent_at_most() -> None:
    read = CLAUDE.limit(Path.READ, Carrier.MCP)

    assert read is not None
    assert CLAUDE.tool_meta["*"]["anthropic/maxResultSizeChars"] == read.maximum


def test_codex_keeps_whole_results_of_any_model() -> None:
    """Of a tool without a limit of its own it keeps 11,960 bytes for a model that it does not know."""
    caller = CODEX.dialect.caller({"x-codex-turn-metadata": {"session_id": "s", "model": "some-other-model"}})

    assert caller.read_limit is not None
    assert caller.read_limit.unit is Unit.BYTES
    assert caller.read_limit.maximum <= 11_960


def test_antigravity_is_sent_nothing_that_it_would_put_into_a_file() -> None:
    """A message of 40,000 bytes arrives whole; of a result of a tool that is loaded lazily, 4,096 characters do."""
    assert isinstance(ANTIGRAVITY.delivery, Queued)
    assert ANTIGRAVITY.delivery.packet.unit is ANTIGRAVITY.delivery.inline.unit is Unit.BYTES
    assert ANTIGRAVITY.delivery.packet.maximum <= 40_000
    assert ANTIGRAVITY.delivery.inline.maximum <= 4_096
