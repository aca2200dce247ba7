"""Claims on JSON settings: what goes in, what stays, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kg_core.claims.jsonsheet import JsonSheet
from kg_core.claims.jsontext import MAX_DEPTH
from kg_core.claims.sheet import ClaimState, Reworked, Unparsable, rework
from kg_plugin_api.claims import JsonEntry, JsonItem

PATH = Path("/home/ana/.claude/settings.json")
HOOK = {"type": "command", "command": "kg hook", "timeout": 5}
GROUP = {"matcher": "*", "hooks": [HOOK]}
SERVER = {"command": "kg", "args": ["mcp"]}


def entry(*keys: str, value: object, replace: bool = False) -> JsonEntry:
    return JsonEntry(path=PATH, keys=keys, value=value, replace=replace)


def item(*keys: str, value: object) -> JsonItem:
    return JsonItem(path=PATH, keys=keys, value=value)


def put(text: str, *claims: JsonEntry | JsonItem, before: Reworked | None = None) -> Reworked:
    return rework(JsonSheet, text, before.holds if before else (), claims)


def take(done: Reworked, text: str | None = None) -> Reworked:
    return rework(JsonSheet, done.text if text is None else text, done.holds, ())


def test_a_member_goes_behind_the_last_one_and_its_comment() -> None:
    done = put('{\n  "a": 1 // one\n  // end\n}\n', entry("b", value=2))
    assert done.text == '{\n  "a": 1, // one\n  // end\n  "b": 2\n}\n'


def test_a_document_on_one_line_stays_on_one_line() -> None:
    assert put('{"a":1}', entry("b", value=[1, {"c": 2}])).text == '{"a":1,"b":[1,{"c":2}]}'
    assert put('{"a": 1}', entry("b", value=[1, 2])).text == '{"a": 1, "b": [1, 2]}'


def test_indentation_and_line_ends_are_those_of_the_file() -> None:
    done = put('{\r\n\t"a": 1\r\n}', entry("mcpServers", "kg", value={"command": "kg"}))
    assert (
        done.text == '{\r\n\t"a": 1,\r\n\t"mcpServers": {\r\n\t\t"kg": {\r\n\t\t\t"command": "kg"\r\n\t\t}\r\n\t}\r\n}'
    )


def test_a_trailing_comma_is_kept_as_the_style_of_the_container() -> None:
    assert put('{\n  "a": 1,\n}', entry("b", value=2)).text == '{\n  "a": 1,\n  "b": 2,\n}'


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"a": 1', "line 1"),
        ("{'a': 1}", "line 1, column 2"),
        ('{"a": 1}\n{}', "line 2, column 1"),
        ('{"a": 01}', "column 8"),
        ('{"a": "\n"}', "column 7"),
        ('{"a": NaN}', "column 7"),
        ('{"a": /* open }', "column 7"),
        ('{"a": 1,, "b": 2}', "column 9"),
        ("[" * (MAX_DEPTH + 2), "nested"),
        ('{"a": ' + "1" * 5000 + "}", "out of range"),
    ],
)
def test_what_no_json_reader_accepts_is_named_with_its_place(text: str, where: str) -> None:
    with pytest.raises(Unparsable, match=where):
        JsonSheet(text)


def test_a_key_of_somebody_else_is_refused() -> None:
    done = put('{"mcpServers": {"kg": {"command": "other"}}}', entry("mcpServers", "kg", value=SERVER))
    assert [reason for _, reason in done.refused] == ["mcpServers.kg is set to another value already"]


@pytest.mark.parametrize("text", ['{"mcpServers": []}', '{"mcpServers": null}', "[]", "1"])
def test_a_way_that_is_no_object_is_refused(text: str) -> None:
    assert put(text, entry("mcpServers", "kg", value=SERVER)).refused


def test_an_equal_value_stays_the_users() -> None:
    text = '{"a": {"y": [1], "x": true}, "l": ["kg"]}'
    done = put(text, entry("a", value={"x": True, "y": [1]}), item("l", value="kg"))
    assert (done.text, done.holds) == (text, ())


def test_true_is_not_one() -> None:
    assert put('{"a": 1}', entry("a", value=True)).refused


def test_a_replaced_value_comes_back_as_its_exact_text() -> None:
    text = '{"memory": { "on" : true /* yes */ }, "z": 0}'
    done = put(text, entry("memory", value=False, replace=True))
    assert done.text == '{"memory": false, "z": 0}'
    assert take(done).text == text


def test_a_replaced_value_that_the_user_changed_stays_as_the_user_left_it() -> None:
    done = put('{"memory": true}', entry("memory", value=False, replace=True))
    left = take(done, '{"memory": "some"}')
    assert left.text == '{"memory": "some"}'
    assert left.notes == ("memory was changed by somebody else and stays as it is.",)


def test_a_switch_that_was_not_set_goes_again_unless_the_user_set_it_meanwhile() -> None:
    done = put("{}", entry("memory", value=False, replace=True))
    assert take(done).text == "{}"
    assert json.loads(take(done, done.text.replace("false", "true")).text) == {"memory": True}


def test_replacing_again_remembers_what_the_user_set_meanwhile() -> None:
    claim = entry("memory", value=False, replace=True)
    first = put('{"memory": true}', claim)
    again = rework(JsonSheet, '{"memory": "some"}', first.holds, [claim])
    assert again.text == '{"memory": false}'
    assert take(again).text == '{"memory": "some"}'


def test_a_users_hook_in_our_group_stays_when_ours_goes() -> None:
    before = '{\n  "model": "opus"\n}\n'
    done = put(before, item("hooks", "Stop", value=GROUP))
    own = {"type": "command", "command": "say done"}
    value = json.loads(done.text)
    value["hooks"]["Stop"][0]["hooks"].append(own)
    left = json.loads(take(done, json.dumps(value, indent=4)).text)
    assert left == {"model": "opus", "hooks": {"Stop": [{"matcher": "*", "hooks": [own]}]}}


def test_an_option_that_somebody_added_to_our_entry_goes_with_it() -> None:
    done = put("{}\n", entry("mcpServers", "kg", value=SERVER))
    value = json.loads(done.text)
    value["mcpServers"]["kg"]["disabled"] = True
    assert json.loads(take(done, json.dumps(value)).text) == {}


def test_our_hook_with_another_timeout_is_still_ours() -> None:
    done = put("{}\n", item("hooks", "Stop", value=GROUP))
    assert json.loads(take(done, done.text.replace("5", "10")).text) == {}


def test_an_entry_that_somebody_replaced_wholly_stays() -> None:
    done = put('{"s": {}}', entry("s", "kg", value=SERVER))
    theirs = '{"s": {"kg": {"url": "http://127.0.0.1:1"}}}'
    assert take(done, theirs).text == theirs
    assert take(done, theirs).notes


def test_setting_up_twice_registers_once() -> None:
    claims = [item("hooks", "Stop", value=GROUP), item("permissions", "allow", value="mcp__kg")]
    first = put('{"hooks": {"Stop": []}}', *claims, claims[0])
    second = put(first.text, *claims, before=first)
    assert second == first
    assert len(json.loads(first.text)["hooks"]["Stop"]) == 1


def test_a_new_version_of_an_item_takes_the_place_of_the_old_one() -> None:
    old, new = item("l", value={**GROUP, "v": 1}), item("l", value={**GROUP, "v": 2})
    first = put('{"l": [0, 9]}', old)
    text = first.text.replace("]}", ', "theirs"]}')
    second = rework(JsonSheet, text, first.holds, [new])
    assert json.loads(second.text) == {"l": [0, 9, {**GROUP, "v": 2}, "theirs"]}


def test_a_new_version_of_an_item_that_the_user_has_already_leaves_the_users_alone() -> None:
    first = put('{"l": [1, 2]}', item("l", value=3))
    second = put(first.text, item("l", value=2), before=first)
    assert (second.text, second.holds) == ('{"l": [1, 2]}', ())


def test_an_update_keeps_what_the_user_added_to_our_entry() -> None:
    first = put("{}", entry("s", value={"command": "old", "args": ["a"]}))
    changed = '{"s": {"command": "old", "args": ["a"], "env": {"X": "1"}}}'
    second = rework(JsonSheet, changed, first.holds, [entry("s", value={"command": "new", "args": ["a"]})])
    assert json.loads(second.text) == {"s": {"command": "new", "args": ["a"], "env": {"X": "1"}}}


def test_an_update_of_what_the_user_changed_too_is_refused() -> None:
    first = put("{}", entry("s", value={"command": "old", "args": ["a"]}))
    changed = '{"s": {"command": "mine", "args": ["a"]}}'
    second = rework(JsonSheet, changed, first.holds, [entry("s", value={"command": "new", "args": ["a"]})])
    assert [reason for _, reason in second.refused] == ["s was put there by an earlier set-up and changed since"]


def test_what_is_no_longer_claimed_is_taken_out() -> None:
    first = put('{"a": 1}', entry("x", "y", value=1), entry("z", value=2))
    second = put(first.text, entry("z", value=2), before=first)
    assert second.text == '{"a": 1, "z": 2}'


def test_an_entry_that_somebody_deleted_is_put_in_again_and_missed_by_no_removal() -> None:
    claim = entry("x", "y", value=1)
    first = put('{"a": 1}', claim)
    assert JsonSheet('{"a": 1}').state(claim, first.holds[-1]) is ClaimState.MISSING
    assert take(first, '{"a": 1}').text == '{"a": 1}'
    again = rework(JsonSheet, '{"a": 1}', first.holds, [claim])
    assert json.loads(again.text) == {"a": 1, "x": {"y": 1}}
    assert take(again).text == '{"a": 1}'


def test_a_container_of_ours_stays_when_somebody_put_something_or_a_comment_into_it() -> None:
    done = put("{}\n", entry("mcpServers", "kg", value=1))
    text = done.text.replace('"kg": 1', '"kg": 1, "mine": 2')
    assert json.loads(take(done, text).text) == {"mcpServers": {"mine": 2}}
    text = done.text.replace('"kg": 1', '// mine\n"kg": 1')
    assert "// mine" in take(done, text).text


def test_a_line_comment_never_swallows_what_follows_ours() -> None:
    done = put("{}", entry("a", value=1))
    left = take(done, '{"b": 2, // two\n  "a": 1 }')
    assert json.loads(left.text.replace("// two", "")) == {"b": 2}


def test_a_second_key_of_our_name_added_by_somebody_stays() -> None:
    done = put('{"x": 0}', entry("kg", value=SERVER))
    left = take(done, done.text[:-1] + ', "kg": "theirs"}')
    assert left.text == '{"x": 0, "kg": "theirs"}'
