"""What each harness states of its client, beside what was measured of the real one.

A text beyond a limit is not shortened by the client but hidden: the model sees a preview and a file name, or nothing.
That the real clients are as it stands here is seen by the acceptance tests, which not every machine can run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kg_harness_antigravity import ANTIGRAVITY
from kg_harness_claude import CLAUDE
from kg_harness_codex import CODEX
from kg_harness_copilot import COPILOT
from kg_plugin_api import Carrier, Limit, Path, Queued, StartContext, Unit

if TYPE_CHECKING:
    from kg_plugin_api import Harness

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


@pytest.mark.parametrize(
    ("harness", "start_context"),
    [
        (CLAUDE, StartContext.PERSISTS),
        (CODEX, StartContext.ACCUMULATES),
        (COPILOT, StartContext.REPLACED),
        (ANTIGRAVITY, StartContext.PERSISTS),
    ],
    ids=lambda value: value.name,
)
def test_what_becomes_of_a_start_text_is_what_the_client_does_with_it(
    harness: Harness, start_context: StartContext
) -> None:
    """Told again what it still holds, a resumed session holds it twice; not told again what is gone, not at all."""
    assert harness.start_context is start_context


HANDED_DOWN = {
    CLAUDE.name: ["ANTHROPIC_API_KEY", "CLAUDE_CODE_MESSAGING_TOKEN", "CLAUDECODE", "AI_AGENT"],
    CODEX.name: ["OPENAI_API_KEY", "CODEX_MANAGED_BY_NPM", "CODEX_HOME", "CODEX_SESSION_ID"],
    COPILOT.name: ["GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_API_KEY", "CLAUDE_PROJECT_DIR", "GIT_CONFIG_COUNT"],
    ANTIGRAVITY.name: ["ANTIGRAVITY_CONVERSATION_ID", "GEMINI_API_KEY"],
}
"""What a client gives to the programs that it starts, keys and tokens among it."""


@pytest.mark.parametrize("harness", [CLAUDE, CODEX, COPILOT, ANTIGRAVITY], ids=lambda harness: harness.name)
def test_a_server_for_all_agents_keeps_nothing_of_the_one_that_started_it(harness: Harness) -> None:
    kept = [name for name in HANDED_DOWN[harness.name] if not name.startswith(harness.environment_to_strip)]

    assert kept == []
    assert not any("KG_HOME".startswith(prefix) or "PATH".startswith(prefix) for prefix in harness.environment_to_strip)
