"""The values of the plug-in API keep what their docstrings promise."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kg_plugin_api
from kg_plugin_api import (
    Caller,
    Carrier,
    Code,
    Event,
    EventKind,
    EventSpec,
    Harness,
    Immediate,
    KgError,
    Launch,
    Limit,
    Maturity,
    Path,
    PathLimit,
    Queued,
    RawEvent,
    Recognition,
    SearchUnavailable,
    StartContext,
    StartSource,
    TranscriptView,
    Unit,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kg_plugin_api import Claim, Offer, Site, Step


class NoWiring:
    """Connects nothing."""

    def claims(self, site: Site) -> Sequence[Claim]:
        return ()

    def steps(self, site: Site) -> Sequence[Step]:
        return ()

    def offers(self, site: Site) -> Sequence[Offer]:
        return ()


class QueuedDialect:
    """A dialect whose payloads carry no prompt, no cwd and no source, as some clients' do."""

    def parse(self, raw: RawEvent) -> Event | None:
        session = raw.payload.get("conversationId")
        if raw.native != "PreInvocation" or not isinstance(session, str):
            return None
        return Event(kind=EventKind.PROMPT, native=raw.native, session=session, transcript="t.jsonl")

    def reply(self, raw: RawEvent, text: str) -> str:
        return '{"injectSteps":[]}' if text else "{}"

    def caller(self, meta: Mapping[str, object]) -> Caller:
        session = meta.get("antigravity.google/conversation_id")
        return Caller(session=session if isinstance(session, str) else "")


class LastPrompt:
    """Reads the prompt from the end of a transcript."""

    tail_bytes = 262_144

    def view(self, tail: bytes, fresh: bytes) -> TranscriptView:
        return TranscriptView(prompt=tail.decode("utf-8", "replace"), prompt_key="1", compacted=b"CHECKPOINT" in fresh)


def queued_harness() -> Harness:
    return Harness(
        name="queued",
        title="A client with queued delivery",
        maturity=Maturity.EXPERIMENTAL,
        recognition=Recognition(binaries=("queued",), clients=("queued-client",), config_default=".queued"),
        events=(
            EventSpec(native="PreInvocation", kind=EventKind.PROMPT, carrier=Carrier.HOOK_CLIENT, timeout=5),
            EventSpec(
                native="PostToolUse",
                kind=EventKind.AFTER_TOOL,
                carrier=Carrier.HOOK_CLIENT,
                timeout=5,
                injects=False,
                delivered_by="PreInvocation",
            ),
        ),
        start_context=StartContext.PERSISTS,
        limits=(
            PathLimit(path=Path.PRELOAD, limit=Limit(10_000, Unit.BYTES)),
            PathLimit(path=Path.EVENT, limit=Limit(9_000, Unit.BYTES)),
            PathLimit(path=Path.EVENT, limit=Limit(4_000, Unit.BYTES), carrier=Carrier.MCP_HOOK),
            PathLimit(path=Path.READ, limit=None),
        ),
        dialect=QueuedDialect(),
        wiring=NoWiring(),
        delivery=Queued(packet=Limit(40_000, Unit.BYTES), inline=Limit(3_500, Unit.BYTES)),
        transcripts=LastPrompt(),
    )


def test_a_harness_with_queued_delivery_and_transcript_prompts_fits_the_api() -> None:
    harness = queued_harness()

    event = harness.dialect.parse(
        RawEvent(native="PreInvocation", carrier=Carrier.HOOK_CLIENT, payload={"conversationId": "c1"})
    )

    assert event is not None
    assert event.session == "c1"
    assert harness.transcripts is not None
    assert harness.transcripts.view(b"hello", b"CHECKPOINT").compacted
    assert isinstance(harness.delivery, Queued)


def test_a_harness_answers_at_once_unless_it_says_otherwise() -> None:
    assert isinstance(dataclasses.replace(queued_harness(), delivery=Immediate()).delivery, Immediate)


