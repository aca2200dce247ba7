"""What kg leaves behind when its packages are removed without taking it off the clients first: nothing that is seen."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from .clients import client
from .machine import Machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from .claude import Claude
    from .codex import Codex
    from .copilot import Copilot
    from .network import Loopback

pytestmark = [pytest.mark.acceptance, pytest.mark.slow]

OURS = ("kg-harness-claude", "kg-harness-codex", "kg-harness-copilot", "kg-server", "kg-core", "kg-plugin-api")


@pytest.fixture
def installed(fresh: Callable[..., Path]) -> Path:
    """The ``bin`` folder of an environment into which the wheels were installed."""
    return fresh("kg-harness-claude", "kg-harness-codex", "kg-harness-copilot")


@pytest.fixture
def machine(tmp_path: Path, network: Loopback, installed: Path) -> Iterator[Machine]:
    """A machine whose ``kg`` comes from wheels."""
    found = Machine(tmp_path, network, (client("claude"), client("codex")))
    found._path = f"{tmp_path / 'bin'}:{installed}:/usr/local/bin:/usr/bin:/bin"
    yield found
    if (installed / "kg").exists():
        found.stop()


@pytest.mark.parametrize("how", ["packages", "environment"])
def test_clients_that_are_still_connected_run_as_if_kg_had_never_been_there(
    machine: Machine,
    claude: Claude,
    codex: Codex,
    copilot: Copilot,
    installed: Path,
    run: Callable[..., str],
    tool_environ: dict[str, str],
    how: str,
) -> None:
    machine.setup()
    folder = machine.repository()
    claude.run("Hello with kg.", folder)
    codex.run("Hello with kg.", folder)
    copilot.run("Hello with kg.", folder)
    models = (claude.model, codex.model, copilot.model)
    assert all("kg_" in str(model.asked()[0].body) for model in models)
    machine.stop()
    if how == "packages":
        run([str(installed / "pip"), "uninstall", "--quiet", "--yes", *OURS], tool_environ)
    else:
        shutil.rmtree(installed.parent)
    assert not (installed / "kg").exists()
    told = [len(model.asked()) for model in models]

    seen = claude.run("Hello without kg.", folder)
    codex.run("Hello without kg.", folder)
    copilot.run("Hello without kg.", folder)

    hooks = [event for event in seen.events if "hook" in str(event.get("subtype", ""))]
    assert hooks, "the hooks of kg are still registered"
    assert not [hook for hook in hooks if hook.get("exit_code") not in {None, 0} or hook.get("stderr")], hooks
    assert not [hook for hook in hooks if hook.get("outcome") not in {None, "success"}], hooks
    for model, before in zip(models, told, strict=True):
        asked = model.asked()[before:]
        assert asked
        assert all("kg-memory" not in request.since(model.asked()[0]) for request in asked)
