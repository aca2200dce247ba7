"""Edits that are held back: the first one of a component whose rules had not been shown, where a person wants it so."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kg_core.policy import scrub_blocks
from kg_core.render import fit
from kg_plugin_api import Carrier, KgError, Path, ToolKind
from kg_server.delivery import event_life, framed, stated_limit, within_frame
from kg_server.interface import EventReply
from kg_server.recall_log import Moment
from kg_server.rulebook import Rulebook
from kg_server.sources import hold

if TYPE_CHECKING:
    from collections.abc import Callable

    from kg_core.host import Plugins
    from kg_core.model import Millis
    from kg_plugin_api import Event, EventSpec, Harness, Limit, RawEvent
    from kg_server.contexts import Admission, Registry
    from kg_server.delivery import Deliveries, Outlook
    from kg_server.memory import Memory
    from kg_server.recall_log import RecallLog

log = logging.getLogger(__name__)

_SAID: Final = (
    "Nothing was changed: the rules for this had not been shown to you. Make the edit again, in keeping with them; "
    "it is not held back a second time."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """Answers events before an edit. It lets everything pass that it cannot judge."""

    memory: Memory
    registry: Registry
    admission: Admission
    deliveries: Deliveries
    outlook: Outlook
    clock: Callable[[], Millis]
    plugins: Plugins
    recall_log: RecallLog

    async def refusal(self, harness: Harness, raw: RawEvent, event: Event, spec: EventSpec) -> EventReply | None:
        """The refusal of an edit, with the rules as its reason; ``None`` lets it pass.

        That it was refused counts at once, so that no edit is refused twice; that the rules were shown counts when the
        reason has arrived, like any text.
        """
        rulebook, refuser, tool = Rulebook(self.memory.store), harness.refuser, event.tool
        if not rulebook.holds or refuser is None or tool is None or tool.kind is not ToolKind.EDIT:
            return None
        context, _ = self.admission.of_event(harness, event, sequence=self.memory.store.sequence, now=self.clock())
        state = await rulebook.look(context)
        files = rulebook.files(context, tool.paths, tool.workdir or event.cwd)
        if not files or not state.map.rules:
            return None
        try:
            await self.memory.load(*context.graphs)
        except KgError as error:
            log.warning("The event %s was not judged: %s", raw.native, error.sentence)
            return None
        now = self.clock()
        context = self.registry.get(context.id) or context
        room = _room(harness, raw.carrier)
        held = hold(replace(self.outlook.view(harness, context, now, files=files), room=room))
        if held is None:
            return None
        fitted = fit(scrub_blocks(held.blocks), room)
        reason = f"{_SAID}\n{framed(fitted.text)}"
        output = self.plugins.ask(harness, "refusing of edits", lambda: refuser.refuse(raw, reason), str, "")
        if not output:
            return None
        self.registry.learn(context.id, held.marks, now)
        life = event_life(spec)
        delivery = self.deliveries.reserve(context.id, fitted.marks, now=now, life=life)
        moment = Moment.of(event, context, now)
        self.recall_log.note_sent(moment, (held.decision,), delivery, now + life)
        return EventReply(output=output, delivery=delivery)


def _room(harness: Harness, carrier: Carrier) -> Limit:
    """What the rules may measure beside the words and the frame."""
    limit = within_frame(stated_limit(harness, Path.EVENT, carrier))
    return replace(limit, maximum=max(0, limit.maximum - limit.measure(_SAID) - 1))
