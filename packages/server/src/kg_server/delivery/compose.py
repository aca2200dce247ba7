"""One reply to an event: what the sources offer, fitted and framed once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kg_core.policy import scrub_blocks
from kg_core.render import Fitted, fit, marks_of
from kg_plugin_api import Limit, Path, Unit
from kg_server.delivery.frame import within_frame
from kg_server.delivery.parts import fit_parts
from kg_server.delivery.source import WHOLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_core.policy import Decision
    from kg_core.render import Block, Page
    from kg_plugin_api import Carrier, Event, Harness
    from kg_server.delivery.source import ContextSource, RecallSource, View

_UNLIMITED_PRELOAD = Limit(20_000, Unit.CHARACTERS)
"""A preload is a core, also for a client that would take all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The sources of one server. ``opening`` fills what the others, before and after it, leave of the limit; those of
    ``recall`` come directly after it.
    """

    opening: ContextSource
    before: tuple[ContextSource, ...] = ()
    recall: tuple[RecallSource, ...] = ()
    after: tuple[ContextSource, ...] = ()


@dataclass(frozen=True, slots=True)
class Composed:
    """The text for an event, and why the sources of recall spoke or were silent. ``more`` are further parts of it, each
    for a hook of its own.
    """

    fitted: Fitted
    decisions: tuple[Decision, ...] = ()
    more: tuple[Page, ...] = ()


def stated_limit(harness: Harness, path: Path, carrier: Carrier) -> Limit:
    """What one reply may measure, its frame included."""
    limit = harness.limit(path, carrier)
    if limit is None:
        limit = _UNLIMITED_PRELOAD if path is Path.PRELOAD else WHOLE
    return limit


def room(harness: Harness, path: Path, carrier: Carrier) -> Limit:
    """What the blocks of one reply may measure together, its frame taken off."""
    return within_frame(stated_limit(harness, path, carrier))


def compose(sources: Sources, event: Event, view: View, carrier: Carrier, parts: int = 1) -> Composed:
    """The text for an event, within the client's limit once it is framed, and its marks; mostly empty. What a session
    starts with may be several such ``parts``.

    What one source shows counts as known for those after it, so that nothing is said twice in one reply. Secrets that
    came into the files by hand are not shown.
    """
    one = room(view.harness, Path.PRELOAD, carrier)
    whole = one if parts == 1 else replace(one, maximum=one.maximum * parts)
    roomy = replace(view, room=whole)
    opening = sources.opening.blocks(event, roomy)
    if not opening:
        whole = room(view.harness, Path.EVENT, carrier)
        roomy = replace(view, room=whole)
    informed = _told(roomy, opening)
    first = [block for source in sources.before for block in source.blocks(event, roomy)]
    last: list[Block] = []
    decisions: list[Decision] = []
    for recalling in sources.recall:
        offer = recalling.offer(event, informed)
        informed = _told(informed, offer.blocks)
        last += offer.blocks
        decisions += [offer.decision] if offer.decision is not None else []
    for source in sources.after:
        offered = source.blocks(event, informed)
        informed = _told(informed, offered)
        last += offered
    if opening and (first or last):
        left = whole.maximum - _measure([*first, *last], whole)
        opening = sources.opening.blocks(event, replace(view, room=replace(whole, maximum=max(0, left))))
    blocks = scrub_blocks([*first, *opening, *last])
    fitted, more = fit_parts(blocks, one, parts) if opening and parts > 1 else (fit(blocks, whole), ())
    arriving = {(mark.graph, mark.id) for marks in (fitted.marks, *(page.marks for page in more)) for mark in marks}
    return Composed(fitted, tuple(each.fitted(arriving) for each in decisions), more)


def _told(view: View, blocks: Sequence[Block]) -> View:
    """The view of a source that comes after these blocks."""
    if not blocks:
        return view
    return replace(view, known=view.known.apply_all(marks_of(blocks), view.now))


def _measure(blocks: Sequence[Block], limit: Limit) -> int:
    """What blocks measure, each with its line break."""
    return sum(limit.measure(block.text) + 1 for block in blocks)
