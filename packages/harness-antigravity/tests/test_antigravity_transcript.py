from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_harness_antigravity import ANTIGRAVITY
from kg_plugin_api import TranscriptView

READER = ANTIGRAVITY.transcripts
assert READER is not None


def row(step: int, kind: str, content: str = "", **more: object) -> bytes:
    value = {"step_index": step, "source": "USER", "type": kind, "status": "DONE", "content": content, **more}
    return json.dumps({"created_at": f"2026-11-29T10:00:{step:02}Z", **value}).encode() + b"\n"


def asked(step: int, prompt: str) -> bytes:
    return row(
        step, "USER_INPUT", f"<USER_REQUEST>\n{prompt}\n</USER_REQUEST>\n<ADDITIONAL>the open files</ADDITIONAL>"
    )


def view(tail: bytes, fresh: bytes = b"") -> TranscriptView:
    assert READER is not None
    return READER.view(tail, fresh)


def test_the_prompt_is_what_the_person_typed_last() -> None:
    tail = asked(1, "First.") + row(2, "PLANNER_RESPONSE", "USER_INPUT it is") + asked(3, "Second,\nin two lines.")

    assert view(tail + row(4, "GENERIC")).prompt == "Second,\nin two lines."


def test_a_prompt_with_the_closing_tag_in_it_stays_whole() -> None:
    assert view(asked(1, "What is </USER_REQUEST> for?")).prompt == "What is </USER_REQUEST> for?"


def test_the_same_words_typed_again_are_another_prompt() -> None:
    first, again = view(asked(1, "Go on.")), view(asked(1, "Go on.") + asked(5, "Go on."))

    assert first.prompt == again.prompt
    assert first.prompt_key != again.prompt_key
    assert view(asked(1, "Go on.") + row(2, "GENERIC")).prompt_key == first.prompt_key


def test_a_tail_that_begins_within_a_row_is_read_from_the_next_one() -> None:
    whole = asked(1, "First.") + asked(2, "Second.")

    assert view(whole[20:]).prompt == "Second."
    assert view(asked(1, "First.")[20:]) == TranscriptView()


def test_only_a_row_of_a_checkpoint_is_a_compaction() -> None:
    assert view(b"", row(7, "CHECKPOINT")).compacted
    assert not view(row(7, "CHECKPOINT"), row(8, "GENERIC", "a CHECKPOINT was made")).compacted
    assert not view(b"", row(7, "CHECKPOINT").replace(b"7", b'"7"', 1)).compacted


@pytest.mark.parametrize(
    "content", [b"\xff\xfe\n", b"USER_INPUT\n", b'"USER_INPUT"\n', b'{"type":"USER_INPUT","content":5}\n', b"[" * 9_999]
)
def test_a_damaged_transcript_tells_nothing(content: bytes) -> None:
    found = view(content + b"USER_INPUT CHECKPOINT", content + b"CHECKPOINT")

    assert (found.prompt, found.compacted) == ("", False)


@given(st.binary() | st.lists(st.sampled_from([asked(1, "x"), row(2, "CHECKPOINT"), b"{", b"\n"])).map(b"".join))
def test_a_view_is_total(content: bytes) -> None:
    assert isinstance(view(content, content), TranscriptView)
