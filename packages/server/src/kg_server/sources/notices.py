"""What is wrong with the memory itself, said once to a session that starts."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from kg_core.render import Block, Mark, MarkKind, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_core.store import Problem
    from kg_plugin_api import Event
    from kg_server.delivery.source import View


class Notices:
    """Damaged files, conflicts and the like, together with the preload."""

    def blocks(self, event: Event, view: View) -> Sequence[Block]:
        """What is wrong, while the context has not been introduced to its memory."""
        del event
        return () if view.is_introduced else notice_blocks(view)


def notice_blocks(view: View) -> list[Block]:
    """One line for each problem that the context has not been told of."""
    return [
        Block(text=f"Tell the user: {one_line(problem.sentence)}", marks=(Mark(MarkKind.NOTICED, "", name),))
        for problem in view.problems
        if (name := notice_name(problem)) not in view.known.noticed
    ]


def notice_name(problem: Problem) -> str:
    """A short name of a problem, the same as long as it is the same problem."""
    named = f"{problem.kind}\x00{problem.path}\x00{problem.sentence}"
    return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:16]
