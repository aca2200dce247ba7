"""A missing client is said with the one command that brings it; where the clients are required it is a failure."""

from __future__ import annotations

from pathlib import Path

import pytest

from .clients import HOW, client

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _nothing_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLAUDE_BIN", "CODEX_BIN", "COPILOT_BIN", "KG_REQUIRE_CLIENTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KG_CLIENTS_DIR", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.parametrize("name", ["claude", "codex", "copilot"])
def test_a_missing_client_is_skipped_with_the_command_that_brings_it(name: str) -> None:
    with pytest.raises(pytest.skip.Exception, match=HOW):
        client(name)


def test_a_missing_client_fails_where_clients_are_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KG_REQUIRE_CLIENTS", "1")

    with pytest.raises(pytest.fail.Exception, match=HOW):
        client("claude")


def test_the_command_is_there() -> None:
    assert (ROOT / HOW.removeprefix("bash ")).is_file()


def test_a_client_is_found_where_the_command_puts_it_unless_another_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brought = tmp_path / "node_modules" / "@anthropic-ai" / "claude-code-linux-x64" / "claude"
    brought.parent.mkdir(parents=True)
    brought.touch()
    assert client("claude") == brought

    monkeypatch.setenv("CLAUDE_BIN", "/opt/claude")
    assert client("claude") == Path("/opt/claude")
