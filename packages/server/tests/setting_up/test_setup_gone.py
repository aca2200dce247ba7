"""What the shim's command answers once kg is gone, so that a client which still names it reports no failed server."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from kg_core.store import Home
from kg_server.setup import launch

if TYPE_CHECKING:
    from pathlib import Path


SHELLS = [shell for shell in ("sh", "dash", "bash") if shutil.which(shell)]


@pytest.fixture(params=SHELLS)
def gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> tuple[str, ...]:
    monkeypatch.setattr(launch, "carrier_script", lambda: tmp_path / "gone" / "run.py")
    _, *rest = launch.shim(Home(tmp_path / "it's home"), "claude")
    return (str(shutil.which(request.param)), *rest)


def talk(command: tuple[str, ...], *lines: str) -> list[dict[str, Any]]:
    done = subprocess.run(
        command,
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=30,
    )
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_it_is_a_server_without_tools(gone: tuple[str, ...]) -> None:
    hello, listed, called = talk(
        gone,
        '{"method":"initialize","params":{"protocolVersion":"2025-11-25"},"jsonrpc":"2.0","id":0}',
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        '{"jsonrpc":"2.0","id":"a-1","method":"tools/list"}',
        '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"kg_event","arguments":{}}}',
    )

    assert hello["id"] == 0
    assert hello["result"]["serverInfo"]["name"] == "kg"
    assert (listed["id"], listed["result"]) == ("a-1", {"tools": []})
    assert (called["id"], called["result"]) == (7, {"content": [{"type": "text", "text": ""}]})


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": "), (" ,\t", " : ")])
@pytest.mark.parametrize("identity", [0, -3, 12, "a-1", "été"])
@pytest.mark.parametrize("id_comes", ["first", "last"])
def test_it_answers_whatever_spacing_and_order_a_client_writes(
    gone: tuple[str, ...], separators: tuple[str, str], identity: object, id_comes: str
) -> None:
    inner = {"id": "other", "method": "ping", "rest": [{"id": 99, "method": "initialize"}, '}{"\\']}
    rest = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "kg_event", "arguments": inner}}
    message = {"id": identity, **rest} if id_comes == "first" else {**rest, "id": identity}

    (answer,) = talk(gone, f"  {json.dumps(message, ensure_ascii=False, separators=separators)}\r")

    assert answer == {"jsonrpc": "2.0", "id": identity, "result": {"content": [{"type": "text", "text": ""}]}}


def test_what_the_client_answers_itself_and_what_has_no_id_is_left_alone(gone: tuple[str, ...]) -> None:
    assert (
        talk(gone, '{"jsonrpc":"2.0","id":1,"result":{"id":2,"method":"ping"}}', '{"method":"ping","x":{"id":1}}') == []
    )


def test_a_client_that_puts_its_environment_into_settings_changes_nothing(gone: tuple[str, ...]) -> None:
    names = set(re.findall(r"\$\{?(\w+)", gone[-1]))

    assert all(name.startswith("kg_") for name in names)
    assert "${" not in gone[-1]


def test_a_request_that_it_does_not_know_gets_an_error_and_what_is_no_request_nothing(gone: tuple[str, ...]) -> None:
    (unknown,) = talk(gone, "", "junk", "[]", '{"jsonrpc":"2.0","id":1,"method":"server/discover"}')

    assert (unknown["id"], unknown["error"]["code"]) == (1, -32601)


@pytest.mark.parametrize(
    "prompt",
    ['say "id":9 and "method":"initialize"', "%s %n \\ $(touch x) `touch x` ${HOME}", "x" * 200_000, "été 🎉\n'"],
)
def test_what_a_person_types_is_neither_run_nor_taken_for_a_request(
    gone: tuple[str, ...], prompt: str, tmp_path: Path
) -> None:
    params = {"name": "kg_event", "arguments": {"payload": {"session_id": "s", "prompt": prompt}}}
    message = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params}

    (answer,) = talk(gone, json.dumps(message, ensure_ascii=False, separators=(",", ":")))

    assert (answer["id"], list(answer["result"])) == (3, ["content"])
    assert not (tmp_path / "x").exists()


def test_it_ends_with_its_client(gone: tuple[str, ...]) -> None:
    assert talk(gone) == []
