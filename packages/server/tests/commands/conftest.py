"""The ``kg`` command in this process, on the memory of the test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kg_server.cli.group import run_command

if TYPE_CHECKING:
    from collections.abc import Callable

    from kg_core.store import Home


@pytest.fixture
def kg(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs a command: exit code, standard output, standard error."""
    monkeypatch.setenv("KG_HOME", str(home.root))

    def run(*arguments: str) -> tuple[int, str, str]:
        code = run_command(arguments)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run
