from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import kg_plugin_api
from kg_core.host import shapes
from kg_core.host.shapes import flaw
from kg_plugin_api import Event, EventKind, JsonEntry, ToolUse

EVENT = Event(kind=EventKind.PROMPT, native="Prompt", session="s", tool=ToolUse(name="read", paths=("a.py",)))


@pytest.mark.parametrize(
    "kind", [each for each in vars(kg_plugin_api).values() if isinstance(each, type) and dataclasses.is_dataclass(each)]
)
def test_the_fields_of_every_value_of_the_api_can_be_looked_at(kind: type) -> None:
    assert shapes._hints(kind).keys() == {field.name for field in dataclasses.fields(kind)}


@pytest.mark.parametrize(
    "value",
    [
        EVENT,
        dataclasses.replace(EVENT, tool=ToolUse(name="read", paths=["a.py"], failed=None)),
        JsonEntry(path=Path("a"), keys=("b",), value=object()),
        "no value of the API",
    ],
)
def test_what_holds_what_it_promises_has_no_flaw(value: object) -> None:
    assert flaw(value) == ""


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (dataclasses.replace(EVENT, session=5), "session is a int instead of str"),
        (dataclasses.replace(EVENT, kind="prompt"), "kind is a str instead of EventKind"),
        (dataclasses.replace(EVENT, tool="read"), "tool is a str instead of ToolUse | None"),
        (dataclasses.replace(EVENT, tool=ToolUse(name="read", paths="a.py")), "tool.paths is a str instead of tuple["),
        (dataclasses.replace(EVENT, tool=ToolUse(name="read", paths=(5,))), "tool.paths[0] is a int instead of str"),
        (JsonEntry(path="a", keys=("b",), value=1), "path is a str instead of Path"),
    ],
)
def test_the_first_field_that_does_not_is_named_with_what_it_holds_instead(value: object, said: str) -> None:
    assert flaw(value).startswith(said)
