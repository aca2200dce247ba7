"""The clients, the machine and the models of an acceptance test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .anthropic import Messages
from .claude import Claude
from .clients import client
from .codex import Codex
from .completions import Completions
from .copilot import Copilot
from .endpoint import Endpoint
from .machine import Machine
from .network import Loopback
from .openai import Responses

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def network() -> Iterator[Loopback]:
    loopback = Loopback()
    yield loopback
    loopback.close()


@pytest.fixture
def machine(tmp_path: Path, network: Loopback) -> Iterator[Machine]:
    """A machine with both clients on it."""
    machine = Machine(tmp_path, network, (client("claude"), client("codex")))
    yield machine
    machine.stop()


@pytest.fixture
def claude(machine: Machine, network: Loopback) -> Iterator[Claude]:
    endpoint = Endpoint(Messages(), network)
    yield Claude(machine, endpoint)
    endpoint.close()


@pytest.fixture
def codex(machine: Machine, network: Loopback) -> Iterator[Codex]:
    endpoint = Endpoint(Responses(), network)
    yield Codex(machine, endpoint)
    endpoint.close()


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where Copilot CLI unpacks itself, some hundred megabytes, once for all machines of a run."""
    return tmp_path_factory.mktemp("copilot")


@pytest.fixture
def copilot(machine: Machine, network: Loopback, unpacked: Path) -> Iterator[Copilot]:
    machine.bring(client("copilot"))
    endpoint = Endpoint(Completions(), network)
    yield Copilot(machine, endpoint, unpacked)
    endpoint.close()
