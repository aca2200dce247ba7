"""The contract of a harness. Subclass :class:`HarnessContract`, give two fixtures, and every clause runs.

::

    class TestMyAgent(HarnessContract):
        @pytest.fixture
        def harness(self) -> Harness:
            return MY_AGENT

        @pytest.fixture
        def payloads(self) -> Mapping[str, RawEvent]:
            return recordings(Path(__file__).parent / "payloads")
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_plugin_api import (
    Caller,
    Carrier,
    Event,
    EventKind,
    Maturity,
    OwnedFile,
    Path,
    RawEvent,
    StepState,
    ToolKind,
    TranscriptView,
)
from kg_plugin_testing import imports, places
from kg_plugin_testing.parts import PartsContract, spoilt

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence, Set
    from pathlib import Path as FilePath

    from kg_plugin_api import Claim, EventSpec, Harness, Refuser, Site

_SLUG: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_LEAF: Final = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters())
_JUNK: Final = st.recursive(
    _LEAF,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_OBJECT: Final = st.dictionaries(st.text(max_size=12), _JUNK, max_size=5)
_TAIL: Final = " and so the text is longer than any name in the envelope"


class HarnessContract(PartsContract):
    """What kg promises to do with a harness rests on these clauses."""

    @pytest.fixture
    def site(self, harness: Harness, tmp_path: FilePath) -> Site:
        """A machine on which nothing is there yet."""
        return places.site(harness, tmp_path)

    def delivered(self, raw: RawEvent, reply: str) -> str:
        """What the client would hand to the model for a reply. Override it where the envelope is not JSON.

        The default takes the longest string inside the reply's JSON.
        """
        return max(_strings(json.loads(reply)), key=len, default="") if reply else ""

    # ---- names and data

    def test_the_name_is_a_slug(self, harness: Harness) -> None:
        """People type the name (``kg setup --harness NAME``) and it stands in addresses and file names."""
        assert _SLUG.fullmatch(harness.name), f"{harness.name!r}: lower case letters, digits, single hyphens"
        assert harness.title.strip()

    def test_the_client_can_be_found(self, harness: Harness) -> None:
        """Without a program name ``kg setup`` cannot tell whether the client is on this machine. A plug-in that was
        tried with no version of its client is an experiment, and says so.
        """
        assert harness.recognition.binaries
        tried = harness.recognition.tested_versions or harness.maturity is Maturity.EXPERIMENTAL
        assert tried, "name the versions of the client that you verified"

    def test_events_are_told_apart(self, harness: Harness) -> None:
        """A native event has one meaning; text that it cannot bring is carried by one that can."""
        natives = [spec.native for spec in harness.events]
        assert len(natives) == len(set(natives)), natives
        for spec in harness.events:
            carrier = harness.event(spec.delivered_by) if spec.delivered_by else None
            assert not spec.delivered_by or (carrier is not None and carrier.injects), spec

    def test_timeouts_are_explicit_and_in_seconds(self, harness: Harness) -> None:
        """From 1 to 10: a client's default can be minutes, and milliseconds written as seconds can be half an hour."""
        for spec in harness.events:
            assert 1 <= spec.timeout <= 10, f"{spec.native}: {spec.timeout}"

    def test_a_template_belongs_to_an_mcp_hook(self, harness: Harness) -> None:
        """An MCP-tool hook sends only what its template names; the hook client sends everything."""
        for spec in harness.events:
            assert (spec.template is not None) == (spec.carrier is Carrier.MCP_HOOK), spec.native
            json.dumps(spec.arguments())

    def test_every_path_states_its_limit(self, harness: Harness) -> None:
        """``limit=None`` says that text passes whole; a path that is not stated at all is an oversight."""
        assert {stated.path for stated in harness.limits} == set(Path)
        for stated in harness.limits:
            assert stated.limit is None or stated.limit.maximum >= 1_000, stated

    # ---- wiring

    def test_claims_stay_inside_their_places(self, harness: Harness, site: Site) -> None:
        """Below the client's own folder, the plug-in's own folder, or the home folder; and absolute."""
        for claim in _everything(harness, site):
            allowed = (site.config, site.own, site.home)
            assert any(claim.path.is_relative_to(place) for place in allowed), claim.path
            assert ".." not in claim.path.parts, claim.path

    def test_claims_are_the_same_each_time(self, harness: Harness, site: Site) -> None:
        """Setting up twice changes nothing: no times, no random names, no order that varies."""
        assert _everything(harness, site) == _everything(harness, site)

    def test_claims_do_not_overlap(self, harness: Harness, site: Site) -> None:
        """Two claims on one place could not be taken back one by one."""
        places_seen: list[tuple[FilePath, tuple[str, ...], object]] = []
        for claim in _everything(harness, site):
            keys = tuple(getattr(claim, "keys", ())) or tuple(filter(None, (getattr(claim, "name", ""),)))
            member = getattr(claim, "value", None) if type(claim).__name__ == "JsonItem" else None
            for path, other, other_member in places_seen:
                whole = path == claim.path and (not keys or not other)
                within = path == claim.path and keys[: len(other)] == other[: len(keys)]
                assert not whole, f"{claim.path} is claimed as a whole and in part"
                assert not within or (keys == other and member != other_member), f"{claim.path} {keys} overlaps {other}"
            places_seen.append((claim.path, keys, member))

    def test_claims_touch_no_disk(self, harness: Harness, site: Site) -> None:
        """Only kg reads and writes files, so that it can say beforehand what it will do, and take it back."""
        with places.watching() as seen:
            _everything(harness, site)
        assert not seen

    def test_claims_start_the_carriers_as_told(self, harness: Harness, site: Site) -> None:
        """The commands of ``site.launch`` are written unchanged: they stay silent when kg is gone, others would not."""
        text = json.dumps([_plain(claim) for claim in harness.wiring.claims(site)], ensure_ascii=False)
        unescaped = text.replace('\\\\"', '"').replace('\\"', '"').replace("\\\\", "\\")
        for argument in site.launch.shim:
            assert argument in unescaped, f"the shim's argument {argument!r} is in no claim"
        for spec in harness.events:
            if spec.carrier is Carrier.HOOK_CLIENT:
                assert site.launch.hook[spec.native] in unescaped, f"no claim runs the hook client for {spec.native}"
            else:
                assert site.launch.event_tool in unescaped, "no claim calls the event tool"

    def test_owned_files_end_with_a_line_break(self, harness: Harness, site: Site) -> None:
        """People look into these files."""
        for claim in _everything(harness, site):
            assert not isinstance(claim, OwnedFile) or claim.text.endswith("\n"), claim.path

    def test_steps_explain_themselves(self, harness: Harness, site: Site) -> None:
        """A person must be able to do by hand what a step does; ``status`` answers even where nothing is there."""
        names = [step.name for step in harness.wiring.steps(site)]
        assert len(names) == len(set(names))
        for step in harness.wiring.steps(site):
            assert _SLUG.fullmatch(step.name), step.name
            assert step.title.strip()
            assert step.explanation.strip()
            assert isinstance(step.status(site).state, StepState)

    def test_offers_are_questions(self, harness: Harness, site: Site) -> None:
        """An offer is put to a person as it stands."""
        for offer in harness.wiring.offers(site):
            assert _SLUG.fullmatch(offer.name), offer.name
            assert offer.question.rstrip().endswith("?"), offer.question
            assert offer.claims

    # ---- guides

    def test_a_guide_within_the_limits_is_written_whole(self, harness: Harness, site: Site) -> None:
        """Every guide is handed out with a description and a body as long as the channel says it may be.

        Without ``instructions`` there is nothing to keep: the client gets no guides.
        """
        channel = harness.instructions
        if channel is None:
            return
        for guide in places.guides(channel.description, channel.body):
            written = [_words(claim) for claim in channel.claims((guide,), site)]
            assert any(guide.description in text and guide.body in text for text in written), guide.name
        every = places.guides(channel.description, channel.body)
        assert all(any(guide.body in _words(claim) for claim in channel.claims(every, site)) for guide in every)

    def test_copies_are_looked_for_beside_our_own_files(self, harness: Harness, site: Site) -> None:
        """A guide that kg itself has written is no copy, and where a client looks does not vary."""
        channel = harness.instructions
        if channel is None:
            return
        folders = tuple(channel.elsewhere(site))
        assert folders == tuple(channel.elsewhere(site))
        for folder in folders:
            assert folder.is_absolute(), folder
            assert not [claim.path for claim in _everything(harness, site) if claim.path.is_relative_to(folder)], folder

    # ---- dialect

    def test_every_event_is_recorded_on_its_carrier(self, harness: Harness, payloads: Mapping[str, RawEvent]) -> None:
        """What was never seen from the real client is a guess."""
        recorded = {(raw.native, raw.carrier) for raw in payloads.values()}
        assert not {(spec.native, spec.carrier) for spec in harness.events} - recorded

    def test_recorded_payloads_parse(self, harness: Harness, payloads: Mapping[str, RawEvent]) -> None:
        """A recorded event that the harness registers is that event, of a session; any other is ``None``."""
        for name, raw in payloads.items():
            event, spec = harness.dialect.parse(raw), harness.event(raw.native)
            if spec is None:
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
        junk_under_known_names = st.dictionaries(names | st.text(max_size=8), _JUNK, max_size=8)
        payload = st.builds(_mixed, st.sampled_from([{}, *recorded]), st.sets(names), junk_under_known_names)

        @settings(deadline=None)
        @given(natives, st.sampled_from(Carrier), payload, _OBJECT)
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
                harness.dialect.parse(replace(raw, payload=_without(raw.payload, gone)))

        @settings(deadline=None)
        @given(st.data())
        def check(data: st.DataObject) -> None:
            raw = data.draw(st.sampled_from(raws))
            damaged = _damaged(data, raw.payload)
            event = harness.dialect.parse(replace(raw, payload=damaged))
            assert event is None or isinstance(event, Event)

        check()

    def test_a_reply_delivers_any_text(self, harness: Harness, payloads: Mapping[str, RawEvent]) -> None:
        """Quotes, line breaks, emoji, control characters and lone surrogates reach the model, or a mark in their place.

        A client drops a reply that it cannot read as a whole, mostly without a word.
        """
        raws = [raw for raw in payloads.values() if (spec := harness.event(raw.native)) and spec.injects]
        assert raws, "no recorded event can bring text"

        @settings(deadline=None)
        @given(st.sampled_from(raws), st.text(st.characters()) | st.just('"}\n{"x": \\ud800 \u2028 \x1b[0m'))
        def check(raw: RawEvent, drawn: str) -> None:
            text = f"{drawn}{_TAIL}"
            reply = harness.dialect.reply(raw, text)
            reply.encode("utf-8")
            assert self.delivered(raw, reply) == _sound(text)

        check()

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
        """A recorded call names its caller; junk names nobody."""
        for name, raw in payloads.items():
            if raw.carrier is Carrier.MCP:
                caller = harness.dialect.caller(raw.meta)
                assert caller.session or caller.tool_use, name

        @settings(deadline=None)
        @given(_OBJECT)
        def check(meta: dict[str, object]) -> None:
            assert isinstance(harness.dialect.caller(meta), Caller)

        check()

    def test_a_transcript_reader_never_raises(self, harness: Harness) -> None:
        """A transcript is the client's own file: torn, of another version, or of another program."""
        reader = harness.transcripts
        if reader is None:
            return
        assert 1_000 <= reader.tail_bytes <= 4 * 1024 * 1024

        @settings(deadline=None)
        @given(st.binary() | st.lists(_JUNK).map(_lines), st.binary() | st.lists(_JUNK).map(_lines))
        def check(tail: bytes, fresh: bytes) -> None:
            assert isinstance(reader.view(tail, fresh), TranscriptView)

        check()

    # ---- the package

    def test_it_imports_only_the_standard_library_and_the_plugin_api(self, harness: Harness) -> None:
        """A plug-in that reaches into kg breaks with the next kg; one that needs more is slow to start."""
        assert not imports.foreign(type(harness.dialect).__module__)


