"""From nodes to rows and from two orders to one: pure, and total over any text."""

from __future__ import annotations

from dataclasses import replace

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_plugin_api import SearchItem
from kg_search_pg.chunks import LONGEST, NAMED, chunks, split, vector
from kg_search_pg.database import told
from kg_search_pg.fusion import Found, Weights, fuse, ranks
from kg_search_pg.words import Role, asked, clean, terms

any_text = st.text(st.characters(), max_size=200)
"""Halves of characters and NUL included."""


def texts(text: str) -> list[str]:
    return [term.text for term in terms(text)]


def found(key: str, merit: float, status: str = "current") -> Found:
    return Found(key=key, graph="user", id=key, status=status, merit=merit)


legs = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0, 1)).map(
    lambda leg: [found(key, merit) for key, merit in leg.items()]
)


def test_an_identifier_is_found_whole_and_by_its_parts() -> None:
    assert texts("src/getUserName.py") == ["srcgetusernamepy", "src", "get", "user", "name", "py"]
    assert texts("max_retry_count") == ["maxretrycount", "max", "retry", "count"]
    assert texts("ADR-016") == ["adr016", "adr", "016"]


def test_however_an_identifier_is_written_its_whole_is_the_same() -> None:
    assert {texts(written)[0] for written in ("max-retry-count", "max_retry_count", "maxRetryCount")} == {
        "maxretrycount"
    }


def test_a_dash_before_a_word_is_no_operator() -> None:
    assert texts("-O2 --flag") == ["o2", "o", "2", "flag"]


def test_spellings_of_one_word_are_one_term() -> None:
    assert texts("CAFÉ") == texts("cafe\u0301") == ["café"]
    assert texts("Straße") == texts("STRASSE")
    assert texts("don't") == ["dont"]


def test_scripts_without_spaces_are_cut_into_grams() -> None:
    assert texts("部署方案")[:3] == ["部署", "署方", "方案"]
    assert [term.text for term in asked("部署")] == ["部署"]
    assert set(texts("署")) <= set(texts("部署方案"))


def test_an_emoji_is_a_sign_and_a_letter_is_none() -> None:
    assert [(term.text, term.role) for term in terms("🚀 a 署")] == [
        ("🚀", Role.SIGN),
        ("a", Role.WORD),
        ("署", Role.GRAM),
    ]


def test_marks_belong_to_the_letter_before() -> None:
    assert texts("हिन्दी") == ["हिन्दी"]


def test_a_hash_is_not_taken_apart() -> None:
    assert texts("9f86d081884c7d659a2feaa0") == ["9f86d081884c7d659a2feaa0"]


@given(any_text)
def test_any_text_has_terms_that_a_vector_takes(text: str) -> None:
    for term in terms(text):
        assert 0 < len(term.text) <= 64 * 18
        assert "\0" not in term.text
        term.text.encode("utf-8")
    vector([("A", term) for term in terms(text)], {}).encode("utf-8")


@given(any_text)
def test_what_is_asked_is_in_the_text(text: str) -> None:
    assert {term.text for term in asked(text)} <= set(texts(text))


@given(st.text(max_size=5_000), st.integers(min_value=10, max_value=200))
def test_the_pieces_of_a_text_are_the_text(text: str, most: int) -> None:
    pieces = list(split(text, most))

    assert all(0 < len(piece) <= most for piece in pieces)
    assert text.startswith("".join(pieces))
    assert not text[len("".join(pieces)) :].strip()


def test_a_node_is_a_row_one_with_its_name_and_one_for_each_case() -> None:
    item = SearchItem(key="user\x1fa", graph="user", id="tea-kettle", gist="gist", notes=("first", "x" * (LONGEST + 1)))

    rows = list(chunks(item))

    assert [row.ordinal for row in rows] == [0, NAMED, 1, 2, 3]
    assert [row.content for row in rows] == ["gist", "tea kettle: gist", "first", "x" * LONGEST, "x"]


@given(any_text)
def test_what_is_embedded_decides_the_digest(text: str) -> None:
    item = SearchItem(key="k", graph="user", id="a", gist=text, tier="active")
    other = SearchItem(key="k", graph="user", id="a", gist=text, tier="archived", tags=("tag",))

    assert next(chunks(item)).digest == next(chunks(other)).digest


@given(st.text(), st.text())
def test_cleaning_is_done_once(left: str, right: str) -> None:
    assert clean(clean(left)) == clean(left)
    assert clean(left + right) == clean(left) + clean(right)


@given(legs)
def test_equal_merits_share_a_rank(leg: list[Found]) -> None:
    told = ranks(leg)

    for one in leg:
        assert told[one.key] == 1 + sum(other.merit > one.merit for other in leg)


@given(legs, legs, st.integers(0, 12))
def test_fusion_keeps_every_node_once_best_first(lexical: list[Found], dense: list[Found], limit: int) -> None:
    hits = fuse(lexical, dense, limit, Weights())

    keys = {each.key for each in [*lexical, *dense]}
    assert len(hits) == min(limit, len(keys))
    assert [(-hit.score, hit.key) for hit in hits] == sorted((-hit.score, hit.key) for hit in hits)
    assert {hit.key for hit in hits} <= keys


@given(legs)
def test_a_leg_that_is_alone_keeps_its_order(leg: list[Found]) -> None:
    expected = [each.key for each in sorted(leg, key=lambda each: (-each.merit, each.key))]

    assert [hit.key for hit in fuse(leg, [], 20, Weights())] == expected
    assert [hit.key for hit in fuse([], leg, 20, Weights())] == expected


def test_of_equal_ranks_what_covers_more_of_the_question_comes_first() -> None:
    some, all_ = (replace(found(key, 1.0), coverage=coverage) for key, coverage in (("a", 0.2), ("b", 1.0)))

    assert [hit.key for hit in fuse([some, all_], [], 2, Weights())] == ["b", "a"]


def test_a_superseded_node_counts_less() -> None:
    hits = fuse([found("a", 1.0, "superseded"), found("b", 1.0)], [], 2, Weights())

    assert [hit.key for hit in hits] == ["b", "a"]


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (
            (
                'connection failed: connection to server at "127.0.0.1", port 5432 failed: Connection refused\n'
                "\tIs the server running on that host and accepting TCP/IP connections?"
            ),
            'connection failed: connection to server at "127.0.0.1", port 5432 failed: Connection refused',
        ),
        (
            (
                "Multiple attempts failed:\n"
                "- host: 'a', port: None: connection failed: refused\n\tIs the server running?\n"
                "- host: 'b', port: None: connection failed: timeout expired\n"
            ),
            (
                "Multiple attempts failed: - host: 'a', port: None: connection failed: refused"
                " - host: 'b', port: None: connection failed: timeout expired"
            ),
        ),
        ("\tIs anybody there?", "Is anybody there"),
        ("", "OperationalError"),
    ],
)
def test_what_the_driver_says_becomes_one_statement(said: str, line: str) -> None:
    assert told(psycopg.OperationalError(said)) == line
