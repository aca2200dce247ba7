"""What clients are shown of the tools, and how arguments are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import pytest

from kg_core.policy import Depth
from kg_plugin_api import KgError, Limit, Unit
from kg_server.cli.search import command
from kg_server.texts import DESCRIPTIONS, FIRST_LINE, WHOLE, description, head, instructions
from kg_server.tools.arguments import SESSION, parse, schema
from kg_server.tools.catalogue import TOOLS
from kg_server.tools.progress import ProgressArguments
from kg_server.tools.put_edge import PutEdge
from kg_server.tools.put_node import PutNode
from kg_server.tools.read import Read
from kg_server.tools.search import Search
from kg_server.tools.useful import Useful

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIXES = ["", "mcp__kg__", "mcp__plugin_kg_kg__"]
ALLOWED = {"type", "description", "enum", "items", "properties", "required", "additionalProperties"}
BOUNDS = {"minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum"}


def parts(value: Any) -> Iterator[dict[str, Any]]:
    """Every schema in a schema."""
    yield value
    for inner in value.get("properties", {}).values():
        yield from parts(inner)
    if "items" in value:
        yield from parts(value["items"])


@pytest.mark.parametrize("name", list(TOOLS))
def test_a_schema_is_flat_typed_and_closed(name: str) -> None:
    whole = schema(TOOLS[name].arguments)
    assert whole["additionalProperties"] is False
    for part in parts(whole):
        assert isinstance(part["type"], str)
        assert set(part) <= ALLOWED | BOUNDS
    for property_ in whole["properties"].values():
        assert property_["description"]
        assert property_["type"] in {"string", "boolean", "integer", "array"}


def test_the_bounds_of_a_list_count_its_items() -> None:
    ids = schema(TOOLS["kg_useful"].arguments)["properties"]["ids"]

    assert (ids["minItems"], ids["maxItems"]) == (1, 10)
    assert not {"minLength", "maxLength"} & set(ids)


def test_the_depths_of_a_search_are_named_alike_by_tool_command_and_policy() -> None:
    (option,) = [each for each in command.params if each.name == "depth"]
    assert isinstance(option.type, click.Choice)

    assert schema(Search)["properties"]["depth"]["enum"] == list(option.type.choices) == [str(each) for each in Depth]
    assert parse("kg_search", Search, {"query": "a", "depth": "ancestry"}).depth is Depth.ANCESTRY
    with pytest.raises(KgError, match=r"'depth' must be 'explicit', .* or 'auto'"):
        parse("kg_search", Search, {"query": "a", "depth": "deeper"})


@pytest.mark.parametrize("name", list(TOOLS))
def test_every_tool_describes_itself_in_few_words(name: str) -> None:
    assert 20 <= len(DESCRIPTIONS[name]) <= 600


def test_there_are_eleven_tools() -> None:
    assert list(TOOLS) == [
        "kg_read",
        "kg_search",
        "kg_put_node",
        "kg_put_edge",
        "kg_rename_node",
        "kg_delete_node",
        "kg_delete_edge",
        "kg_useful",
        "kg_sync",
        "kg_progress",
        "kg_rules",
    ]
    assert set(DESCRIPTIONS) == set(TOOLS)


@pytest.mark.parametrize("has_events", [True, False])
@pytest.mark.parametrize("prefix", PREFIXES)
def test_the_first_line_of_the_instructions_says_when_and_how_in_250_characters(prefix: str, has_events: bool) -> None:
    text = instructions(prefix, has_events=has_events)
    first = text.splitlines()[0]
    assert Limit(FIRST_LINE, Unit.UTF16).holds(first)
    assert f"{prefix}kg_search" in first
    assert f"{prefix}kg_put_node" in first
    assert Limit(WHOLE, Unit.UTF16).holds(text)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_without_events_the_texts_tell_to_ask_for_what_events_would_have_brought(prefix: str) -> None:
    first = instructions(prefix, has_events=False).splitlines()[0]

    assert f"First {prefix}kg_read with cwd" in first
    assert "kg_read with cwd" not in instructions(prefix)
    assert description("kg_read", has_events=False).startswith("CALL THIS FIRST in every session, with cwd")
    assert "by itself" in description("kg_rules", has_events=True)
    assert "by itself" not in description("kg_rules", has_events=False)
    assert all(len(description(tool, has_events=False)) <= 600 for tool in TOOLS)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_the_words_above_the_preload_name_the_tools_as_the_client_does(prefix: str) -> None:
    for text in (head(prefix, is_empty=False), head(prefix, is_empty=True)):
        assert f"{prefix}kg_put_node" in text
        assert len(text) < 600
        assert "\n" not in text


def test_a_hidden_argument_is_accepted_and_not_shown() -> None:
    assert SESSION not in schema(Read, (SESSION,))["properties"]
    assert SESSION in schema(Read)["properties"]
    assert parse("kg_read", Read, {SESSION: "abcdefgh"}).session_id == "abcdefgh"


def refused(model: Any, arguments: dict[str, object]) -> str:
    with pytest.raises(KgError) as raised:
        parse("kg_tool", model, arguments)
    return raised.value.sentence


def test_an_unknown_argument_is_refused_by_name() -> None:
    sentence = refused(Read, {"id": "cache-key"})
    assert "'id'" in sentence
    assert "ids" in sentence


def test_what_is_missing_or_wrong_is_named() -> None:
    assert "needs the argument 'gist'" in refused(PutNode, {"level": "user", "id": "x"})
    assert "'user', 'project' or 'maintain'" in refused(PutNode, {"level": "global", "id": "x", "gist": "y"})
    assert "'notes.0'" in refused(PutNode, {"level": "user", "id": "x", "gist": "y", "notes": [{"a": 1}]})


def test_null_counts_as_not_sent() -> None:
    parsed = parse("kg_put_node", PutNode, {"level": "user", "id": "x", "gist": "y", "notes": None})
    assert not parsed.sent("notes")
    assert parse("kg_put_node", PutNode, {"level": "user", "id": "x", "gist": "y", "notes": []}).sent("notes")


def test_a_list_sent_as_text_is_understood() -> None:
    assert parse("kg_read", Read, {"ids": '["a", "b"]'}).ids == ("a", "b")
    assert parse("kg_read", Read, {"ids": "a"}).ids == ("a",)
    assert parse("kg_read", Read, {"ids": "cache-key, retry-jitter"}).ids == ("cache-key", "retry-jitter")
    assert parse("kg_read", Read, {"ids": "Cache Key"}).ids == ("Cache Key",)
    assert parse("kg_search", Search, {"query": "a", "statuses": "retracted"}).statuses == ("retracted",)


def test_a_list_of_markdown_is_a_list_and_other_text_is_one() -> None:
    def notes(text: str) -> tuple[str, ...]:
        return parse("kg_put_node", PutNode, {"level": "user", "id": "x", "gist": "y", "notes": text}).notes

    assert notes("- one\n- two, and more\n\n* three") == ("one", "two, and more", "three")
    for text in ("one\n- two", "a, b", "-x means not x", "-", "[1"):
        assert notes(text) == (text,)


def test_a_refusal_names_arguments_as_the_client_calls_them() -> None:
    sentence = refused(PutEdge, {"source": "a", "rel": "guards", "to": "b"})
    assert "needs the argument 'from'" in sentence
    assert "it takes from, rel, to, notes, level, session_id." in sentence


def test_a_refusal_says_what_to_send_in_words_of_json() -> None:
    node = {"level": "user", "id": "x", "gist": "y"}
    assert refused(PutNode, {**node, "notes": {"a": "b"}}).endswith(
        """'notes' must be a list of texts, like ["one", "two"]."""
    )
    assert refused(PutNode, {**node, "gist": ["y"]}).endswith("'gist' must be one text.")
    assert refused(Useful, {"ids": []}).endswith("'ids' is empty; it takes at least 1.")
    assert refused(Useful, {"ids": ["a"] * 11}).endswith("'ids' has too many; at most 10 go into one call.")
    assert refused(Useful, {"ids": ["a"], "credits": 1.5}).endswith("'credits' must be a whole number.")
    assert refused(Read, {"more": "later"}).endswith("'more' must be true or false.")
    assert refused(Read, {"session_id": "x" * 101}).endswith("has too many characters; at most 100 are taken.")
    assert refused(Useful, {"ids": ["a"], "credits": 5}).endswith("'credits' must be at most 3.")
    assert refused(Useful, {"ids": ["a"], "credits": -1}).endswith("'credits' must be at least 0.")


def test_a_tasks_state_may_be_the_object_itself() -> None:
    parsed = parse("kg_progress", ProgressArguments, {"task_id": "x", "state": {"done": ["ä"]}})
    assert parsed.state == '{"done": ["ä"]}'
    assert schema(ProgressArguments)["properties"]["state"]["type"] == "string"


def test_an_empty_text_counts_as_not_sent_where_no_text_is_asked_for() -> None:
    sent = {"level": "user", "id": "x", "gist": "y", "notes": "", "touches": "", "status": "", "observer": ""}
    parsed = parse("kg_put_node", PutNode, sent)
    assert not {"notes", "touches", "status"} & parsed.model_fields_set
    assert parsed.sent("observer")
    assert parse("kg_read", Read, {"ids": "", "level": "", "more": ""}) == parse("kg_read", Read, {})
    assert parse("kg_progress", ProgressArguments, {"task_id": "x", "state": ""}).sent("state")
    assert "needs the argument 'level'" in refused(PutNode, {"level": "", "id": "x", "gist": "y"})


LONG = "word-" * 40_000


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("kg_read", {"ids": [LONG]}),
        ("kg_put_node", {"level": "user", "id": LONG, "gist": "y"}),
        ("kg_put_node", {"level": "user", "id": "x", "gist": "y", "derived_from": LONG}),
        ("kg_put_node", {"level": "user", "id": "x", "gist": "y", LONG: "z"}),
        ("kg_put_edge", {"from": LONG, "rel": LONG, "to": LONG}),
        ("kg_delete_edge", {"from": LONG, "rel": LONG, "to": LONG}),
        ("kg_rename_node", {"old_id": LONG, "new_id": LONG}),
        ("kg_delete_node", {"id": LONG}),
        ("kg_useful", {"ids": [LONG]}),
        ("kg_progress", {"task_id": LONG}),
        ("kg_rules", {"path": LONG}),
        ("kg_rules", {"component": LONG}),
    ],
)
def test_a_refusal_repeats_no_name_that_would_leave_it_no_room(tool: str, arguments: dict[str, object]) -> None:
    sentence = refused(TOOLS[tool].arguments, arguments)
    assert len(sentence) < 500
    assert "has 200,000 characters, and nothing has a name of more than 1,000." in sentence or LONG in arguments


def test_tags_and_files_that_come_as_one_text_are_each_one() -> None:
    def sent(tags: str, touches: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        node = {"level": "user", "id": "x", "gist": "y", "tags": tags, "touches": touches}
        parsed = parse("kg_put_node", PutNode, node)
        return parsed.tags, parsed.touches

    assert sent("http, pool", "src/a.py:10, b.py\nsrc/*.c") == (("http", "pool"), ("src/a.py:10", "b.py", "src/*.c"))
    for touch in ("src/a.py (login, logout)", "src/a.py:1,3", "my docs, all.md", "src/{a, b}.py"):
        assert sent("http pool", touch) == (("http pool",), (touch,))
    assert parse("kg_search", Search, {"query": "a", "tags": "http,pool"}).tags == ("http", "pool")
