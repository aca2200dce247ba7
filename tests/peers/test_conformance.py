"""The official conformance suite of the Model Context Protocol."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kg_core.host import Plugins
from kg_core.store import Home, Settings
from kg_server.service import Service

from .open_app import Served
from .reference_tools import ReferenceTools

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kg_server.interface import MemoryService

pytestmark = pytest.mark.acceptance

HOW = "bash .ci/clients"
PRODUCT = ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"]
DISPATCHER = ["tools-call-simple-text", "tools-call-error", "json-schema-2020-12"]


@pytest.fixture(scope="module")
def suite() -> list[str]:
    """The command of the suite, with the Node that it needs."""
    brought = Path(os.environ["KG_CLIENTS_DIR"]) / "node_modules"
    command = [
        brought / "node" / "bin" / "node",
        brought / "@modelcontextprotocol" / "conformance" / "dist" / "index.js",
    ]
    if not all(part.exists() for part in command):
        missing = f"the conformance suite is not here; this brings it: {HOW}"
        if os.environ.get("KG_REQUIRE_CLIENTS") == "1":
            pytest.fail(missing)
        pytest.skip(missing)
    return [str(part) for part in command]


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The whole product: its application around its memory."""
    home = Home(tmp_path_factory.mktemp("home"))

    async def opened() -> MemoryService:
        return await Service.open(
            home,
            clock=lambda: time.time_ns() // 1_000_000,
            plugins=Plugins.of(),
            settings=Settings.load(home),
            version="0",
        )

    served = Served(opened)
    yield served
    served.stop()


@pytest.fixture(scope="module")
def dispatcher() -> Iterator[Served]:
    """The same application around the suite's reference tools."""

    async def opened() -> MemoryService:
        return ReferenceTools()

    served = Served(opened)
    yield served
    served.stop()


def passes(suite: list[str], url: str, scenario: str, folder: Path) -> None:
    done = subprocess.run(
        [*suite, "server", "--url", url, "--scenario", scenario, "--output-dir", str(folder)],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        cwd=folder,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    checks = list(folder.rglob("checks.json"))
    assert checks, done.stdout
    found = [file.read_text(encoding="utf-8") for file in checks]
    assert all('"SUCCESS"' in text and '"FAILURE"' not in text for text in found), found


@pytest.mark.parametrize("scenario", PRODUCT)
def test_the_product_passes(suite: list[str], product: Served, scenario: str, tmp_path: Path) -> None:
    passes(suite, product.url, scenario, tmp_path)


@pytest.mark.parametrize("scenario", DISPATCHER)
def test_the_dispatcher_passes_with_the_reference_tools(
    suite: list[str], dispatcher: Served, scenario: str, tmp_path: Path
) -> None:
    passes(suite, dispatcher.url, scenario, tmp_path)


def test_the_suite_sees_what_is_missing(suite: list[str], product: Served, tmp_path: Path) -> None:
    """The product does not have that tool: if the suite passed all the same, its passing would say nothing."""
    with pytest.raises(AssertionError):
        passes(suite, product.url, "json-schema-2020-12", tmp_path)
