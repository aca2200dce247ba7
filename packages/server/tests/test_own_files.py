"""Files of ours that somebody has spoilt: each counts as one that is not there."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kg_server.carrier.answers import Answers
from kg_server.carrier.places import Places
from kg_server.keeping import imported
from kg_server.keeping.exchange import trees

if TYPE_CHECKING:
    from kg_core.store import Home

SPOILT = {
    "nothing": "",
    "half": "{",
    "another kind": "[5]",
    "another type": '{"trees": 5, "offered": 5, "discover": 5}',
    "nesting without end": "[" * 100_000,
    "a number without end": "9" * 5_000,
}


@pytest.fixture(params=SPOILT.values(), ids=SPOILT)
def spoilt(request: pytest.FixtureRequest) -> str:
    text: str = request.param
    return text


def test_of_a_spoilt_list_of_work_trees_none_takes_part(home: Home, spoilt: str) -> None:
    home.state.mkdir()
    (home.state / "team.json").write_text(spoilt, encoding="utf-8")

    assert trees(home) == ()


def test_of_a_spoilt_record_of_imports_nothing_is_known(home: Home, spoilt: str) -> None:
    asyncio.run(imported.write(home, "/a/source", imported.Offered({"user": {"a": "1"}}, {"shop": "project:shop"})))
    assert imported.read(home, "/a/source").projects == {"shop": "project:shop"}
    (record,) = (home.state / "imports").iterdir()
    record.write_text(f'{{"source": "/a/source"}}\n{spoilt or "{"}\n', encoding="utf-8")

    assert imported.read(home, "/a/source") == imported.Offered()


def test_a_shim_has_no_answers_in_a_spoilt_file(home: Home, spoilt: str) -> None:
    places = Places(str(home.root))
    file = Path(places.answers("plain"))
    file.parent.mkdir(parents=True)
    file.write_text(spoilt, encoding="utf-8")

    assert Answers.load(places, "plain").result("discover") is None
