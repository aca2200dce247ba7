"""Claims on TOML settings: what goes in, what stays, what is refused."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from kg_core.claims.sheet import Reworked, Unparsable, rework
from kg_core.claims.tomlsheet import TomlSheet
from kg_plugin_api.claims import TomlEntry, TomlTable

PATH = Path("/home/ana/.codex/config.toml")
SERVER = TomlTable(
    path=PATH, keys=("mcp_servers", "kg"), values={"command": "/opt/a b/python", "args": ["mcp"], "env": {"A": "1"}}
)
BLOCK = '[mcp_servers.kg]\ncommand = "/opt/a b/python"\nargs = ["mcp"]\nenv = { A = "1" }\n'


def entry(*keys: str, value: object, replace: bool = False) -> TomlEntry:
    return TomlEntry(path=PATH, keys=keys, value=value, replace=replace)


def put(text: str, *claims: TomlEntry | TomlTable, before: Reworked | None = None) -> Reworked:
    return rework(TomlSheet, text, before.holds if before else (), claims)


def take(done: Reworked, text: str | None = None) -> Reworked:
    return rework(TomlSheet, done.text if text is None else text, done.holds, ())


def test_a_table_goes_to_the_end_between_blank_lines() -> None:
    assert put('model = "o3"\n', SERVER).text == f'model = "o3"\n\n{BLOCK}\n'


def test_a_key_goes_behind_its_neighbours() -> None:
    text = "a = 1\n\n[features] # f\n  x = true # x\n\n# about z\n[z]\n"
    done = put(text, entry("features", "memories", value=False), entry("b", value="é"))
    assert done.text == 'a = 1\nb = "é"\n\n[features] # f\n  x = true # x\n  memories = false\n\n# about z\n[z]\n'


def test_a_first_root_key_goes_between_the_files_comment_and_the_first_headers() -> None:
    assert put("# file\n\n# t\n[t]\n", entry("a", value=1)).text == "# file\n\na = 1\n\n# t\n[t]\n"
    assert put("# t\n[t]\n", entry("a", value=1)).text == "a = 1\n\n# t\n[t]\n"


def test_an_inline_table_and_dotted_keys_take_the_key_where_their_neighbours_are() -> None:
    assert put("f = { x = 1 }\n", entry("f", "y", value=2)).text == "f = { x = 1, y = 2 }\n"
    assert put("f.x = 1\ng = 0\n", entry("f", "y", value=2)).text == "f.x = 1\nf.y = 2\ng = 0\n"
    assert put("s = {}\n", TomlTable(path=PATH, keys=("s", "kg"), values={"c": 1})).text == "s = { kg = { c = 1 } }\n"


@pytest.mark.parametrize(
    "text",
    [
        '[mcp_servers.kg]\ncommand = "x"\n',
        "mcp_servers = 1\n",
        "[[mcp_servers]]\na = 1\n",
        '[mcp_servers.kg.env]\nA = "1"\n',
    ],
)
def test_a_table_of_somebody_else_is_refused(text: str) -> None:
    done = put(text, SERVER)
    assert done.refused
    assert done.text == text


@pytest.mark.parametrize("text", ["a = 1\na = 2\n", "[a\n", "a = \n", "a = 1\rb = 2\n", "a = [" * 5000])
def test_what_no_toml_reader_accepts_is_refused(text: str) -> None:
    with pytest.raises(Unparsable, match="not valid TOML"):
        TomlSheet(text)


def test_an_array_of_tables_hides_no_key_and_lends_none() -> None:
    text = "[[p]]\n[p.features]\nmemories = true\n"
    done = put(text, entry("features", "memories", value=False, replace=True))
    assert tomllib.loads(done.text) == {"p": [{"features": {"memories": True}}], "features": {"memories": False}}
    assert take(done).text == text


def test_a_replaced_value_comes_back_as_its_exact_text_beside_its_comment() -> None:
    text = "[features]\nmemories = [ 1, # one\n] # why\n"
    done = put(text, entry("features", "memories", value=False, replace=True))
    assert done.text == "[features]\nmemories = false # why\n"
    assert take(done).text == text
    changed = take(done, "[features]\nmemories = true\n")
    assert changed.text == "[features]\nmemories = true\n"
    assert changed.notes


def test_a_table_that_a_client_wrote_below_ours_goes_with_it() -> None:
    done = put('model = "o3"\n', SERVER)
    approved = done.text + '[mcp_servers.kg.tools.kg_read]\napproval_mode = "approve"\n'
    assert tomllib.loads(take(done, approved).text) == {"model": "o3"}


def test_a_key_that_a_client_wrote_right_behind_ours_goes_with_it() -> None:
    done = put('model = "o3"\n', SERVER)
    switched = done.text.replace('env = { A = "1" }\n', 'env = { A = "1" }\nenabled = false\n')
    assert take(done, switched).text == 'model = "o3"\n'


def test_what_somebody_appended_to_the_file_stays_as_if_ours_had_not_been_there() -> None:
    before = 'model = "o3"'
    done = put(before, SERVER)
    assert take(done, done.text + 'approval_policy = "never"\n').text == 'model = "o3"\napproval_policy = "never"\n'
    assert take(done, done.text + "[tui]\nx = 1\n").text == 'model = "o3"\n[tui]\nx = 1\n'
    assert take(done, done.text + "# bye\n").text == 'model = "o3"\n# bye\n'


def test_comments_around_and_behind_our_lines_stay() -> None:
    done = put("a = 1\n", SERVER)
    text = done.text.replace("[mcp_servers.kg]", "# mine\n[mcp_servers.kg] # this").replace("env =", "# env\nenv =")
    left = take(done, text).text
    assert tomllib.loads(left) == {"a": 1}
    assert [line for line in left.splitlines() if line.startswith("#")] == ["# mine", "# this", "# env"]


@pytest.mark.parametrize(
    "text",
    [
        'a = 1\n[mcp_servers]\nkg = {args = ["mcp"], command = "/opt/a b/python", env = {A = "1"}}\nx = 2\n',
        'a = 1\nmcp_servers.kg.args = ["mcp"]\nmcp_servers.x = 2\nmcp_servers.kg.command = "/opt/a b/python"\n',
        'a = 1\n[mcp_servers]\nx = 2\n[mcp_servers.kg.env]\nA = "1"\n[mcp_servers.kg]\nargs = ["mcp"]\ncommand = "x"\n',
        'a = 1\nmcp_servers = { kg = { command = "/opt/a b/python", args = ["mcp"] }, x = 2 }\n',
        'a = 1\nmcp_servers = { x = 2, kg = { command = "/opt/a b/python", args = ["mcp"] } }\n',
    ],
)
def test_our_table_is_found_in_whatever_form_a_client_wrote_it_anew(text: str) -> None:
    done = put("a = 1\n[mcp_servers]\nx = 2\n", SERVER)
    assert tomllib.loads(take(done, text).text) == {"a": 1, "mcp_servers": {"x": 2}}


def test_an_update_changes_only_the_keys_that_changed() -> None:
    first = put("a = 1\n", SERVER)
    text = first.text.replace('args = ["mcp"]', 'args = ["mcp"] # note\nenabled = true')
    new = TomlTable(path=PATH, keys=SERVER.keys, values={**SERVER.values, "command": "/new", "timeout": 5})
    second = rework(TomlSheet, text, first.holds, [new])
    table = tomllib.loads(second.text)["mcp_servers"]["kg"]
    assert table == {**new.values, "enabled": True}
    assert 'args = ["mcp"] # note\n' in second.text
    assert take(second).text == "a = 1\n# note\n"


def test_an_inline_table_that_was_empty_is_as_it_was_when_an_upgrade_left_less_in_it() -> None:
    first, second = entry("env", "A", value="1"), entry("env", "B", value="1")
    before = "env = { }\n"
    more = put(before, first, second)
    less = put(more.text, second, before=more)
    assert less.text == 'env = { B = "1" }\n'
    assert take(less).text == before


def test_a_table_that_somebody_replaced_stays() -> None:
    done = put("a = 1\n", SERVER)
    theirs = 'a = 1\n[mcp_servers.kg]\nurl = "http://127.0.0.1:1"\n'
    assert take(done, theirs).text == theirs
    assert take(done, theirs).notes
    assert rework(TomlSheet, theirs, done.holds, [SERVER]).refused
