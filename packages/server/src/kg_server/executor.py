"""Carries out what a tool decides: commits it, renders it, hands it out in parts, and marks it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from kg_core.model import MAINTAIN
from kg_core.policy import scrub, scrub_blocks
from kg_core.render import Block, fit, marks_of, paged
from kg_core.store import Write
from kg_core.store.slices import in_turns
from kg_plugin_api import Carrier, Code, KgError, Path, Queued, SearchResults
from kg_server.delivery import CALL_LIFE, pages_for
from kg_server.interface import ToolReply
from kg_server.rulebook import Rulebook
from kg_server.sources.notices import notice_blocks
from kg_server.sources.others import news_blocks, pass_over
from kg_server.tools.hygiene import warning, without_secrets
from kg_server.tools.levels import Levels
from kg_server.tools.plan import Call, Plan, said
from kg_server.turned_off import TOLD, is_off

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kg_core.model import Graph, GraphKey, Millis
    from kg_core.render import Mark
    from kg_plugin_api import Caller, Harness, Limit
    from kg_server.contexts import Context, Registry
    from kg_server.delivery import Deliveries, Outlook, Pages, Queues
    from kg_server.memory import Memory
    from kg_server.tools.arguments import Arguments
    from kg_server.tools.plan import Tool

_DECISIONS = 3
"""How often a call is decided anew because what it rested on did not become durable."""
_FOOTER_ROOM = 300
_SMALLEST_PART = 500
_NO_PART = "There is no further part. Call kg_read without more."
_FORGOTTEN = "If a reply had further parts, they are not at hand any more. Call kg_read without more."
_RECEIPT = "The whole reply is long; it is put before you with your next step, and need not be asked again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Executor:
    """The only place where tools meet the store, the limits and the ledgers."""

    memory: Memory
    registry: Registry
    deliveries: Deliveries
    queues: Queues
    outlook: Outlook
    pages: Pages
    clock: Callable[[], Millis]

    async def run(
        self, tool: Tool[Any], arguments: Arguments, context: Context, harness: Harness, caller: Caller
    ) -> ToolReply:
        """Runs one call of ``context`` to its reply. A domain error is an error reply; nothing was changed then."""
        if await is_off(self.memory.store.settings.projects, context.cwd):
            return ToolReply(TOLD, is_error=True)
        try:
            arguments, secrets = await without_secrets(tool, arguments)
            plan = await self._decide(tool, arguments, context, harness)
            plan = replace(plan, blocks=(*scrub_blocks(plan.blocks), *([warning(secrets)] if secrets else [])))
        except KgError as error:
            plan = said(scrub(error.sentence).text, is_error=True)
        return self._reply(plan, context, harness, caller)

    async def _decide(self, tool: Tool[Any], arguments: Arguments, context: Context, harness: Harness) -> Plan:
        """Loads and asks what the tool needs; then plans and commits in one synchronous step.

        "Nothing to write" is an answer too: it waits until the writes that it rests on are durable, and is decided anew
        when one of them fails.
        """
        for _ in range(_DECISIONS):
            plan = await self._carried_out(tool, arguments, context, harness)
            if plan.changes or tool.read_only or await self.memory.store.settled():
                return plan
        raise KgError(Code.UNAVAILABLE, "Not saved: the disk refuses writes again and again; `kg doctor` says more.")

    async def _carried_out(self, tool: Tool[Any], arguments: Arguments, context: Context, harness: Harness) -> Plan:
        """One decision: its plan, once its changes are durable."""
        await self.memory.load(*context.graphs, *([MAINTAIN] if context.maintenance else []))
        if tool.reads_rules:
            await Rulebook(self.memory.store).look(context)
        others: tuple[GraphKey, ...] = ()
        if tool.graphs is not None:
            while (wanted := tool.graphs(arguments, self._call(context, harness))) != others:
                await self.memory.load(*wanted)
                others = wanted
        results = SearchResults()
        if tool.question is not None:
            results = await self.memory.search(tool.question(arguments, self._call(context, harness)))
        call = self._call(context, harness, results=results, others=others, looks_back=tool.looks_back)
        plan = tool.plan(arguments, call) if tool.steps is None else await in_turns(tool.steps(arguments, call))
        plan = replace(plan, changes=tuple(change for change in plan.changes if change))
        if not plan.changes:
            return plan
        write = Write(by=context.id, at=call.now, changes=plan.changes, maintenance=context.maintenance)
        try:
            # Shielded: a client that goes away does not take back what is on its way to the disk.
            await asyncio.shield(self.memory.commit(write))
        except KgError:
            if not plan.incidental:
                raise
        current = self.registry.get(context.id)
        if current is not None and current.resets == call.context.resets:
            self.registry.learn(context.id, plan.learned, call.now)
        return plan

    def _call(
        self,
        context: Context,
        harness: Harness,
        *,
        results: SearchResults | None = None,
        others: tuple[GraphKey, ...] = (),
        looks_back: bool = False,
    ) -> Call:
        now = self.clock()
        current = self.registry.get(context.id) or context
        rulebook = Rulebook(self.memory.store)
        return Call(
            context=current,
            known=current.ledger,
            pending=self._levels(current, self.memory.pending),
            durable=self._levels(current, self.memory.durable),
            harness=harness,
            now=now,
            sequence=self.memory.store.sequence,
            entries=self.memory.store.since(current.ledger.synced) if looks_back else (),
            results=results or SearchResults(),
            lookalikes=self.memory.lookalikes,
            loaded={key: self.memory.pending(key) for key in others if key not in current.graphs},
            map=rulebook.known(current),
            place=partial(rulebook.place, current),
            project_of=self._project_of,
            room=_beside_footer(_reply_limit(harness, current)),
        )

    def _levels(self, context: Context, graph: Callable[[GraphKey], Graph]) -> Levels:
        return Levels(
            user=graph(context.graphs[0]),
            project=graph(context.project) if context.project else None,
            maintain=graph(MAINTAIN) if context.maintenance else None,
            aged_in=self.memory.store.aged.path,
        )

    def _project_of(self, cwd: str) -> GraphKey:
        project = self.memory.store.projects.resolve(cwd)
        return "" if project is None else project.key

    def _reply(self, plan: Plan, context: Context, harness: Harness, caller: Caller) -> ToolReply:
        now = self.clock()
        path = Path.READ if plan.paged else Path.TOOL
        limit = (caller.read_limit if plan.paged else None) or harness.limit(path, Carrier.MCP)
        queued = _queue_of(harness, context)
        if queued is None and isinstance(harness.delivery, Queued):
            limit = harness.delivery.inline
        blocks, marks, is_whole = self._part(plan, context, harness, limit, now)
        suffix = self._suffix(context, harness, [*marks_of(blocks), *marks], now) if is_whole else []
        fitted = fit([*blocks, *suffix], limit)
        if queued is not None and not queued.inline.holds(fitted.text):
            whole = Block(text=fitted.text, marks=(*fitted.marks, *marks))
            reply = self._queued(queued, context, whole, verdict=blocks[:1] if plan.is_error else [])
            if reply is not None:
                self.pages.sent(context.id, "")
                return reply
            if not plan.is_error and (plan.incidental or not plan.changes):
                return ToolReply("Too much is waiting to be put before you; go on, and ask again later.", is_error=True)
            fitted, marks = fit([*blocks, *suffix], queued.inline), ()  # what was done or refused is said, if shortly
        delivery = ""
        arriving = (*fitted.marks, *marks)
        if arriving:
            delivery = self.deliveries.reserve(context.id, arriving, now=now, life=CALL_LIFE)
        if plan.paged:
            self.pages.sent(context.id, delivery)
        return ToolReply(text=fitted.text, is_error=plan.is_error, delivery=delivery)

    def _queued(
        self, delivery: Queued, context: Context, reply: Block, *, verdict: Sequence[Block]
    ) -> ToolReply | None:
        """Keeps a long reply for the next event of a client that takes long texts in packets; ``None`` without room.

        ``verdict`` is what a failed call must say at once, however shortly.
        """
        if not self.queues.add(context.id, pages_for(delivery, [reply])):
            return None
        room = replace(delivery.inline, maximum=delivery.inline.maximum - delivery.inline.measure(_RECEIPT) - 1)
        said = fit([replace(block, marks=()) for block in verdict], room).text
        return ToolReply(f"{said}\n{_RECEIPT}" if said else _RECEIPT, is_error=bool(verdict))

    def _part(
        self, plan: Plan, context: Context, harness: Harness, limit: Limit | None, now: Millis
    ) -> tuple[list[Block], tuple[Mark, ...], bool]:
        """The blocks of this reply, the marks that ride it, and whether it is complete with it."""
        if not plan.paged:
            return list(plan.blocks), plan.marks, True
        if not plan.more:
            parts = paged(plan.blocks, _beside_footer(limit))
            last = parts[-1]
            parts[-1] = replace(last, marks=(*last.marks, *plan.marks))
            if len(parts) == 1:  # what is still to come of a longer reply stays at hand
                return [Block(text=parts[0].text, marks=parts[0].marks)], (), True
            self.pages.start(context.id, parts)
        part = self.pages.next(context.id, now)
        if part is None:
            return [Block(text=_NO_PART if self.pages.is_known(context.id) else _FORGOTTEN)], (), True
        blocks = [Block(text=part.page.text, marks=part.page.marks)]
        if not part.is_last:
            again = f"{harness.tool_prefix}kg_read with more=true"
            blocks.append(Block(text=f"(Part {part.number} of {part.total}; the next one: {again}.)"))
        return blocks, (), part.is_last

    def _suffix(self, context: Context, harness: Harness, arriving: list[Mark], now: Millis) -> list[Block]:
        """What rides on a whole reply: what is wrong with the memory, and what others wrote."""
        current = self.registry.get(context.id)
        if current is None:
            return []
        view = self.outlook.view(harness, current, now, arriving=arriving)
        notices = notice_blocks(view, running=bool(current.ledger.preloaded))
        told = news_blocks(view, harness.tool_prefix)
        if not told:
            pass_over(view, self.registry)
        return scrub_blocks([*notices, *told])


def _queue_of(harness: Harness, context: Context) -> Queued | None:
    """How long replies wait for the events of a client. Without events nothing would come for what waits."""
    return harness.delivery if isinstance(harness.delivery, Queued) and context.heard else None


def _reply_limit(harness: Harness, context: Context) -> Limit | None:
    """What a reply that is not paged may measure."""
    if isinstance(harness.delivery, Queued) and _queue_of(harness, context) is None:
        return harness.delivery.inline
    return harness.limit(Path.TOOL, Carrier.MCP)


def _beside_footer(limit: Limit | None) -> Limit | None:
    """What is left of a limit beside what rides on a reply."""
    return None if limit is None else replace(limit, maximum=max(_SMALLEST_PART, limit.maximum - _FOOTER_ROOM))
