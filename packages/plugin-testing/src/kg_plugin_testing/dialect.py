"""How a harness reads what its client sends, and what it has the client print."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from kg_plugin_api import Caller, Carrier, Event, EventKind, RawEvent, ToolKind
from kg_plugin_testing.given import GivenHarness
from kg_plugin_testing.junk import JUNK, OBJECT, damaged, mixed, spoilt, without

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kg_plugin_api import EventSpec, Harness, Refuser

_ODD: Final = ('"}\n{"x": \\ud800 \u2028 \x1b[0m', "\ud800", "a\udc41\udc42b", "\x00\r\n\u2029")
"""A text that looks like JSON, lone surrogates, and characters that some readers take for the end of a line."""
_TAIL: Final = " and so the text is longer than any name in the envelope"


class DialectContract(GivenHarness):
    """Clauses about events, replies, refusals and callers."""

    def delivered(self, raw: RawEvent, reply: str) -> str:
        """What the client would hand to the model for a reply. Override it where the envelope is not JSON.

        The default takes the longest string inside the reply's JSON.
        """
        return max(_strings(json.loads(reply)), key=len, default="") if reply else ""

    def passed_over(self, raw: RawEvent) -> bool:
        """Whether the harness makes nothing of this recording, though it registers the event. Override it for a client
        that drops the text of an event in some cases, announces what may not happen, or does not tell who calls.
        """
        return False

    def test_every_event_is_recorded_on_its_carrier(self, harness: Harness, payloads: Mapping[str, RawEvent]) -> None:
        """What was never seen from the real client is a guess."""
        recorded = {(raw.native, raw.carrier) for raw in payloads.values() if not self.passed_over(raw)}
        assert not {(spec.native, spec.carrier) for spec in harness.events} - recorded

    def test_recorded_payloads_parse(self, harness: Harness, payloads: Mapping[str, RawEvent]) -> None:
        """A recorded event that the harness registers is that event, of a session; any other is ``None``, and so is
        one that it passes over.
        """
        for name, raw in payloads.items():
            event, spec = harness.dialect.parse(raw), harness.event(raw.native)
            if spec is None or self.passed_over(raw):
                assert event is None, name
            else:
                assert event is not None, name
                assert (event.kind, event.native) == (spec.kind, raw.native), name
                assert event.session, name

    def test_unknown_keys_are_ignored(self, harness: Harness, payloads: Mapping[str, RawEvent]) -> None:
        """A new version of the client adds fields."""
        for name, raw in payloads.items():
            more = replace(raw, payload={**raw.payload, "added_later": {"x": [1]}})
            assert harness.dialect.parse(more) == harness.dialect.parse(raw), name

    def test_parse_never_raises(self, harness: Harness, payloads: Mapping[str, RawEvent]) -> None:
        """Junk is ``None`` or an event, never an exception: it would take the agent's turn with it."""
        natives = st.sampled_from([spec.native for spec in harness.events]) | st.text(max_size=20)
        recorded = [dict(raw.payload) for raw in payloads.values()] or [{}]
        names = st.sampled_from(sorted({key for payload in recorded for key in payload}) or [""])
        junk_under_known_names = st.dictionaries(names | st.text(max_size=8), JUNK, max_size=8)
        payload = st.builds(mixed, st.sampled_from([{}, *recorded]), st.sets(names), junk_under_known_names)

        @settings(deadline=None)
        @given(natives, st.sampled_from(Carrier), payload, OBJECT)
        def check(native: str, carrier: Carrier, junk: dict[str, object], meta: dict[str, object]) -> None:
            event = harness.dialect.parse(RawEvent(native=native, carrier=carrier, payload=junk, meta=meta))
            assert event is None or isinstance(event, Event)
            assert event is None or event.session

        for raw in payloads.values():
            for payload_of_junk in spoilt(raw.payload):
                assert isinstance(harness.dialect.parse(replace(raw, payload=payload_of_junk)), Event | None)
        check()

    def test_parse_survives_damaged_recordings(self, harness: Harness, payloads: Mapping[str, RawEvent]) -> None:
        """One field gone or of another type, at any depth."""
        raws = [raw for raw in payloads.values() if raw.payload]
        for raw in raws:
            for gone in raw.payload:
                harness.dialect.parse(replace(raw, payload=without(raw.payload, gone)))

        @settings(deadline=None)
        @given(st.data())
        def check(data: st.DataObject) -> None:
            raw = data.draw(st.sampled_from(raws))
            event = harness.dialect.parse(replace(raw, payload=damaged(data, raw.payload)))
            assert event is None or isinstance(event, Event)

        check()

    def test_a_reply_delivers_any_text(self, harness: Harness, payloads: Mapping[str, RawEvent]) -> None:
        """Quotes, line breaks, emoji, control characters and lone surrogates reach the model, or a mark in their place.

        A client drops a reply that it cannot read as a whole, mostly without a word.
        """
        raws = [raw for raw in payloads.values() if (spec := harness.event(raw.native)) and spec.injects]
        assert raws, "no recorded event can bring text"

        def holds(raw: RawEvent, drawn: str) -> None:
            text = f"{drawn}{_TAIL}"
            reply = harness.dialect.reply(raw, text)
            reply.encode("utf-8")
            assert self.delivered(raw, reply) == _sound(text)

        for raw in raws:
            for odd in _ODD:
                holds(raw, odd)
        settings(deadline=None)(given(st.sampled_from(raws), st.text(st.characters()))(holds))()

    def test_no_text_is_no_reply_to_the_model(self, harness: Harness, payloads: Mapping[str, RawEvent]) -> None:
        """Silence is a feature: an empty reply must not put an empty message in front of the model."""
        for name, raw in payloads.items():
            reply = harness.dialect.reply(raw, "")
            assert not self.delivered(raw, reply), f"{name}: {reply}"

    def test_an_event_that_cannot_inject_stays_silent(self, harness: Harness, payloads: Mapping[str, RawEvent]) -> None:
        """Text handed to such an event would be lost, and counted as shown."""
        for spec in harness.events:
            if not spec.injects:
                for raw in _of(spec, payloads):
                    assert harness.dialect.reply(raw, "text") == harness.dialect.reply(raw, ""), spec.native

    def test_a_refusal_gives_its_reason_and_no_other_event_refuses(
        self, harness: Harness, payloads: Mapping[str, RawEvent]
    ) -> None:
        """The event before an edit says no with any reason; an event of another kind stays silent, and junk too.

        Any other before-tool event does either. Without a ``refuser`` there is nothing to keep: the harness cannot
        refuse.
        """
        refuser = harness.refuser
        if refuser is None:
            return
        kinds = {spec.native: spec.kind for spec in harness.events}
        recorded = [raw for raw in payloads.values() if kinds.get(raw.native) is EventKind.BEFORE_TOOL]
        before = [raw for raw in recorded if _edits(harness, raw) or not _is_silent(harness, raw, refuser)]
        assert before, "no before-tool event that could refuse is recorded"

        @settings(deadline=None)
        @given(st.sampled_from(before), st.text(st.characters()) | st.just('"}\n{"x": \\ud800 \u2028 \x1b[0m'))
        def check(raw: RawEvent, drawn: str) -> None:
            reason = f"{drawn}{_TAIL}"
            reply = refuser.refuse(raw, reason)
            reply.encode("utf-8")
            assert self.delivered(raw, reply) == _sound(reason)
            assert reply != harness.dialect.reply(raw, reason), "this lets the tool run"

        check()
        for name, raw in payloads.items():
            if kinds.get(raw.native) is not EventKind.BEFORE_TOOL:
                assert refuser.refuse(raw, "no") == harness.dialect.reply(raw, ""), name
        for native in ("", "Unheard-of"):
            junk = RawEvent(native=native, carrier=Carrier.MCP_HOOK, payload={"tool_name": [1]})
            assert refuser.refuse(junk, "no") == harness.dialect.reply(junk, "")

    def test_the_caller_is_found_and_never_raises(self, harness: Harness, payloads: Mapping[str, RawEvent]) -> None:
        """A recorded call names its caller, unless it is passed over; junk names nobody."""
        for name, raw in payloads.items():
            if raw.carrier is Carrier.MCP:
                caller = harness.dialect.caller(raw.meta)
                assert bool(caller.session or caller.tool_use) is not self.passed_over(raw), name

        @settings(deadline=None)
        @given(OBJECT)
        def check(meta: dict[str, object]) -> None:
            assert isinstance(harness.dialect.caller(meta), Caller)

        check()


def _edits(harness: Harness, raw: RawEvent) -> bool:
    event = harness.dialect.parse(raw)
    return event is not None and event.tool is not None and event.tool.kind is ToolKind.EDIT


def _is_silent(harness: Harness, raw: RawEvent, refuser: Refuser) -> bool:
    return refuser.refuse(raw, "no") == harness.dialect.reply(raw, "")


def _of(spec: EventSpec, payloads: Mapping[str, RawEvent]) -> Iterator[RawEvent]:
    return (raw for raw in payloads.values() if raw.native == spec.native)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from _strings(member)
    elif isinstance(value, list):
        for member in value:
            yield from _strings(member)


def _sound(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
