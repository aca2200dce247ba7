"""What holds for every JSON settings file: generated documents, layouts, comments and claims."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import example, given, settings
from hypothesis import strategies as st

from kg_core.claims.jsonsheet import JsonSheet
from kg_core.claims.jsontext import scan as scan_json
from kg_core.claims.sheet import ClaimState, rework
from kg_plugin_api.claims import JsonEntry, JsonItem

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    from kg_core.claims.record import Hold
    from kg_core.claims.sheet import Sheet
    from kg_plugin_api.claims import Claim

PATH = Path("/settings")
MARK = "the user's own text"
KEYS = st.sampled_from(["a", "b", "c", "a b", 'q"', "ключ"])
SCALARS = st.one_of(
    st.booleans(), st.integers(-5, 5), st.sampled_from(["", "x", "//", "/*", "# t", "]}", "\\", '"', "é\u2028", "[a]"])
)
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


class JsonPrinter:
    """Prints a value in a layout drawn at random, with comments and trailing commas in odd places."""

    def __init__(self, draw: random.Random, *, comments: bool, lines: bool, end: str, unit: str) -> None:
        self.draw, self.comments, self.lines, self.end, self.unit = draw, comments, lines, end, unit

    def document(self, value: object) -> str:
        before = self.trivia(0) if self.draw.random() < 0.3 else ""
        behind = self.draw.choice(["", self.end, self.end * 2]) if self.lines else ""
        return before + self.value(value, 0) + behind

    def value(self, value: object, depth: int) -> str:
        if isinstance(value, dict):
            pairs = [
                f"{json.dumps(key, ensure_ascii=self.draw.random() < 0.5)}{self.gap()}:{self.gap()}"
                + self.value(item, depth + 1)
                for key, item in value.items()
            ]
            return self.container("{", pairs, "}", depth)
        if isinstance(value, list):
            return self.container("[", [self.value(item, depth + 1) for item in value], "]", depth)
        return json.dumps(value, ensure_ascii=self.draw.random() < 0.5)

    def container(self, opening: str, members: list[str], closing: str, depth: int) -> str:
        lined = self.lines and self.draw.random() < 0.8
        text = opening
        for index, member in enumerate(members):
            text += self.trivia(depth + 1) if lined else self.gap()
            text += member + (self.gap() if self.draw.random() < 0.1 else "")
            if index < len(members) - 1 or (self.comments and self.draw.random() < 0.2):
                text += ","
        return text + (self.trivia(depth) if lined else self.gap()) + closing

    def trivia(self, depth: int) -> str:
        text = ""
        if self.comments and self.draw.random() < 0.2:
            text += self.draw.choice([" // c", " //", " /* b */ /**/ // , x"])
        text += self.end * self.draw.choice([1, 1, 1, 2]) + self.unit * depth
        if self.comments and self.draw.random() < 0.2:
            text += self.draw.choice(["// own line", "/* , */", "// {"]) + self.end + self.unit * depth
        return text

    def gap(self) -> str:
        if self.comments and self.draw.random() < 0.1:
            return self.draw.choice(["/* x */", " /* , */ "])
        return self.draw.choice(["", " "])


JSON_VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=12,
)


@st.composite
def json_documents(draw: st.DrawFn, *, marked: bool = False) -> str:
    value = draw(st.dictionaries(KEYS, JSON_VALUES, max_size=4))
    if marked:
        value["mark"] = MARK
    printer = JsonPrinter(
        draw(st.randoms(use_true_random=False)),
        comments=draw(st.booleans()),
        lines=draw(st.booleans()),
        end=draw(st.sampled_from(["\n", "\r\n"])),
        unit=draw(st.sampled_from(["  ", "    ", "\t", " ", ""])),
    )
    return printer.document(value)


@st.composite
def json_claims(draw: st.DrawFn) -> Claim:
    keys = tuple(draw(st.lists(KEYS, min_size=1, max_size=3)))
    value = draw(JSON_VALUES)
    if draw(st.booleans()):
        return JsonItem(path=PATH, keys=keys, value=value)
    return JsonEntry(path=PATH, keys=keys, value=value, replace=draw(st.booleans()))


def unclashing(claims: Sequence[Claim]) -> list[Claim]:
    """The claims of which none lies within another one's value."""
    chosen: list[Claim] = []
    for claim in claims:
        keys = getattr(claim, "keys", ())
        others = [getattr(other, "keys", ()) for other in chosen]
        if not any(keys[: len(other)] == other or other[: len(keys)] == keys for other in others):
            chosen.append(claim)
    return chosen


JSON_CLAIM_LISTS = st.lists(json_claims(), min_size=1, max_size=4).map(unclashing)


@SETTINGS
@given(text=json_documents(), claims=JSON_CLAIM_LISTS)
@example(text='{"a": 1 // c\n}', claims=[JsonEntry(path=PATH, keys=("b",), value=1)])
@example(text='{"a": {"b": [ /* x */ ]}}', claims=[JsonItem(path=PATH, keys=("a", "b"), value={"c": []})])
def test_json_comes_back_byte_for_byte(text: str, claims: list[Claim]) -> None:
    done = rework(JsonSheet, text, (), claims)
    if done.refused:
        return
    sheet = JsonSheet(done.text)
    assert all(sheet.state(claim, None) is ClaimState.PRESENT for claim in claims)
    assert rework(JsonSheet, done.text, done.holds, claims) == done
    assert take_all(JsonSheet, done.text, done.holds) == text


@SETTINGS
@given(text=json_documents(), rounds=st.lists(JSON_CLAIM_LISTS, min_size=2, max_size=4))
def test_json_comes_back_after_any_row_of_upgrades(text: str, rounds: list[list[Claim]]) -> None:
    assert after_rounds(JsonSheet, text, rounds) == text


@SETTINGS
@given(
    text=json_documents(marked=True), claims=JSON_CLAIM_LISTS, new=st.sampled_from(["other", "much longer // text", ""])
)
def test_a_json_edit_of_the_users_stays(text: str, claims: list[Claim], new: str) -> None:
    done = rework(JsonSheet, text, (), claims)
    if done.refused:
        return
    assert take_all(JsonSheet, done.text.replace(MARK, new), done.holds) == text.replace(MARK, new)


@SETTINGS
@given(text=json_documents(), claims=JSON_CLAIM_LISTS, indent=st.sampled_from([None, 0, 2, "\t"]))
def test_ours_is_found_in_json_that_a_client_printed_anew(text: str, claims: list[Claim], indent: int | None) -> None:
    done = rework(JsonSheet, text, (), claims)
    if done.refused:
        return
    printed = json.dumps(value_of(done.text), indent=indent, ensure_ascii=True)
    assert value_of(take_all(JsonSheet, printed, done.holds)) == value_of(text)


def value_of(text: str) -> object:
    root = scan_json(text).root
    return None if root is None else root.value()


@SETTINGS
@given(text=json_documents())
def test_the_json_scanner_reads_what_the_standard_library_reads(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        return
    assert value_of(text) == expected
