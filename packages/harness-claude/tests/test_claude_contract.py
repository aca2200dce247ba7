from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kg_harness_claude import CLAUDE
from kg_plugin_testing.harness import HarnessContract
from kg_plugin_testing.recordings import recordings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_plugin_api import Harness, RawEvent


class TestClaude(HarnessContract):
    @pytest.fixture
    def harness(self) -> Harness:
        return CLAUDE

    @pytest.fixture
    def payloads(self) -> Mapping[str, RawEvent]:
        return recordings(Path(__file__).parent / "payloads")
