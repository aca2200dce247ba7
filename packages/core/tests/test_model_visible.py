"""What nobody can see says nothing."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from kg_core.model.visible import shows
from kg_core.render import one_line


@pytest.mark.parametrize(
    "text", ["a", "部", "é", "\u202eabc", "א", "🚲", "\u200b.\u200b", "\u093f", "\ue000", "\ufffd", "\u1c00"]
)
def test_a_letter_a_sign_or_a_picture_shows_something(text: str) -> None:
    assert shows(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \t\r\n",
        "\xa0\u3000",
        "\u200b\ufeff",
        "\u202e\u2066\u061c",
        "\x00\x1b\x85",
        "\ud800",
        "\U000e0041",
        "\u3164",
        "\u2800",
    ],
)
def test_spaces_controls_directions_fillers_and_halves_of_characters_show_nothing(text: str) -> None:
    assert not shows(text)


def test_no_character_is_seen_that_is_a_control_or_left_out_when_it_is_shown() -> None:
    for number in range(sys.maxunicode + 1):
        character = chr(number)
        if unicodedata.category(character) in {"Cc", "Zs", "Zl", "Zp", "Cs"} or not one_line(character):
            assert not shows(character), hex(number)
