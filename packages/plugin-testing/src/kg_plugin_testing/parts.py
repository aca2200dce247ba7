"""What else a harness may offer, and what its data and its dialect promise beside each event."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

import pytest

from kg_plugin_api import Queued
from kg_plugin_testing import places
from kg_plugin_testing.contract import Contract

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path as FilePath

    from kg_plugin_api import Harness, RawEvent

_LEAST: Final = 1_000
"""Less than that holds no lesson with its frame."""


def spoilt(payload: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """The payload without each of its fields, then with junk in it."""
    junk: tuple[object, ...] = (None, 7, [], {"": [None]})
    for name in payload:
        yield {other: value for other, value in payload.items() if other != name}
        yield from ({**payload, name: value} for value in junk)


class PartsContract(Contract):
    """Clauses about the parts of a harness. One that is not offered has nothing to keep."""

    @pytest.fixture
    def harness(self) -> Harness:
        """The harness under test."""
        raise NotImplementedError("give a fixture `harness`")

    @pytest.fixture
    def payloads(self) -> Mapping[str, RawEvent]:
        """Payloads recorded from the real client, by name; see :func:`kg_plugin_testing.recordings.recordings`."""
        raise NotImplementedError("give a fixture `payloads`")

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