@pytest.mark.parametrize(
    ("path", "carrier", "expected"),
    [
        (Path.EVENT, Carrier.MCP_HOOK, Limit(4_000, Unit.BYTES)),
        (Path.EVENT, Carrier.HOOK_CLIENT, Limit(9_000, Unit.BYTES)),
        (Path.READ, Carrier.MCP, None),
        (Path.TOOL, Carrier.MCP, None),
    ],
)
def test_the_limit_stated_for_a_carrier_wins_over_the_general_one(
    path: Path, carrier: Carrier, expected: Limit | None
) -> None:
    assert queued_harness().limit(path, carrier) == expected


def test_an_event_that_is_not_registered_has_no_specification() -> None:
    assert queued_harness().event("Stop") is None
    spec = queued_harness().event("PostToolUse")
    assert spec is not None
    assert spec.delivered_by == "PreInvocation"


@pytest.mark.parametrize(
    ("text", "utf16", "utf8", "characters"),
    [("abc", 3, 3, 3), ("é", 1, 2, 1), ("部署", 2, 6, 2), ("🔥", 2, 4, 1), ("👩‍💻", 5, 11, 3), ("", 0, 0, 0)],
)
def test_units_count_as_clients_do(text: str, utf16: int, utf8: int, characters: int) -> None:
    assert Unit.UTF16.measure(text) == utf16
    assert Unit.BYTES.measure(text) == utf8
    assert Unit.CHARACTERS.measure(text) == characters


@given(st.text(st.characters(codec=None)), st.text(), st.sampled_from(list(Unit)))
def test_measures_add_up_and_never_fail(left: str, right: str, unit: Unit) -> None:
    if left[-1:] < "\ud800" or left[-1:] > "\udbff":
        assert unit.measure(left) + unit.measure(right) == unit.measure(left + right)


def test_an_event_is_registered_in_parts_only_where_a_person_wants_all_of_the_memory() -> None:
    start = EventSpec(native="Start", kind=EventKind.SESSION_START, carrier=Carrier.HOOK_CLIENT, timeout=5, parts=3)
    usual = Launch(shim=("kg",), hook={"Start": "kg hook"}, hook_argv={"Start": ("kg", "hook")})
    whole = dataclasses.replace(usual, whole=True)

    assert [usual.shell("Start", part) for part in usual.parts(start)] == ["kg hook"]
    assert [whole.shell("Start", part) for part in whole.parts(start)] == [
        "kg hook",
        "kg hook --part 2",
        "kg hook --part 3",
    ]
    assert whole.argv("Start") == ("kg", "hook")
    assert whole.argv("Start", 2) == ("kg", "hook", "--part", "2")
    assert list(whole.parts(dataclasses.replace(start, parts=1))) == [1]
    assert start.arguments() == {"event": "Start", "payload": {}}
    assert start.arguments(2) == {"event": "Start", "payload": {}, "part": 2}


def test_a_limit_holds_up_to_and_including_its_maximum() -> None:
    assert Limit(4, Unit.BYTES).holds("éé")
    assert not Limit(4, Unit.BYTES).holds("ééa")


@pytest.mark.parametrize("value", ["startup", "", None, 7, "a-source-of-the-future"])
def test_an_unknown_or_missing_start_source_counts_as_startup(value: object) -> None:
    assert StartSource.of(value) is StartSource.STARTUP


@pytest.mark.parametrize("value", ["resume", "clear", "compact", "fork"])
def test_known_start_sources_are_kept(value: str) -> None:
    assert StartSource.of(value) == value


def test_an_error_carries_its_sentence_and_data() -> None:
    error = SearchUnavailable("The index does not answer.", {"backend": "pg"})

    assert isinstance(error, KgError)
    assert error.code is Code.UNAVAILABLE
    assert str(error) == error.sentence == "The index does not answer."
    assert error.data == {"backend": "pg"}


def test_every_value_of_the_api_is_frozen_and_keyword_only_or_a_short_tuple_of_its_own() -> None:
    values = [getattr(kg_plugin_api, name) for name in kg_plugin_api.__all__]

    for value in values:
        if isinstance(value, type) and dataclasses.is_dataclass(value):
            parameters = value.__dataclass_params__  # type: ignore[attr-defined]
            assert parameters.frozen, value
