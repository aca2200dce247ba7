"""What people write into map.toml, and what they are told about it."""

from __future__ import annotations

import pytest

from kg_core.model.projectmap import Severity
from kg_core.store.maptext import MapError, MapSource, parse_map
from kg_plugin_api import Code

MAP = """\
[[component]]
slug = "auth"
name = "Authentication"
parent = "backend"
responsibility = "Who may do what."
paths = ["src/auth/**"]
priority = 2
depends_on = ["crypto"]
owner = "@security"

[[component]]
slug = "backend"

[[component]]
slug = "crypto"
paths = ["src/crypto/"]

[[constraint]]
component = "auth"
severity = "should"
title = "Short names"
statement = "Names have one word."
rationale = "They are read aloud."
source = "docs/adr/7.md"

[[constraint]]
title = "No clock"
statement = "Time comes in as an argument."
"""


def faults(*texts: str) -> str:
    with pytest.raises(MapError) as raised:
        parse_map(MapSource(f"map{number}.toml", text) for number, text in enumerate(texts, 1))
    assert raised.value.code is Code.INVALID
    return raised.value.sentence


def test_a_map_says_what_its_file_says() -> None:
    project_map = parse_map([MapSource("map.toml", MAP)])
    auth = project_map.by_slug["auth"]
    assert (auth.name, auth.parent, auth.responsibility) == ("Authentication", "backend", "Who may do what.")
    assert (auth.priority, auth.depends_on, auth.owner) == (2, ("crypto",), "@security")
    assert [glob.text for glob in project_map.by_slug["crypto"].paths] == ["src/crypto/**"]
    first, second = project_map.rules
    assert (first.component, first.severity, first.source) == ("auth", Severity.SHOULD, "docs/adr/7.md")
    assert (second.component, second.severity, second.rationale) == ("", Severity.MUST, "")
    assert [child.slug for child in project_map.children("backend")] == ["auth"]


def test_an_empty_file_is_an_empty_map() -> None:
    assert parse_map([MapSource("map.toml", "# nothing yet\n")]) == parse_map([])


def test_two_files_make_one_map() -> None:
    own = '[[constraint]]\ncomponent = "auth"\ntitle = "Ask first"\nstatement = "Ask me."\n'
    project_map = parse_map([MapSource("theirs", MAP), MapSource("mine", own)])
    assert [rule.title for rule in project_map.rules_of["auth"]] == ["Ask first", "Short names"]
    assert "there is no component at all" in faults(own)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("priority = 2", "prio = 2", "line 1 ([[component]] 1): there is no key 'prio'; it may have slug, name"),
        ("priority = 2", 'priority = "2"', "line 1 ([[component]] 1): priority: Input should be a valid integer"),
        ('name = "Authentication"', "name = 2", "([[component]] 1): name: it must be a text in quotes"),
        ('["crypto"]', '"crypto"', '([[component]] 1): depends_on: it must be a list, such as ["a", "b"]'),
        ('"src/auth/**"', '"src/auth**"', "([[component]] 1): paths.0 has '**' beside other characters"),
        ('slug = "backend"', "", "line 11 ([[component]] 2): the key 'slug' is missing"),
        ('slug = "backend"', 'slug = "back end"', "([[component]] 2): slug must be of letters"),
        ('["crypto"]', '["krypto"]', "depends_on names 'krypto', and there is no such component; there are auth,"),
        ('["crypto"]', '["auth"]', "depends_on names the component itself"),
        ('parent = "backend"', 'parent = "front"', "parent names 'front', and there is no such component"),
        ('slug = "backend"', 'slug = "backend"\nparent = "auth"', "parent goes in a circle (auth → backend → auth)"),
        ('slug = "crypto"', 'slug = "Auth"', "the component 'Auth' is already in map1.toml"),
        ('component = "auth"', 'component = "oauth"', "component names 'oauth', and there is no such component"),
        ('severity = "should"', 'severity = "shall"', "severity must be 'must', 'should' or 'info'"),
        ('title = "No clock"', 'title = " "', "([[constraint]] 2): title is empty"),
        ('[[component]]\nslug = "auth"', '[component]\nslug = "auth"', "map1.toml is not valid TOML"),
        ("priority = 2", f"priority = {'9' * 5_000}", "map1.toml is not valid TOML: Exceeds the limit"),
        ("priority = 2", f"priority = {'[' * 3_000}", "map1.toml is not valid TOML: "),
        ('[[component]]\nslug = "auth"', 'hold = true\n[[component]]\nslug = "auth"', "there is no key 'hold'"),
    ],
)
def test_a_fault_is_told_with_its_place_and_what_to_do(before: str, after: str, said: str) -> None:
    assert before in MAP
    assert said in faults(MAP.replace(before, after, 1))


def test_a_table_written_once_is_told_to_be_a_list() -> None:
    assert "write [[component]] with two brackets" in faults('[component]\nslug = "auth"\n')


def test_lines_are_told_only_where_they_are_known_for_sure() -> None:
    assert "map1.toml ([[constraint]] 1): the key 'title' is missing" in faults('constraint = [{statement = "x"}]\n')
    quoted = "[[component]]\nslug = 'a'\nresponsibility = '''\n[[component]]\n'''\nwrong = 1\n"
    assert "map1.toml ([[component]] 1): there is no key 'wrong'" in faults(quoted)


def test_every_fault_is_kept_and_the_first_ones_are_told() -> None:
    text = "".join(f'[[component]]\nslug = "c{number}"\nwrong = 1\n' for number in range(8))
    with pytest.raises(MapError) as raised:
        parse_map([MapSource("map.toml", text)])
    assert "and 3 more" in raised.value.sentence
    assert len(raised.value.data["faults"]) == 8


def test_a_map_whose_patterns_would_hold_up_every_file_is_refused() -> None:
    many = "".join(f'[[component]]\nslug = "c{at}"\npaths = ["{"a" * 500}{at}"]\n' for at in range(201))
    assert "100,000 characters altogether" in faults(many)
    assert "more than 1,000 characters" in faults(f'[[component]]\nslug = "a"\npaths = ["{"a" * 1_001}"]\n')


def test_no_fault_is_told_at_length() -> None:
    circle = "".join(f'[[component]]\nslug = "c{at}"\nparent = "c{(at + 1) % 500}"\n' for at in range(500))
    for text in (circle, f"{'x' * 5_000} = 1\n", f'[[component]]\nslug = "a"\nparent = "{"p" * 5_000}"\n'):
        with pytest.raises(MapError) as caught:
            parse_map([MapSource("map.toml", text)])
        assert len(caught.value.sentence) <= 610


def test_a_circle_of_dependencies_is_no_fault() -> None:
    text = '[[component]]\nslug = "a"\ndepends_on = ["b"]\n[[component]]\nslug = "b"\ndepends_on = ["a"]\n'
    assert len(parse_map([MapSource("map.toml", text)]).components) == 2
