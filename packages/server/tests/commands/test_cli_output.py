"""What a command says, and how it ends, whose output cannot be written, or that nobody reads to its end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kg_server.cli.group import COMMANDS, Listing, root

if TYPE_CHECKING:
    from collections.abc import Iterator

    import click

    from kg_core.store import Home

FULL = Path("/dev/full")
TO_FULL = pytest.param(f'exec "$@" >{FULL}', id="full", marks=pytest.mark.skipif(not FULL.exists(), reason="no device"))
TO_NOTHING = pytest.param('exec "$@" >&-', id="closed")
UNHEARD = [
    pytest.param(f'"$@" 2>{FULL}', id="full", marks=pytest.mark.skipif(not FULL.exists(), reason="no device")),
    pytest.param('"$@" 2>&-', id="closed"),
]
PING = """echo '{"jsonrpc": "2.0", "id": 1, "method": "ping"}' | """


def run(home: Home, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What a shell says that runs a command, which the script calls ``"$@"``."""
    command = ["/bin/sh", "-c", script, "sh", sys.executable, "-P", "-m", "kg_server", *arguments]
    environ = {**os.environ, "KG_HOME": str(home.root)}
    return subprocess.run(
        command, env=environ, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=60, check=False
    )


def commands(group: Listing, *above: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """All commands below a group, each with its words."""
    for name in COMMANDS if group is root else group.commands:
        command = group.get_command(None, name)
        if isinstance(command, Listing):
            yield from commands(command, *above, name)
        elif command is not None:
            yield (*above, name), command


def failing(words: tuple[str, ...], command: click.Command) -> list[str]:
    """A command line for a memory that cannot be there, with what the command cannot do without."""
    needed = [each for each in command.params if each.required and each.param_type_name == "argument"]
    agreed = ["--yes"] if any("--yes" in each.opts for each in command.params) else []
    return [*words, *("nothing" for _ in needed), *agreed, "--json", "--home", "/" + "d" * 300]


FAILING = [
    pytest.param(failing(words, command), id=" ".join(words))
    for words, command in commands(root)
    if any("--json" in each.opts for each in command.params) and words != ("status",)  # which answers that, too
]


@pytest.mark.parametrize("arguments", FAILING)
def test_a_command_that_fails_prints_no_json_and_says_why_as_it_does_without(kg, monkeypatch, arguments) -> None:
    monkeypatch.chdir("/")

    code, out, err = kg(*arguments)

    assert (code in {1, 2, 3}, out) == (True, "")
    *_, last = err.splitlines()
    assert last.startswith("Error: ")
    assert "report" not in last
    assert kg(*(word for word in arguments if word != "--json"))[::2] == (code, err)


@pytest.mark.parametrize("script", [TO_FULL, TO_NOTHING])
@pytest.mark.parametrize("arguments", [(), ("--help",), ("version",), ("plugins", "--json"), ("doctor",)])
def test_a_command_whose_output_cannot_be_written_says_so_and_fails(
    home: Home, script: str, arguments: tuple[str, ...]
) -> None:
    done = run(home, script, *arguments)

    assert done.returncode == 1
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith("Error: Standard output ")
    assert "report" not in sentence
    assert not (home.state / "command-error.log").exists()


@pytest.mark.parametrize(("closed", "name"), [(">&-", "output"), ("<&-", "input")])
def test_a_shim_without_input_or_output_serves_nobody_and_says_so(home: Home, closed: str, name: str) -> None:
    done = run(home, f'exec "$@" {closed}', "mcp", "--harness", "claude")

    assert done.returncode == 1
    assert done.stderr == f"Error: Standard {name} is closed; there is nobody to serve.\n"


@pytest.mark.skipif(not FULL.exists(), reason="no device")
def test_a_shim_that_cannot_answer_its_client_says_so_and_fails(served: Any) -> None:
    done = run(served.home, f'{PING} "$@" >{FULL}', "mcp", "--harness", "plain")

    assert done.returncode == 1
    assert done.stderr == (
        "Error: Standard output cannot be written (No space left on device); the client got no answer.\n"
    )
    assert run(served.home, f'{PING} "$@" | true', "mcp", "--harness", "plain").stderr == ""


@pytest.mark.parametrize("script", UNHEARD)
@pytest.mark.parametrize(
    ("arguments", "code"), [(("nonsense",), 2), (("mcp",), 2), (("merge-driver", "a", "b", "c"), 3), (("version",), 0)]
)
def test_a_command_that_cannot_say_what_failed_still_ends_with_its_own_code(
    home: Home, script: str, arguments: tuple[str, ...], code: int
) -> None:
    assert run(home, script, *arguments).returncode == code


@pytest.mark.parametrize("script", UNHEARD)
def test_a_shim_that_cannot_say_anything_on_standard_error_answers_its_client(served: Any, script: str) -> None:
    done = run(served.home, f"{PING} {script}", "mcp", "--harness", "plain")

    assert (done.returncode, json.loads(done.stdout)["result"]) == (0, {})


def test_a_shim_that_is_started_wrongly_says_what_is_missing(home: Home) -> None:
    done = run(home, 'exec "$@"', "mcp")

    assert done.returncode == 2
    assert done.stderr == "Error: --harness NAME is missing. `kg mcp --help` says how it is started.\n"


@pytest.mark.parametrize("arguments", [("--help",), ("plugins", "--json")])
def test_a_reader_who_has_read_enough_is_told_nothing(home: Home, arguments: tuple[str, ...]) -> None:
    assert run(home, '"$@" | true', *arguments).stderr == ""
    assert run(home, '"$@" | head -1', *arguments).stderr == ""


def test_an_option_that_may_be_given_again_says_so() -> None:
    silent = [
        f"kg {' '.join(name)} {option.opts[0]}"
        for name, command in commands(root)
        for option in command.params
        if getattr(option, "multiple", False) and "may be given again" not in str(getattr(option, "help", ""))
    ]

    assert silent == []
