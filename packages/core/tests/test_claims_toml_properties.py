"""What holds for every TOML or text settings file: generated documents, layouts, comments and claims."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import tomli_w
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kg_core.claims.sheet import ClaimState, Refused, rework
from kg_core.claims.tomlsheet import TomlSheet
from kg_core.claims.tomltext import TomlTextError
from kg_core.claims.tomltext import scan as scan_toml
from kg_plugin_api.claims import TomlEntry, TomlTable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kg_core.claims.record import Hold
    from kg_core.claims.sheet import Sheet
    from kg_plugin_api.claims import Claim

PATH = Path("/settings")
MARK = "the user's own text"
SCALARS = st.one_of(
    st.booleans(), st.integers(-5, 5), st.sampled_from(["", "x", "//", "/*", "# t", "]}", "\\", '"', "é\u2028", "[a]"])
)
TABLE = TomlTable(path=PATH, keys=("a",), values={"a": []})
KEY = TomlEntry(path=PATH, keys=("b",), value=False)
OTHER = TomlTable(path=PATH, keys=("a b",), values={"a": []})
INSIDE = TomlEntry(path=PATH, keys=("a", "a"), value=False)
BELOW = TomlTable(path=PATH, keys=("c", "b"), values={"a": []})
DEEP = TomlTable(path=PATH, keys=("c", "a", "a"), values={"a": []})
INNER = TomlTable(path=PATH, keys=("c", "a"), values={"a": False})
SETTINGS = settings(max_examples=150, deadline=None)


def take_all(sheet: Callable[[str], Sheet], text: str, holds: Sequence[Hold]) -> str:
    done = rework(sheet, text, holds, ())
    assert done.holds == ()
    return done.text


def after_rounds(sheet: Callable[[str], Sheet], text: str, rounds: Sequence[Sequence[Claim]]) -> str:
    """The text after one set of claims followed the other, where it was not refused, and all was taken out."""
    holds: tuple[Hold, ...] = ()
    for claims in rounds:
        done = rework(sheet, text, holds, claims)
        if not done.refused:
            text, holds = done.text, done.holds
    return take_all(sheet, text, holds)


def unclashing(claims: Sequence[Claim]) -> list[Claim]:
    """The claims of which none lies within another one's value."""
    chosen: list[Claim] = []
    for claim in claims:
        keys = getattr(claim, "keys", ())
        others = [getattr(other, "keys", ()) for other in chosen]
        if not any(keys[: len(other)] == other or other[: len(keys)] == keys for other in others):
            chosen.append(claim)
    return chosen


TOML_KEYS = st.sampled_from(["a", "b", "c", "a b", "ключ"])
TOML_VALUE_TEXTS = st.sampled_from(
    ["1", "true", '"x"', "'y # z'", '"]"', "[1, 2]", "[\n 1, # c\n  2,\n]", '"""\n[a]\nb = 1\n"""', "{ a = 1 }", "{}"]
)
ODD_TOML_VALUE_TEXTS = st.sampled_from(
    ["{ }", "1979-05-27 07:32:00", "0x1F", "'''\n# no\n'''", "[{ a = '}' }]", "{a={b=1},c=2}"]
)


@st.composite
def toml_documents(draw: st.DrawFn, *, marked: bool = False) -> str:
    def key(depth: int) -> str:
        names = draw(st.lists(TOML_KEYS, min_size=1, max_size=depth))
        return draw(st.sampled_from([".", " . "])).join(
            name if name in "abc" else draw(st.sampled_from([f'"{name}"', f"'{name}'"])) for name in names
        )

    indent = draw(st.sampled_from(["", "", "  ", "\t"]))
    text = ""
    count = draw(st.integers(1, 8))
    marked_line = draw(st.integers(0, count - 1)) if marked else count
    for number in range(count):
        kind = draw(st.sampled_from(["pair", "pair", "pair", "table", "table", "array", "comment", "blank"]))
        tail = draw(st.sampled_from(["", "", " # t", "  "]))
        match "mark" if number == marked_line else kind:
            case "mark":
                line = f'mark = "{MARK}"'
            case "pair":
                equals = draw(st.sampled_from([" = ", "="]))
                value = draw(st.one_of(TOML_VALUE_TEXTS, ODD_TOML_VALUE_TEXTS))
                line = f"{indent}{key(2)}{equals}{value}{tail}"
            case "table":
                line = f"{indent}[{key(3)}]{tail}"
            case "array":
                line = f"[[{key(2)}]]{tail}"
            case "comment":
                line = f"{indent}# comment"
            case _:
                line = draw(st.sampled_from(["", "", "  "]))
        text = f"{text}{line}\n" if is_toml(f"{text}{line}\n") else text
    text = draw(st.sampled_from([text, text, text[:-1], f"{text}\n"]))
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


