"""What a harness writes into the files of its client, what it asks of a person, and where it puts the guides."""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING

from kg_plugin_api import Carrier, OwnedFile, StepState
from kg_plugin_testing import places
from kg_plugin_testing.given import SLUG, GivenHarness

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path as FilePath

    from kg_plugin_api import Claim, Harness, Site


class WiringContract(GivenHarness):
    """Clauses about claims, steps and offers, and about the channel for guides."""

    def test_claims_stay_inside_their_places(self, harness: Harness, site: Site) -> None:
        """Below the client's own folder or beside it, or below the plug-in's own folder; and absolute."""
        for claim in _everything(harness, site):
            assert any(claim.path.is_relative_to(place) for place in (site.config.parent, site.own)), claim.path
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
        unescaped = _unescaped(harness.wiring.claims(site))
        for argument in site.launch.shim:
            assert argument in unescaped, f"the shim's argument {argument!r} is in no claim"
        for spec in harness.events:
            if spec.carrier is Carrier.HOOK_CLIENT:
                assert site.launch.hook[spec.native] in unescaped, f"no claim runs the hook client for {spec.native}"
            else:
                assert site.launch.event_tool in unescaped, "no claim calls the event tool"

    def test_claims_start_the_carriers_where_there_is_no_posix_shell(self, harness: Harness, site: Site) -> None:
        """There ``hook`` is empty, and ``hook_argv`` has the arguments one by one."""
        there = places.without_shell(site)
        unescaped = _unescaped(harness.wiring.claims(there))
        natives = [spec.native for spec in harness.events if spec.carrier is Carrier.HOOK_CLIENT]
        vectors = [there.launch.shim, *(there.launch.hook_argv[native] for native in natives)]
        for argument in dict.fromkeys(chain.from_iterable(vectors)):
            assert argument in unescaped, f"{argument!r} is in no claim"

    def test_owned_files_end_with_a_line_break(self, harness: Harness, site: Site) -> None:
        """People look into these files."""
        for claim in _everything(harness, site):
            assert not isinstance(claim, OwnedFile) or claim.text.endswith("\n"), claim.path

    def test_steps_explain_themselves(self, harness: Harness, site: Site) -> None:
        """A person must be able to do by hand what a step does; ``status`` answers even where nothing is there."""
        names = [step.name for step in harness.wiring.steps(site)]
        assert len(names) == len(set(names))
        for step in harness.wiring.steps(site):
            assert SLUG.fullmatch(step.name), step.name
            assert step.title.strip()
            assert step.explanation.strip()
            assert isinstance(step.status(site).state, StepState)

    def test_offers_are_questions(self, harness: Harness, site: Site) -> None:
        """An offer is put to a person as it stands."""
        for offer in harness.wiring.offers(site):
            assert SLUG.fullmatch(offer.name), offer.name
            assert offer.question.rstrip().endswith("?"), offer.question
            assert offer.claims

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


def _everything(harness: Harness, site: Site) -> Sequence[Claim]:
    offered = [claim for offer in harness.wiring.offers(site) for claim in offer.claims]
    channel = harness.instructions
    guided = [] if channel is None else channel.claims(places.guides(channel.description, channel.body), site)
    return [*harness.wiring.claims(site), *guided, *offered]


def _unescaped(claims: Sequence[Claim]) -> str:
    text = json.dumps([_plain(claim) for claim in claims], ensure_ascii=False)
    return text.replace('\\\\"', '"').replace('\\"', '"').replace("\\\\", "\\")


def _plain(claim: Claim) -> dict[str, object]:
    return {name: getattr(claim, name) for name in ("text", "value", "values") if hasattr(claim, name)}


def _words(claim: Claim) -> str:
    """What a claim writes; a quoted description is read back."""
    text = str(getattr(claim, "text", ""))
    return text.replace("\\\\", "\\").replace('\\"', '"')
