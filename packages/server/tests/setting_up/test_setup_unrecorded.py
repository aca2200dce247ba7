"""Removal when the record of what was put into settings is lost, with the state folder say."""

from __future__ import annotations

import shutil
from typing import Any


def stays(out: str) -> list[str]:
    return [line for line in out.splitlines() if line.endswith("was there before, or its record is lost.")]


def test_what_no_record_holds_stays_and_is_named(person: Any) -> None:
    person.run("setup", "--yes")
    shutil.rmtree(person.home.state)
    before = person.files()

    for command in (("uninstall", "--yes"), ("uninstall", "--yes", "--harness", "claude")):
        code, out, _ = person.run(*command)
        assert code == 0
        assert any(line.startswith(f"claude: {person.settings('claude')} stays") for line in stays(out)), command
        assert len(stays(out)) == len(set(stays(out)))

    assert person.files() == before


def test_a_removal_that_left_nothing_names_nothing(person: Any) -> None:
    person.run("setup", "--yes")

    for _ in range(2):
        assert stays(person.run("uninstall", "--yes")[1]) == []