def is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


TOML_VALUES = st.recursive(
    st.one_of(SCALARS, st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(TOML_KEYS, inner, max_size=2)),
    max_leaves=5,
)


@st.composite
def toml_claims(draw: st.DrawFn) -> Claim:
    keys = tuple(draw(st.lists(TOML_KEYS, min_size=1, max_size=3)))
    if draw(st.booleans()):
        return TomlTable(
            path=PATH, keys=keys, values=draw(st.dictionaries(TOML_KEYS, TOML_VALUES, min_size=1, max_size=3))
        )
    return TomlEntry(path=PATH, keys=keys, value=draw(TOML_VALUES), replace=draw(st.booleans()))


TOML_CLAIM_LISTS = st.lists(toml_claims(), min_size=1, max_size=4).map(unclashing)


@SETTINGS
@given(text=toml_documents(), claims=TOML_CLAIM_LISTS)
def test_toml_comes_back_byte_for_byte(text: str, claims: list[Claim]) -> None:
    done = rework(TomlSheet, text, (), claims)
    if done.refused:
        return
    sheet = TomlSheet(done.text)
    assert all(sheet.state(claim, None) is ClaimState.PRESENT for claim in claims)
    assert rework(TomlSheet, done.text, done.holds, claims) == done
    assert take_all(TomlSheet, done.text, done.holds) == text


@SETTINGS
@example(text="# comment\n", rounds=[[TABLE, KEY], [KEY]])
@example(text="# comment", rounds=[[TABLE, KEY], [KEY]])
@example(text="# comment", rounds=[[TABLE, KEY], [INSIDE, KEY]])
@example(text="\n", rounds=[[TABLE, KEY, INNER], [INNER]])
@example(text="[c]\na = 1", rounds=[[BELOW, KEY], [KEY]])
@example(text="[c]\na = 1", rounds=[[OTHER, KEY, TABLE], [TABLE]])
@example(text="c = {}\nd = 1", rounds=[[TABLE, DEEP], [DEEP]])
@given(text=toml_documents(), rounds=st.lists(TOML_CLAIM_LISTS, min_size=2, max_size=4))
def test_toml_comes_back_after_any_row_of_upgrades(text: str, rounds: list[list[Claim]]) -> None:
    assert after_rounds(TomlSheet, text, rounds) == text


@SETTINGS
@given(text=toml_documents(marked=True), claims=TOML_CLAIM_LISTS, new=st.sampled_from(["other", "# longer [text]", ""]))
def test_a_toml_edit_of_the_users_stays(text: str, claims: list[Claim], new: str) -> None:
    done = rework(TomlSheet, text, (), claims)
    if done.refused:
        return
    assert take_all(TomlSheet, done.text.replace(MARK, new), done.holds) == text.replace(MARK, new)


@SETTINGS
@given(text=toml_documents(), claims=TOML_CLAIM_LISTS)
def test_ours_is_found_in_toml_that_a_client_printed_anew(text: str, claims: list[Claim]) -> None:
    done = rework(TomlSheet, text, (), claims)
    if done.refused:
        return
    try:
        printed = tomli_w.dumps(tomllib.loads(done.text))
        left = take_all(TomlSheet, printed, done.holds)
    except Refused:
        return
    assert without_empty(tomllib.loads(left)) == without_empty(tomllib.loads(text))


def without_empty(value: object) -> object:
    """Tables that hold nothing say nothing; whether they are written out is a matter of layout."""
    if isinstance(value, dict):
        inner = {key: without_empty(item) for key, item in value.items()}
        return {key: item for key, item in inner.items() if item != {}}
    return value


@SETTINGS
@given(text=toml_documents())
def test_the_toml_scanner_finds_every_value_where_it_stands(text: str) -> None:
    document = scan_toml(text)
    for section in document.sections:
        for pair in section.pairs:
            assert tomllib.loads(f"v = {text[pair.value_start : pair.end]}")["v"] is not None
            assert text[pair.start : pair.value_start].rstrip(" \t").endswith("=")
    for pair in document.pairs():
        value: object = document.values
        for key in pair.path:
            assert isinstance(value, dict)
            value = value[key]
        assert value == tomllib.loads(f"v = {text[pair.value_start : pair.end]}")["v"]


@SETTINGS
@given(text=st.text(alphabet="ab=[]{}\"'#.,\n\t \\", max_size=40))
def test_any_text_is_scanned_as_toml_or_named_invalid(text: str) -> None:
    try:
        scan_toml(text)
    except TomlTextError:
        return
    assert tomllib.loads(text) is not None
