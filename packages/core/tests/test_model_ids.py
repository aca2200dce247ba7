"""Ids in any script: legal ones stay, illegal ones are refused with a legal one proposed."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_core.model.ids import advice, check_id, check_rel, fold, is_legal, propose, words
from kg_plugin_api import Code, KgError


@pytest.mark.parametrize("node_id", ["cache-key-policy", "部署方案", "صيانة-الخادم", "é", "v1.2_x", "ไทย", "a" * 128])
def test_letters_marks_and_digits_of_any_script_are_legal(node_id: str) -> None:
    assert check_id(node_id) == node_id


@pytest.mark.parametrize(
    "node_id",
    [
        "",
        "a b",
        "a/b",
        "user:x",
        "a\nb",
        "~",
        "🔥",
        "\u115f",
        "\ufe0f",
        "a\u3164b",
        "a\u034fb",
        "\uffa0",
        "a" * 129,
        "x​y",
        "a\x00",
    ],
)
def test_other_ids_are_refused_and_a_legal_one_is_proposed(node_id: str) -> None:
    with pytest.raises(KgError) as caught:
        check_id(node_id + " ")

    proposed = caught.value.data["proposed"]
    assert caught.value.code is Code.INVALID
    assert isinstance(proposed, str)
    assert is_legal(proposed)
    assert proposed in caught.value.sentence


def test_titles_that_are_not_latin_stay_distinct() -> None:
    titles = ["部署方案", "صيانة الخادم", "🔥🚀", "é", "✏"]

    proposals = [propose(title) for title in titles]

    assert len(set(proposals)) == len(titles)
    assert all(proposals)


def test_composed_and_decomposed_spellings_are_one_node() -> None:
    composed, decomposed = "é", "é"

    assert check_id(composed) == check_id(decomposed)
    assert fold(composed) == fold(decomposed)
    assert propose(composed) == propose(decomposed)


def test_a_variation_selector_does_not_make_another_id() -> None:
    assert propose("✏") == propose("✏️")


@pytest.mark.parametrize(("one", "other"), [("Config", "config"), ("API", "api"), ("Straße", "STRASSE")])
def test_ids_are_compared_case_folded(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_seven_words_are_refused_and_six_or_a_date_get_a_remark() -> None:
    with pytest.raises(KgError, match="7 words"):
        check_id("one-two-three-four-five-six-seven")
    assert "6 words" in advice(check_id("one-two-three-four-five-six"))
    assert "date" in advice(check_id("outage-2026-02-03"))
    assert advice(check_id("cache-key-policy")) == ""
    assert words("a-b_c.d") == ["a", "b", "c", "d"]


def test_relations_follow_the_alphabet_of_ids_with_their_own_length() -> None:
    assert check_rel("depends-on") == "depends-on"
    for rel in ["has space", "", "x" * 65]:
        with pytest.raises(KgError):
            check_rel(rel)


def test_a_line_break_at_the_end_is_no_part_of_a_name() -> None:
    assert check_id("cache-key\n") == "cache-key"
    assert check_rel("guards\n") == "guards"
    assert not is_legal("cache-key\n")


@given(st.text(st.characters(codec="utf-8")) | st.lists(st.text("ab. 🔥`", min_size=1), min_size=5).map(" ".join))
def test_the_id_that_a_refusal_proposes_is_not_refused(text: str) -> None:
    try:
        proposed = check_id(text)
    except KgError as refusal:
        proposed = str(refusal.data["proposed"])

    assert check_id(proposed) == proposed


@pytest.mark.parametrize("text", ["", "  ", "\u200b"])
def test_an_empty_name_is_called_empty_and_not_given_one(text: str) -> None:
    with pytest.raises(KgError, match="The id is empty"):
        check_id(text)
    with pytest.raises(KgError, match="The relation is empty"):
        check_rel(text)


def test_a_name_of_bytes_that_are_no_text_is_not_called_empty() -> None:
    with pytest.raises(KgError, match="The id is not valid text"):
        check_id("\udcff\udcfe")
    with pytest.raises(KgError, match="The relation is not valid text"):
        check_rel("\udcff\udcfe")


@pytest.mark.parametrize("text", ["`cache-key`", "**cache-key**", "'cache-key'", "“cache-key”", "´cache key´"])
def test_what_quotes_an_id_is_no_word_of_it(text: str) -> None:
    assert propose(text) == "cache-key"


@given(st.text(st.characters(codec=None)))
def test_a_proposal_is_always_legal_and_stable(text: str) -> None:
    proposed = propose(text)

    assert is_legal(proposed)
    assert propose(text) == proposed


@given(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=40))
def test_a_text_of_letters_and_digits_is_its_own_proposal(text: str) -> None:
    normal = unicodedata.normalize("NFC", text)
    if is_legal(normal):
        assert propose(text) == normal


@given(st.text())
def test_folding_is_idempotent(text: str) -> None:
    assert fold(fold(text)) == fold(text)
