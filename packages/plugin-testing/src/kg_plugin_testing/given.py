"""What the clauses about a harness are given: the harness, recorded payloads and a machine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest

from kg_plugin_testing import places
from kg_plugin_testing.contract import Contract

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path as FilePath

    from kg_plugin_api import Harness, RawEvent, Site

SLUG: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
"""The form of a name that people type and that stands in addresses and file names."""


class GivenHarness(Contract):
    """The fixtures of the suites about a harness."""

    @pytest.fixture
    def harness(self) -> Harness:
        """The harness under test."""
        raise NotImplementedError("give a fixture `harness`")

    @pytest.fixture
    def payloads(self) -> Mapping[str, RawEvent]:
        """Payloads recorded from the real client, by name; see :func:`kg_plugin_testing.recordings.recordings`."""
        raise NotImplementedError("give a fixture `payloads`")

    @pytest.fixture
    def site(self, harness: Harness, tmp_path: FilePath) -> Site:
        """A machine on which nothing is there yet."""
        return places.site(harness, tmp_path)
