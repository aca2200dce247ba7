"""What else a harness may offer, and what its data and its dialect promise beside each event."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from kg_plugin_api import Queued, TranscriptView
from kg_plugin_testing import places
from kg_plugin_testing.given import GivenHarness
from kg_plugin_testing.junk import JUNK, lines

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path as FilePath

    from kg_plugin_api import Harness, RawEvent

_LEAST: Final = 1_000
"""Less than that holds no lesson with its frame."""


class PartsContract(GivenHarness):
    """Clauses about the parts of a harness. One that is not offered has nothing to keep."""

    def test_the_clients_folder_is_found_below_any_home(self, harness: Harness) -> None:
        """``config_default`` is relative; a place of one machine would be nobody else's."""
        default = PurePosixPath(harness.recognition.config_default)
        assert not default.is_absolute(), default
        assert ".." not in default.parts, default

    def test_what_the_tools_carry_is_json(self, harness: Harness) -> None:
        """``tool_meta`` is a part of ``tools/list``."""
        for tool, meta in harness.tool_meta.items():
            assert tool
            json.dumps(dict(meta))

    def test_a_queue_has_room_for_text(self, harness: Harness) -> None:
        """What waits goes out in packets: one holds more than its framing, and no less than what goes at once."""
        queued = harness.delivery
        if not isinstance(queued, Queued):
            return
        assert queued.packet.unit is queued.inline.unit
        assert _LEAST <= queued.inline.maximum <= queued.packet.maximum
        assert 0 <= queued.framing <= queued.packet.maximum - _LEAST

    def test_the_dialect_answers_alike_each_time(self, harness: Harness, payloads: Mapping[str, RawEvent]) -> None:
        """A carrier that asks again after a lost reply must read the same."""
        for name, raw in payloads.items():
            assert harness.dialect.parse(raw) == harness.dialect.parse(raw), name
            assert harness.dialect.reply(raw, "a lesson") == harness.dialect.reply(raw, "a lesson"), name
            assert harness.dialect.caller(raw.meta) == harness.dialect.caller(raw.meta), name

    def test_the_dialect_touches_no_disk(self, harness: Harness, payloads: Mapping[str, RawEvent]) -> None:
        """It runs on the loop that every agent waits for. What must be read from a file, the server reads."""
        with places.watching() as seen:
            for raw in payloads.values():
                harness.dialect.parse(raw)
                harness.dialect.reply(raw, "a lesson")
                harness.dialect.caller(raw.meta)
        assert not seen

    def test_a_transcript_reader_never_raises(self, harness: Harness) -> None:
        """A transcript is the client's own file: torn, of another version, or of another program."""
        reader = harness.transcripts
        if reader is None:
            return
        assert 1_000 <= reader.tail_bytes <= 4 * 1024 * 1024

        @settings(deadline=None)
        @given(st.binary() | st.lists(JUNK).map(lines), st.binary() | st.lists(JUNK).map(lines))
        def check(tail: bytes, fresh: bytes) -> None:
            assert isinstance(reader.view(tail, fresh), TranscriptView)

        check()

    def test_of_a_client_that_never_ran_nothing_is_known(self, harness: Harness, tmp_path: FilePath) -> None:
        """No quota and no history: an empty or missing folder is no error."""
        for folder in (tmp_path, tmp_path / "missing"):
            assert harness.quota is None or not list(harness.quota.windows(folder))
            assert harness.history is None or not list(harness.history.messages(folder))

    def test_a_run_carries_the_prompt_and_leaves_the_session_behind(self, harness: Harness, tmp_path: FilePath) -> None:
        """A chore in a client that was started from a client must not take itself for that one."""
        if harness.runner is None:
            return
        inherited = {f"{prefix}SESSION": "1" for prefix in harness.environment_to_strip}
        run = harness.runner.command("tidy up", ["kg_read"], tmp_path, {"HOME": str(tmp_path), **inherited})
        assert run.arguments
        assert "tidy up" in "\n".join([run.stdin, *run.arguments])
        assert run.environ.get("HOME") == str(tmp_path)
        assert not inherited.keys() & run.environ.keys()
