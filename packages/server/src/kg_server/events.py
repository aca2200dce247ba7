"""Events of harnesses: parsed by their dialect, answered by the sources, wrapped by their dialect again."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kg_core.policy import request
from kg_core.render import Block
from kg_core.store import as_on_disk, is_path
from kg_core.store.slices import in_turns
from kg_plugin_api import Event, EventKind, KgError, Queued, SearchResults, ToolKind
from kg_plugin_api import Path as TextPath
from kg_server.carrier.late import LATE
from kg_server.contexts import ContextKey, Entrance
from kg_server.delivery import (
    Duplicates,
    Parts,
    Sources,
    compose,
    event_life,
    framed,
    pages_for,
    stated_limit,
    within_frame,
)
from kg_server.interface import EventReply
from kg_server.recall_log import Arrival, Moment
from kg_server.sources import (
    FileRecall,
    Notices,
    OthersWrites,
    Preload,
    PromptRecall,
    Rules,
    looked_through,
    pass_over,
    recalls,
)
from kg_server.turned_off import is_off

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kg_core.host import Plugins
    from kg_core.model import GraphKey, Millis
    from kg_core.policy import Prospects, TouchIndex
    from kg_core.render import Fitted
    from kg_core.store import Settings
    from kg_plugin_api import Carrier, EventSpec, Harness, RawEvent
    from kg_server.contexts import Admission, Bindings, Context, Registry
    from kg_server.delivery import Deliveries, Outlook, Pages, Queues
    from kg_server.endings import Endings
    from kg_server.files import Uses
    from kg_server.heard import Heard
    from kg_server.holding import Holding
    from kg_server.memory import Memory
    from kg_server.recall_log import RecallLog
    from kg_server.rulebook import Rulebook
    from kg_server.transcripts import Transcripts

log = logging.getLogger(__name__)

SOURCES = Sources(
    opening=Preload(), before=(Notices(),), recall=(PromptRecall(), Rules(), FileRecall()), after=(OthersWrites(),)
)

_TOLD = frozenset(
    {
        EventKind.SESSION_START,
        EventKind.PROMPT,
        EventKind.AFTER_TOOL,
        EventKind.COMPACT,
        EventKind.SUBAGENT_START,
    }
)
"""The kinds of event that open a context and may bring text."""
_PATIENCE = 0.1
"""Seconds that a prompt waits for a graph that is still being indexed, and any event for a map on a slow disk."""
_PATIENCE_AT_START = 1.0
"""Seconds that the start of a session waits for such a map: what it is not told then, it may miss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    """Answers events. Silent when it has nothing to say, and on whatever it does not understand."""

    memory: Memory
    registry: Registry
    admission: Admission
    bindings: Bindings
    deliveries: Deliveries
    queues: Queues
    outlook: Outlook
    pages: Pages
    clock: Callable[[], Millis]
    plugins: Plugins
    heard: Heard
    recall_log: RecallLog
    uses: Uses
    rulebook: Rulebook
    holding: Holding
    transcripts: Transcripts
    endings: Endings
    duplicates: Duplicates = field(default_factory=Duplicates)
    parts: Parts = field(default_factory=Parts)

    async def answer(self, harness: Harness, raw: RawEvent) -> EventReply:
        """The reply to one event."""
        event = self._parsed(harness, raw)
        spec = harness.event(raw.native)
        if event is None or spec is None:
            return self._reply(harness, raw)
        now = self.clock()
        self.heard.event(harness.name, raw.native, now)
        has_no_memory = await self._has_no_memory(harness, event)
        if raw.part > 1:
            return self._reply(harness, raw) if has_no_memory else await self._further(harness, raw, event, spec)
        if event.kind is EventKind.BEFORE_TOOL:
            bound = self._bind(harness, event)
            held = None if has_no_memory else await self.holding.refusal(harness, raw, event, spec)
            return replace(held or self._reply(harness, raw), context=bound)
        self.endings.note(harness, event)
        if not _concerns(event, spec) or self.duplicates.is_repeated(harness.name, event, now):
            return self._reply(harness, raw)
        late = raw.meta.get(LATE)
        if self._is_overtaken(ContextKey(harness.name, event.session, event.agent), late):
            return self._reply(harness, raw)
        if has_no_memory:  # its tools are to know where it works
            self._admitted(harness, event, compacted=False)
            return self._reply(harness, raw)
        self.plugins.seen(event)
        completed = await self.transcripts.complete(harness, event)
        event = completed.event
        context = self._admitted(harness, event, compacted=completed.compacted)
        self.transcripts.note(completed, context)
        brings = spec.injects or (isinstance(harness.delivery, Queued) and spec.delivered_by)
        if late is not None or not brings:
            return self._reply(harness, raw)
        try:
            await self.memory.load(*context.graphs)
        except KgError as error:
            log.warning("The event %s was not answered: %s", raw.native, error.sentence)
            return self._reply(harness, raw)
        starts = event.kind is EventKind.SESSION_START
        await self.rulebook.look(context, _PATIENCE_AT_START if starts else _PATIENCE)
        touches = await self.uses.pointers(context, event)
        results = SearchResults()
        if recalls(event):
            results = await self.memory.search(request(event.prompt, context.graphs), patience=_PATIENCE)
        with self.memory.indexed_later():  # a preload needs no index
            found = await prospects(
                self.outlook, harness, self.registry.get(context.id) or context, raw.carrier, self.clock()
            )
        context = self.registry.get(context.id) or context
        return self._say(harness, raw, event, spec, context, results, touches, found)

    async def _has_no_memory(self, harness: Harness, event: Event) -> bool:
        """Whether memory is off where the event comes from, or where its session began."""
        key = ContextKey(harness.name, event.session, event.agent)
        known = [self.registry.find(each) for each in (key, key._replace(agent=""))]
        began = [context.cwd for context in known if context is not None]
        return await is_off(self.memory.store.settings.projects, event.cwd, *began)

    def _admitted(self, harness: Harness, event: Event, *, compacted: bool) -> Context:
        """The context of an event; where it begins anew, nothing is on its way to it any more."""
        sequence, now = self.memory.store.sequence, self.clock()
        context, how = self.admission.of_event(harness, event, sequence=sequence, now=now, compacted=compacted)
        if how is not Entrance.KEEP:
            self.deliveries.forget(context.id)
            self.queues.rewind(context.id)
            self.pages.forget(context.id)
        return context

    def _is_overtaken(self, key: ContextKey, late: object) -> bool:
        """Whether a start that came in at ``late`` has been heard of since and its session has its memory: as when
        only the answer got lost, and a prompt came before it was told again.
        """
        context = self.registry.find(key)
        return isinstance(late, int) and context is not None and context.begun >= late and context.ledger.preloaded

    async def _further(self, harness: Harness, raw: RawEvent, event: Event, spec: EventSpec) -> EventReply:
        """A further part of what the start of a session brings; silent where all of it is in the first one."""
        key = ContextKey(harness.name, event.session, event.agent)
        taken = await self.parts.take(key, raw.part, event.source, self.clock())
        if taken is None:
            return self._reply(harness, raw)
        context, page = taken
        output = self._reply(harness, raw, framed(page.text))
        delivery = self.deliveries.reserve(context, page.marks, now=self.clock(), life=event_life(spec))
        return EventReply(output=output.output, delivery=delivery)

    def _bind(self, harness: Harness, event: Event) -> str:
        """A hook on our own tools tells whose call comes next, and from where. The id of that context, or nothing."""
        if event.tool is None or event.tool.kind is not ToolKind.OWN or not event.tool.id:
            return ""
        sequence, now = self.memory.store.sequence, self.clock()
        context, _ = self.admission.of_event(harness, event, sequence=sequence, now=now)
        self.bindings.expect(event.tool.id, context.key)
        return context.id

    def _say(
        self,
        harness: Harness,
        raw: RawEvent,
        event: Event,
        spec: EventSpec,
        context: Context,
        results: SearchResults,
        touches: Mapping[GraphKey, TouchIndex],
        found: Prospects | None,
    ) -> EventReply:
        """Composes, reserves and wraps, in one synchronous step."""
        now = self.clock()
        uses = self.uses.of(context, event)
        files = tuple(use.name for use in uses if not Path(use.name).is_absolute())
        view = self.outlook.view(
            harness, context, now, results=results, files=files, uses=uses, touches=touches, prospects=found
        )
        composed = compose(SOURCES, event, view, raw.carrier, starts_in(spec, self.memory.store.settings))
        if spec.parts > 1:
            self.parts.begin(context.key, context.id, event.source, composed.more, now)
        fitted = composed.fitted
        moment = Moment.of(event, context, now)
        if not fitted.text:
            pass_over(view, self.registry)
        if isinstance(harness.delivery, Queued):
            is_kept = self._keep(harness.delivery, context, fitted)
            self.recall_log.note(moment, composed.decisions, Arrival.QUEUED if is_kept else Arrival.LOST)
            return self._packet(harness, harness.delivery, raw, spec, context)
        output = self._reply(harness, raw, framed(fitted.text) if fitted.text else "")
        if not fitted.text or not output.output:
            self.recall_log.note(moment, composed.decisions)
            return output
        life = event_life(spec)
        delivery = self.deliveries.reserve(context.id, fitted.marks, now=now, life=life)
        self.recall_log.note_sent(moment, composed.decisions, delivery, now + life)
        return EventReply(output=output.output, delivery=delivery)

    def _keep(self, delivery: Queued, context: Context, fitted: Fitted) -> bool:
        """Queues what is to be said. What finds no room is said another time, for none of it counts as shown."""
        return not fitted.text or self.queues.add(
            context.id, pages_for(delivery, [Block(text=fitted.text, marks=fitted.marks)])
        )

    def _packet(
        self, harness: Harness, delivery: Queued, raw: RawEvent, spec: EventSpec, context: Context
    ) -> EventReply:
        """Hands out a packet where this event can carry one."""
        packet = self.queues.packet(context.id, within_frame(delivery.packet)) if spec.injects else None
        if packet is None:
            return self._reply(harness, raw)
        return EventReply(output=self._reply(harness, raw, framed(packet.text)).output, delivery=packet.id)

    def _parsed(self, harness: Harness, raw: RawEvent) -> Event | None:
        event = self.plugins.ask(harness, "reading of events", lambda: harness.dialect.parse(raw), Event, None)
        return None if event is None else _with_paths(event)

    def _reply(self, harness: Harness, raw: RawEvent, text: str = "") -> EventReply:
        output = self.plugins.ask(harness, "wrapping of replies", lambda: harness.dialect.reply(raw, text), str, "")
        return EventReply(output=output)


