"""A recording keeps what a client sent, under a name of its own, without the person's home."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from kg_plugin_api import Carrier, RawEvent
from kg_plugin_testing.recorder import record
from kg_plugin_testing.recordings import recordings

if TYPE_CHECKING:
    from pathlib import Path


def send(folder: Path, native: str, data: bytes) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "kg_plugin_testing.recorder", str(folder), "toy-1.0", native, "/home/ann"]
    return subprocess.run(command, input=data, capture_output=True, timeout=60, check=False)


def test_a_hook_command_that_records_is_silent_and_its_recordings_can_be_read(tmp_path: Path) -> None:
    payload = {"id": "s", "source": "startup", "cwd": "/home/ann/project", "text": "é 部署"}

    done = send(tmp_path, "Start", json.dumps(payload).encode())

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert recordings(tmp_path) == {
        "toy-1.0-Start-startup-hook_client": RawEvent(
            native="Start", carrier=Carrier.HOOK_CLIENT, payload={**payload, "cwd": "/home/user/project"}
        )
    }


def test_junk_is_recorded_as_an_event_without_a_payload(tmp_path: Path) -> None:
    assert send(tmp_path, "Start", b"\xff{not json").returncode == 0

    assert recordings(tmp_path)["toy-1.0-Start-hook_client"].payload == {}


def test_the_first_of_a_name_is_kept_and_no_name_leads_out_of_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "payloads"
    first = RawEvent(native="../Tool", carrier=Carrier.MCP_HOOK, payload={"id": "1", "tool_name": "a/../../b"})

    second = replace(first, payload={**first.payload, "id": "2"})

    files = {record(folder, "toy-1", raw) for raw in (first, second)}

    (file,) = files
    assert file.parent == folder
    assert [path.name for path in tmp_path.iterdir()] == ["payloads"]
    assert recordings(folder)[file.stem].payload["id"] == "1"
