"""What is wrong with the memory itself, said once to a session that starts, some of it also to one that runs."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from kg_core.render import Block, Mark, MarkKind, one_line
from kg_core.store import Problem, ProblemKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_plugin_api import Event
    from kg_server.contexts import Ledger
    from kg_server.delivery.source import View

_TOLD_LATER: Final = frozenset({ProblemKind.SEARCH, ProblemKind.MAP})
"""What a session must also hear of that is under way: it would take silence for an answer."""


class Notices:
    """Damaged files, conflicts and the like, together with the preload."""

    def blocks(self, event: Event, view: View) -> Sequence[Block]:
        """What is wrong, and to a context that was introduced to its memory, only what it must hear of later too."""
        del event
        return notice_blocks(view, running=view.is_introduced)


def notice_blocks(view: View, *, running: bool) -> list[Block]:
    """One line for each problem that the context has not been told of; a ``running`` one hears of less."""
    return [
        Block(text=f"Tell the user: {one_line(problem.sentence)}", marks=(_mark(problem),))
        for problem in view.problems
        if (problem.kind in _TOLD_LATER or not running) and notice_name(problem) not in view.known.noticed
    ]


def degraded_blocks(sentence: str, known: Ledger) -> list[Block]:
    """Why a search was answered by less than the backend that is chosen; once for each such sentence."""
    problem = Problem(kind=ProblemKind.SEARCH, path="", sentence=sentence)
    if not sentence or notice_name(problem) in known.noticed:
        return []
    return [Block(text=one_line(sentence), marks=(_mark(problem),))]


def _mark(problem: Problem) -> Mark:
    return Mark(MarkKind.NOTICED, "", notice_name(problem))


def notice_name(problem: Problem) -> str:
    """A short name of a problem, the same as long as it is the same problem. A map that somebody is mending is broken
    in many ways one after the other, and that is one problem.
    """
    sentence = "" if problem.kind is ProblemKind.MAP else problem.sentence
    named = f"{problem.kind}\x00{problem.path}\x00{sentence}"
    return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:16]
