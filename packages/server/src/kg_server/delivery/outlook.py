"""The view of a context as it is now: what it knows, texts on their way included, and what may be shown to it."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kg_core.render import MarkKind
from kg_plugin_api import SearchResults
from kg_server.delivery.source import View
from kg_server.rulebook import Rulebook

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kg_core.model import GraphKey, Millis
    from kg_core.policy import FileUse, Prospects, TouchIndex
    from kg_core.render import Mark
    from kg_plugin_api import Harness
    from kg_server.contexts import Context
    from kg_server.delivery.deliveries import Deliveries
    from kg_server.delivery.queues import Queues
    from kg_server.memory import Memory

_NONE: Final[Mapping[GraphKey, TouchIndex]] = MappingProxyType({})
_OF_VERSIONS: Final = frozenset({MarkKind.SEEN, MarkKind.READ, MarkKind.PRELOADED})
"""The kinds of mark that say which version of a node was shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """Makes views. The graphs of the context must be loaded."""

    memory: Memory
    deliveries: Deliveries
    queues: Queues

    def view(
        self,
        harness: Harness,
        context: Context,
        now: Millis,
        *,
        results: SearchResults | None = None,
        arriving: Iterable[Mark] = (),
        files: tuple[str, ...] = (),
        uses: tuple[FileUse, ...] = (),
        touches: Mapping[GraphKey, TouchIndex] = _NONE,
        prospects: Prospects | None = None,
    ) -> View:
        """What sources may look at. ``arriving`` are marks of the very reply that is being made; ``files`` are those
        that the event names, ``uses`` what it does with them, ``touches`` the lessons that point at them;
        ``prospects`` are what a preload chooses from.
        """
        rules = Rulebook(self.memory.store).known(context)
        on_their_way = (*self.deliveries.reserved(context.id, now), *self.queues.reserved(context.id), *arriving)
        known = context.ledger.apply_all(self.not_outdated(context, on_their_way), now)
        return View(
            harness=harness,
            context=context,
            known=known,
            graphs=tuple(self.memory.durable(key) for key in context.graphs),
            sequence=self.memory.store.sequence,
            entries=self.memory.store.since(known.pushed.floor),
            now=now,
            results=results or SearchResults(),
            problems=(
                *(problem for problem in self.memory.problems() if problem.concerns(context.graphs)),
                *([rules.problem] if rules.problem is not None else []),
            ),
            map=rules,
            files=files,
            uses=uses,
            touches=touches,
            prospects=prospects,
        )

    def not_outdated(self, context: Context, marks: Iterable[Mark]) -> list[Mark]:
        """The marks without those of an older version of a node that the context was shown as it stands since: texts
        arrive in any order.
        """
        return [mark for mark in marks if not self._is_outdated(context, mark)]

    def _is_outdated(self, context: Context, mark: Mark) -> bool:
        if mark.kind not in _OF_VERSIONS or not mark.id or mark.graph not in self.memory.loaded:
            return False
        node = self.memory.durable(mark.graph).nodes.get(mark.id)
        return node is not None and mark.version != node.version and context.ledger.has_viewed(mark.graph, node)
