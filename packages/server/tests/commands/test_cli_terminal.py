"""What commands print of names and contents that others made up."""

from __future__ import annotations

import json
import logging
import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_server.cli.terminal import tame
from kg_server.lifecycle.process import _Lines

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = "\x07\x1b\x7f\x9b\r\u202e\u2066\U000e0041"
NAME = f"a name{COMMANDS}"


def on_terminal(environ: dict[str, str], *arguments: str) -> str:
    """What a terminal is given by a command whose output and standard error it is."""
    controlling, terminal = pty.openpty()
    command = [sys.executable, "-P", "-m", "kg_server", *arguments]
    with subprocess.Popen(command, env=environ, stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal) as process:
        os.close(terminal)
        said = b""
        try:
            while piece := os.read(controlling, 65_536):
                said += piece
        except OSError:
            pass  # the other side of a terminal has been closed
        finally:
            os.close(controlling)
        process.wait(60)
    return said.decode("utf-8").replace("\r\n", "\n")


@pytest.mark.parametrize("arguments", [("status",), ("status", "--json"), ("show",), ("logs",), (NAME,)])
def test_no_name_commands_the_terminal_of_whoever_runs_a_command(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    environ = {**os.environ, "KG_HOME": str(tmp_path / NAME), "PYTHONUTF8": "1"}

    said = on_terminal(environ, *arguments)

    assert said
    assert not set(said) & set(COMMANDS)


def test_a_program_reads_the_very_name_that_a_terminal_is_spared(tmp_path: Path) -> None:
    home = tmp_path / NAME
    environ = {**os.environ, "KG_HOME": str(home), "PYTHONUTF8": "1"}

    assert json.loads(on_terminal(environ, "status", "--json"))["home"] == str(home)


@pytest.mark.slow
def test_the_demo_prints_no_commands_of_its_own_that_would_be_escaped(tmp_path: Path) -> None:
    said = on_terminal({**os.environ, "TMPDIR": str(tmp_path)}, "demo")

    assert said.startswith("Ada starts")
    assert "\\u00" not in said


@given(st.text())
def test_json_means_the_same_once_it_is_tame(text: str) -> None:
    written = tame(json.dumps([text], ensure_ascii=False, indent=2))

    assert json.loads(written) == [text]
    assert tame(written) == written


def test_the_name_of_a_folder_makes_no_second_message_of_the_log() -> None:
    form = "%(levelname)s %(message)s"
    record = logging.LogRecord("x", logging.INFO, "", 0, "%s is there", ("/a\nINFO all is well\x1b[2J",), None)

    assert _Lines(form).format(record) == "INFO /a INFO all is well[2J is there"


FORGED = "Error: all is lost"


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "--cwd", "NAME"),
        ("status", "--home", "NAME"),
        ("doctor", "--home", "NAME"),
        ("logs", "--home", "NAME"),
        ("import", "NAME"),
        ("commit", "--home", "NAME"),
        ("setup", "--harness", "NAME", "--dry-run"),
        ("preview", "--harness", "NAME"),
        ("map", "init", "--home", "NAME"),
        ("uninstall", "--harness", "NAME", "--dry-run"),
        ("setup", "--dry-run", "--home", "NAME"),
    ],
    ids=" ".join,
)
def test_no_name_begins_a_line_of_its_own(kg, tmp_path: Path, monkeypatch, arguments: tuple[str, ...]) -> None:
    folder = tmp_path / f"a\n{FORGED}"
    folder.mkdir()
    monkeypatch.chdir(folder)
    name = str(folder / f"b\n{FORGED}")

    _, out, err = kg(*(name if argument == "NAME" else argument for argument in arguments))

    assert out + err
    assert [line for line in (out + err).splitlines() if line.startswith(FORGED)] == []
