"""Faults that the explorer must find: each is a function that a test swaps in for a real one.

They are of the kinds that were found in an earlier memory of this sort; each says what it does wrong.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from kg_core.model import Tier, codec
from kg_core.policy import compaction as planning
from kg_core.render import paged
from kg_core.store import commits, recovery, store
from kg_server import executor, memory
from kg_server.delivery import deliveries, queues
from kg_server.tools import put_node, sync

from .scenarios import ALPHA, ANN, BEN, BETA, DELTA, GAMMA, PAIRED, READERS, SMALL, WAITING, Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

_REAL: dict[str, Any] = {
    "recover": recovery.recover,
    "paged": paged,
    "stamp": codec._stamp_record,
    "add": queues.Queues.add,
}


def a_failed_write_is_called_saved(self: Any, error: Any) -> None:
    """The disk refused; the writers are told all the same that they are durable."""
    del error
    self._advance(tuple(self._waiting))


def readers_see_what_is_pending(self: Any, graph: str) -> Any:
    """Readers are shown what is not on the disk yet."""
    return self.store.pending(graph)


async def the_last_entry_is_taken_for_torn(segments: Any) -> Any:
    """The tail of the journal that is not in the files is lost at a start."""
    recovered = await _REAL["recover"](segments)
    written = max((mark.sequence for marks in recovered.marks.values() for mark in marks), default=0)
    if recovered.entries and recovered.entries[-1].sequence > written:
        recovered.entries.pop()
        recovered.segments[-1].last -= 1
    return recovered


def votes_forget_the_voter(stamp: Any) -> Any:
    """The vote is kept on the disk, and who gave it is not."""
    return {name: value for name, value in _REAL["stamp"](stamp).items() if name != "by"}


def writes_over_unseen_nodes_pass(*args: Any, **more: Any) -> None:
    """No guard: the last writer wins."""
    del args, more


def the_first_part_marks_all_parts(blocks: Any, limit: Any) -> Any:
    """A node counts as read with the part that holds its beginning."""
    first, *rest = _REAL["paged"](blocks, limit)
    marks = tuple(mark for page in (first, *rest) for mark in page.marks)
    return [replace(first, marks=marks), *(replace(page, marks=()) for page in rest)]


def marks_come_true_when_a_text_leaves(self: Any, context: str, marks: Any, *, now: int, life: int) -> str:
    """What was sent counts as shown, whether it arrives or not."""
    del life
    self._commit(context, marks, now)
    return ""


def marks_come_true_when_a_text_waits(self: Any, context: str, pages: Any) -> Any:
    """What is queued counts as shown before any event has brought it, or although it found no room."""
    self._commit(context, [mark for page in pages for mark in page.marks], 0)
    return _REAL["add"](self, context, pages)


def ones_own_rename_hides_what_another_wrote(self: Any, renamed: Any) -> None:
    """kg_sync forgets a node that another wrote when anybody renames it."""
    for old, _ in renamed:
        self.written.pop(old, None)


def each_plan_fills_what_the_last_one_emptied(self: Any) -> Generator[None, None, None]:
    """One plan archives, the next promotes up to the very budget above which the first one archived."""
    if self._board.charge > self._budget.most:
        yield from self._archive()
        return
    self._free = [not held for held in self._board.held]
    self._budget = replace(self._budget, fill=self._budget.most)
    yield from self._refill()


def places_are_swapped_by_the_scores_before(self: Any) -> Generator[None, None, None]:
    """A swap is judged by what scores were before it; of two linked nodes the archived one always looks better."""
    board = self._board
    scores = yield from (yield from self._ranking()).scores()
    active = [n for n in board.numbers(Tier.ACTIVE) if not board.held[n]]
    archived = board.numbers(Tier.ARCHIVED)
    if active and archived:
        worst, best = min(active, key=scores.__getitem__), max(archived, key=scores.__getitem__)
        if scores[best] > scores[worst]:
            board.move(worst, Tier.ARCHIVED)
            board.move(best, Tier.ACTIVE)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is swapped in where, in which scenario it shows, within how many actions, and by which words it is known."""

    function: Callable[..., Any]
    where: object
    name: str
    scenario: Scenario
    depth: int
    says: str

    @contextmanager
    def swapped_in(self) -> Iterator[None]:
        """The real code with this fault."""
        with patch.object(self.where, self.name, self.function):
            yield


def _only(scenario: Scenario, ann: tuple[Any, ...], ben: tuple[Any, ...], **bounds: Any) -> Scenario:
    """A scenario with fewer requests, so that the fault is found soon."""
    return replace(scenario, bounds=replace(scenario.bounds, requests={ANN: ann, BEN: ben}, **bounds))


_LOSSES = _only(SMALL, (("put", ALPHA, "2"), ("useful", BETA)), (("put", ALPHA, "3"), ("search", "says")))
_RENAMES = _only(SMALL, (("rename", ALPHA, DELTA), ("sync",)), (("put", ALPHA, "3"),), crashes=0, errors=0)
_HOOKS = _only(SMALL, (("put", ALPHA, "2"), ("prompt", "what of alpha")), (("put", ALPHA, "3"),), crashes=0, errors=0)
_PARTS = _only(READERS, (("read", GAMMA), ("more",)), (), crashes=0, errors=0)
_QUEUES = _only(WAITING, (("read", GAMMA),), (), crashes=0)
_PLANS = _only(SMALL, (("put", ALPHA, "2"),), (("put", BETA, "3"),), crashes=0, errors=0)

FAULTS = {
    fault.function.__name__: fault
    for fault in (
        Fault(a_failed_write_is_called_saved, commits.Commits, "_fail", _LOSSES, 3, "before it is durable"),
        Fault(readers_see_what_is_pending, memory.Memory, "durable", _LOSSES, 3, "which is not durable"),
        Fault(the_last_entry_is_taken_for_torn, store, "recover", _LOSSES, 4, "acknowledged"),
        Fault(votes_forget_the_voter, codec, "_stamp_record", _LOSSES, 4, "the use of user"),
        Fault(writes_over_unseen_nodes_pass, put_node, "guard", _HOOKS, 5, "whose gist it was never shown"),
        Fault(the_first_part_marks_all_parts, executor, "paged", _PARTS, 4, "was not given all of it"),
        Fault(marks_come_true_when_a_text_leaves, deliveries.Deliveries, "reserve", _HOOKS, 5, "was not shown it"),
        Fault(marks_come_true_when_a_text_waits, queues.Queues, "add", _QUEUES, 4, "was not shown it"),
        Fault(ones_own_rename_hides_what_another_wrote, sync._Diff, "follow", _RENAMES, 6, "kg_sync does not tell"),
        Fault(each_plan_fills_what_the_last_one_emptied, planning._Planner, "run", _PLANS, 6, "back to active"),
        Fault(places_are_swapped_by_the_scores_before, planning._Planner, "_rebalance", PAIRED, 6, "moves"),
    )
}
"""By name. The kinds of F2, visible before durable, a lost tail, F31, F11, F13, F38, F14, F36, F7 and F33, in this
order.
"""
