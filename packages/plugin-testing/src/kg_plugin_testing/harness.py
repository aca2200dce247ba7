"""The contract of a harness. Subclass :class:`HarnessContract`, give two fixtures, and every clause runs.

::

    class TestMyAgent(HarnessContract):
        @pytest.fixture
        def harness(self) -> Harness:
            return MY_AGENT

        @pytest.fixture
        def payloads(self) -> Mapping[str, RawEvent]:
            return recordings(Path(__file__).parent / "payloads")
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kg_plugin_api import Carrier, Maturity, Path
from kg_plugin_testing import imports
from kg_plugin_testing.dialect import DialectContract
from kg_plugin_testing.given import SLUG
from kg_plugin_testing.parts import PartsContract
from kg_plugin_testing.wiring import WiringContract

if TYPE_CHECKING:
    from kg_plugin_api import Harness


class HarnessContract(WiringContract, DialectContract, PartsContract):
    """What kg promises to do with a harness rests on these clauses."""

    def test_the_name_is_a_slug(self, harness: Harness) -> None:
        """People type the name (``kg setup --harness NAME``) and it stands in addresses and file names."""
        assert SLUG.fullmatch(harness.name), f"{harness.name!r}: lower case letters, digits, single hyphens"
        assert harness.title.strip()

    def test_the_client_can_be_found(self, harness: Harness) -> None:
        """Without a program name ``kg setup`` cannot tell whether the client is on this machine. A plug-in that was
        tried with no version of its client is an experiment, and says so.
        """
        assert harness.recognition.binaries
        tried = harness.recognition.tested_versions or harness.maturity is Maturity.EXPERIMENTAL
        assert tried, "name the versions of the client that you verified"

    def test_events_are_told_apart(self, harness: Harness) -> None:
        """A native event has one meaning; text that it cannot bring is carried by one that can."""
        natives = [spec.native for spec in harness.events]
        assert len(natives) == len(set(natives)), natives
        for spec in harness.events:
            carrier = harness.event(spec.delivered_by) if spec.delivered_by else None
            assert not spec.delivered_by or (carrier is not None and carrier.injects), spec

    def test_timeouts_are_explicit_and_in_seconds(self, harness: Harness) -> None:
        """From 1 to 10: a client's default can be minutes, and milliseconds written as seconds can be half an hour."""
        for spec in harness.events:
            assert 1 <= spec.timeout <= 10, f"{spec.native}: {spec.timeout}"

    def test_a_template_belongs_to_an_mcp_hook(self, harness: Harness) -> None:
        """An MCP-tool hook sends only what its template names; the hook client sends everything."""
        for spec in harness.events:
            assert (spec.template is not None) == (spec.carrier is Carrier.MCP_HOOK), spec.native
            json.dumps(spec.arguments())

    def test_every_path_states_its_limit(self, harness: Harness) -> None:
        """``limit=None`` says that text passes whole; a path that is not stated at all is an oversight."""
        assert {stated.path for stated in harness.limits} == set(Path)
        for stated in harness.limits:
            assert stated.limit is None or stated.limit.maximum >= 1_000, stated

    def test_it_imports_only_the_standard_library_and_the_plugin_api(self, harness: Harness) -> None:
        """A plug-in that reaches into kg breaks with the next kg; one that needs more is slow to start."""
        assert not imports.foreign(type(harness.dialect).__module__)