def _everything(harness: Harness, site: Site) -> Sequence[Claim]:
    offered = [claim for offer in harness.wiring.offers(site) for claim in offer.claims]
    channel = harness.instructions
    guided = [] if channel is None else channel.claims(places.guides(channel.description, channel.body), site)
    return [*harness.wiring.claims(site), *guided, *offered]


def _plain(claim: Claim) -> dict[str, object]:
    return {name: getattr(claim, name) for name in ("text", "value", "values") if hasattr(claim, name)}


def _edits(harness: Harness, raw: RawEvent) -> bool:
    event = harness.dialect.parse(raw)
    return event is not None and event.tool is not None and event.tool.kind is ToolKind.EDIT


def _is_silent(harness: Harness, raw: RawEvent, refuser: Refuser) -> bool:
    return refuser.refuse(raw, "no") == harness.dialect.reply(raw, "")


def _words(claim: Claim) -> str:
    """What a claim writes; a quoted description is read back."""
    text = str(getattr(claim, "text", ""))
    return text.replace("\\\\", "\\").replace('\\"', '"')


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


def _lines(values: Sequence[object]) -> bytes:
    """Each value as one line of JSON."""
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def _sound(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _damaged(data: st.DataObject, value: Mapping[str, Any]) -> dict[str, Any]:
    key = data.draw(st.sampled_from(sorted(value)))
    inner = value[key]
    if isinstance(inner, dict) and inner and data.draw(st.booleans()):
        return {**value, key: _damaged(data, inner)}
    if data.draw(st.booleans()):
        return _without(value, key)
    return {**value, key: data.draw(_JUNK)}


def _without(value: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: member for name, member in value.items() if name != key}


def _mixed(payload: Mapping[str, object], gone: Set[str], junk: Mapping[str, object]) -> dict[str, object]:
    """A payload without some of its fields and with junk in others."""
    return {**{name: value for name, value in payload.items() if name not in gone}, **junk}
