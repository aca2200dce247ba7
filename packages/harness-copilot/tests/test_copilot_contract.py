from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kg_harness_copilot import COPILOT
from kg_plugin_testing.harness import HarnessContract
from kg_plugin_testing.recordings import recordings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_plugin_api import Harness, RawEvent


class TestCopilot(HarnessContract):
    @pytest.fixture
    def harness(self) -> Harness:
        return COPILOT

    @pytest.fixture
    def payloads(self) -> Mapping[str, RawEvent]:
        return recordings(Path(__file__).parent / "payloads")

    def delivered(self, raw: RawEvent, reply: str) -> str:
        """The `_meta` of a call is for kg, not for the model."""
        told = json.loads(reply) if reply else {}
        return str(told.get("additionalContext") or told.get("permissionDecisionReason") or "")