async def prospects(
    outlook: Outlook, harness: Harness, context: Context, carrier: Carrier, now: Millis
) -> Prospects | None:
    """What a preload of the context chooses from, found in small steps; ``None`` where none is due."""
    if context.ledger.is_introduced_to(context.graphs):
        return None
    view = outlook.view(harness, context, now)
    unit = stated_limit(harness, TextPath.PRELOAD, carrier).unit
    return None if view.is_introduced else await in_turns(looked_through(view, unit))


def starts_in(spec: EventSpec, settings: Settings) -> int:
    """In how many parts at most a person wants what this event brings."""
    return spec.parts if settings.preload.whole and spec.kind is EventKind.SESSION_START else 1


def _with_paths(event: Event) -> Event:
    """The event with paths as the disk has them, and without what can be none: no client is to lose a reply over it."""
    tool = event.tool
    if tool is not None:
        paths = tuple(as_on_disk(path) for path in tool.paths if is_path(path))
        workdir = as_on_disk(tool.workdir) if is_path(tool.workdir) else ""
        if (paths, workdir) != (tool.paths, tool.workdir):
            tool = replace(tool, paths=paths, workdir=workdir)
    cwd = as_on_disk(event.cwd) if is_path(event.cwd) else ""
    return event if tool is event.tool and cwd == event.cwd else replace(event, cwd=cwd, tool=tool)


def _concerns(event: Event, spec: EventSpec) -> bool:
    """Whether an event may open a context or bring text. A compaction that can bring none is only announced."""
    if event.kind is EventKind.COMPACT:
        return spec.injects or bool(spec.delivered_by)
    return event.kind in _TOLD
