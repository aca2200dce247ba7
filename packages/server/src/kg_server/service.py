"""The service: everything that carriers, the HTTP interface and the command line ask of a running memory.

One asyncio loop owns all state. Every decision is one synchronous function on it.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from kg_core.policy import scrub
from kg_plugin_api import Caller, KgError
from kg_server import looking, mapping, why
from kg_server.compaction import Compaction
from kg_server.contexts import Admission, Bindings, Registry
from kg_server.delivery import Deliveries, Outlook, Pages, Queues
from kg_server.endings import Endings
from kg_server.events import Events
from kg_server.executor import Executor
from kg_server.files import Uses
from kg_server.generic import GENERIC
from kg_server.heard import Heard
from kg_server.holding import Holding
from kg_server.interface import EventReply, ToolReply
from kg_server.keeping.keeping import Keeping
from kg_server.linelog import LineLog
from kg_server.memory import Memory
from kg_server.previewing import meant, previewed
from kg_server.recall_log import RecallLog, told
from kg_server.rulebook import Rulebook
from kg_server.searching import BUILTIN
from kg_server.texts import instructions
from kg_server.transcripts import Transcripts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kg_core.host import Plugins
    from kg_core.model import GraphKey, Millis
    from kg_core.render import Mark
    from kg_core.store import Home, Settings
    from kg_plugin_api import Harness, RawEvent
    from kg_server.interface import Preview, ToolCall, ToolSpec
    from kg_server.tools.plan import Tool

_NAME_SHOWN = 100
"""Characters of an unknown tool's name that are repeated."""
_LOG_SECONDS = 2
"""How often it is looked whether the log of contexts has grown so much that it is rewritten."""
_UPKEEP_ROUNDS = 300
"""After so many of these looks contexts that ended are let go of, and scores looked at that time alone has moved."""


class Service:
    """A running memory. Made by :meth:`open`; all methods are called on the loop that opened it."""

    def __init__(
        self,
        memory: Memory,
        registry: Registry,
        plugins: Plugins,
        heard: Heard,
        clock: Callable[[], Millis],
        keeping: Keeping,
        recall_log: RecallLog,
        waiting: LineLog,
        version: str,
    ) -> None:
        self.keeping = keeping
        self._memory = memory
        self._registry = registry
        self._clock = clock
        self._plugins = plugins
        self._heard = heard
        self._recall_log = recall_log
        self._harnesses = {harness.name: harness for harness in (GENERIC, *plugins.harnesses)}
        self._bindings = Bindings()
        self._admission = Admission(registry, self._bindings, memory.store.projects, memory.store.settings.projects)
        self._deliveries = Deliveries(self._arrived)
        self._queues = Queues(self._arrived, waiting)
        self._queues.restore(registry.knows)
        self._outlook = Outlook(memory=memory, deliveries=self._deliveries, queues=self._queues)
        self._pages = Pages(self._deliveries)
        self._uses = Uses(memory.store, clock)
        self._executor = Executor(
            memory=memory,
            registry=registry,
            deliveries=self._deliveries,
            queues=self._queues,
            outlook=self._outlook,
            pages=self._pages,
            clock=clock,
        )
        self._events = Events(
            memory=memory,
            registry=registry,
            admission=self._admission,
            bindings=self._bindings,
            deliveries=self._deliveries,
            queues=self._queues,
            outlook=self._outlook,
            pages=self._pages,
            clock=clock,
            plugins=plugins,
            heard=heard,
            recall_log=recall_log,
            uses=self._uses,
            rulebook=Rulebook(memory.store),
            transcripts=Transcripts(registry=registry, plugins=plugins),
            endings=Endings(registry=registry, then=keeping.session_ended),
            holding=Holding(
                memory=memory,
                registry=registry,
                admission=self._admission,
                deliveries=self._deliveries,
                outlook=self._outlook,
                clock=clock,
                plugins=plugins,
                recall_log=recall_log,
            ),
        )
        self._compaction = Compaction(memory, clock)
        self._version = version
        self._background: list[asyncio.Task[None]] = []

    @classmethod
    async def open(
        cls, home: Home, *, clock: Callable[[], Millis], plugins: Plugins, settings: Settings, version: str
    ) -> Service:
        """Opens the storage and what is known of earlier contexts. Raises CONFLICT when another server holds it."""
        memory = await Memory.open(home, clock=clock, settings=settings, plugins=plugins)
        registry = Registry(LineLog(home.state / "contexts.jsonl"))
        registry.restore(clock(), memory.store.sequence)
        keeping = Keeping(home, memory, clock, settings, version)
        await keeping.open()
        recall_log = RecallLog(home.recall_log, clock)
        heard, waiting = Heard(home.state / "heard.json"), LineLog(home.state / "queues.jsonl")
        service = cls(memory, registry, plugins, heard, clock, keeping, recall_log, waiting, version)
        service._background = [
            asyncio.create_task(service._keep_up()),
            asyncio.create_task(service._compaction.keep()),
            asyncio.create_task(service.keeping.run()),
            asyncio.create_task(recall_log.keep()),
        ]
        return service

    async def event(self, harness: str, raw: RawEvent) -> EventReply:
        """Answers an event in the client's own form; an unknown harness or event gets an empty output."""
        known = self._harnesses.get(harness)
        return EventReply("") if known is None else await self._events.answer(known, raw)

    async def call(self, call: ToolCall) -> ToolReply:
        """Answers a tool call. What is wrong with it is a reply with ``is_error`` and a sentence on what to do."""
        # No event needs the tools, so they are imported once the server answers, and no start waits for them.
        from kg_server.tools.arguments import parse
        from kg_server.tools.catalogue import TOOLS
        from kg_server.tools.read import Read

        tool: Tool[Any] | None = TOOLS.get(call.name)
        if tool is None:
            name = scrub(call.name).text[:_NAME_SHOWN]
            return ToolReply(f"There is no tool {name!r}; kg has {', '.join(TOOLS)}.", is_error=True)
        harness = self._harness(call.harness)
        caller = self._caller(harness, call.meta)
        try:
            arguments = parse(tool.name, tool.arguments, call.arguments)
            reads = arguments if isinstance(arguments, Read) else None
            context = self._admission.of_call(
                harness,
                caller,
                session_id=arguments.session_id,
                introduces=reads is not None and not reads.more,
                shim=call.session_hint,
                last=call.context_hint,
                cwd=(reads.cwd if reads is not None else "") or call.cwd,
                attaches=reads is not None and bool(reads.cwd),
                sequence=self._memory.store.sequence,
                now=self._clock(),
            )
        except KgError as error:
            return ToolReply(scrub(error.sentence).text, is_error=True)
        if reads is not None and reads.maintenance:
            context = self._registry.set_maintenance(context.id)
        reply = await self._executor.run(tool, arguments, context, harness, caller)
        # A call that names its session itself says nothing of the next one through the same shim.
        return reply if arguments.session_id else replace(reply, context=context.id)

    def acknowledge(self, delivery: str, arrived: bool) -> bool:
        """Settles a delivery: what it showed is known from now on, or is offered again. False when it is unknown."""
        now = self._clock()
        settled = self._deliveries.acknowledge(delivery, arrived=arrived, now=now)
        self._recall_log.settle(delivery, arrived=arrived and settled)
        return settled or self._queues.acknowledge(delivery, arrived=arrived, now=now)

    def tools(self, harness: str) -> list[ToolSpec]:
        """The tools as this client is shown them; ``session_id`` only where no hook tells who calls."""
        from kg_server.tools.specs import specs

        return specs(self._harness(harness))

    def instructions(self, harness: str) -> str:
        """What a client is told about the tools as a whole, with its own tool names."""
        known = self._harness(harness)
        return instructions(known.tool_prefix, has_events=bool(known.events))

    def health(self) -> dict[str, object]:
        """How it is, as JSON-compatible facts."""
        problems = [
            {"kind": str(problem.kind), "path": str(problem.path), "sentence": problem.sentence}
            for problem in (*self._memory.problems(), *self._memory.store.maps.problems())
        ]
        if problem := self._registry.problem or self._queues.problem:
            problems.append({"kind": "contexts", "path": "", "sentence": problem})
        return {
            "version": self._version,
            "sequence": self._memory.store.sequence,
            "contexts": len(self._registry),
            "deliveries": len(self._deliveries),
            "indexed": len(self._memory.index),
            "search": self._memory.follower.health() if self._memory.follower is not None else {"backend": BUILTIN},
            "harnesses": sorted(self._harnesses),
            "heard": self._heard.told(),
            "unsnapshotted": list(self._memory.store.unsnapshotted()),
            "problems": problems,
        }

    async def preview(self, harness: str, cwd: str) -> Preview:
        """What the start of a session in ``cwd`` would deliver; changes nothing.

        Without a name the harness is the one that is installed. Raises INVALID unless that is just one, and NOT_FOUND.
        """
        known = meant(self._harnesses, harness)
        return await previewed(self._memory, self._outlook, known, cwd, self._clock())

    async def show(self, cwd: str, ids: Sequence[str]) -> dict[str, object]:
        """The memory of ``cwd``, or the nodes named; changes nothing."""
        found = await looking.show(self._memory, cwd, ids)
        return {**found, "note": found["note"] or await self.keeping.apart(cwd)}

    async def search(
        self, cwd: str, query: str, *, depth: str = "", observer: str = "", observed: str = ""
    ) -> dict[str, object]:
        """Finds in the memory of ``cwd`` as deep as ``depth`` says; changes nothing. Raises INVALID for another one."""
        return await looking.search(self._memory, cwd, query, depth=depth, observer=observer, observed=observed)

    async def why(self, cwd: str, node_id: str, level: str) -> dict[str, object]:
        """Why a lesson of ``cwd`` is in sight or not. Raises NOT_FOUND and AMBIGUOUS; changes nothing."""
        return await why.explained(self._memory, cwd, node_id, level, self._clock())

    async def why_recall(self, cwd: str, session: str, most: int) -> dict[str, object]:
        """Why something was brought to mind lately or was not: in ``session`` or one that begins so, else in the
        project of ``cwd``; the newest ``most`` decisions of each source. Changes nothing.
        """
        project = self._memory.store.projects.resolve(cwd) if cwd and not session else None
        return await told(self._recall_log, session, project.key if project is not None else "", most)

    async def show_map(self, cwd: str, path: str, component: str) -> dict[str, object]:
        """The map in force in ``cwd``, whole or for a file or a component. Raises NOT_FOUND and INVALID."""
        return await mapping.shown(self._memory.store, cwd, path, component)

    async def check_map(self, cwd: str) -> dict[str, object]:
        """What of the map in force in ``cwd`` is wrong or overtaken. Raises NOT_FOUND; changes nothing."""
        return await mapping.check(self._memory.store, self._harnesses.values(), cwd)

    async def confirm(self) -> bool:
        """Makes sure that no other server can have this memory; False when one has."""
        return await self._memory.store.confirm()

    async def prepare(self) -> None:
        """Makes ready what every client asks first, in small steps."""
        preparing = await asyncio.to_thread(import_module, "kg_server.preparing")
        for _ in preparing.preparations():
            await asyncio.sleep(0)

    def listening(self, port: int) -> None:
        """Tells whoever finds the storage taken where this server answers."""
        self._memory.store.announce(port)

    async def close(self) -> None:
        """Writes everything down and lets go of the storage. May be called twice."""
        background, self._background = self._background, []
        if not background:
            return
        for task in background:
            task.cancel()
        await asyncio.gather(*background, return_exceptions=True)
        await self.keeping.close()
        await self._uses.close()
        self._heard.save()
        await self._recall_log.close()
        await self._registry.compact(self._is_gone, always=True)
        self._registry.close()
        await self._queues.compact()
        self._queues.close()
        await self._memory.close()

    def _arrived(self, context_id: str, marks: Sequence[Mark], now: Millis) -> None:
        context = self._registry.get(context_id)
        if context is not None:
            self._registry.learn(context_id, self._outlook.not_outdated(context, marks), now)

    def _is_gone(self, graph: GraphKey, node_id: str) -> bool:
        """Whether there is no such node any more; of a graph that is not loaded, nothing is known to be gone."""
        return graph in self._memory.loaded and node_id not in self._memory.durable(graph).nodes

    def _harness(self, name: str) -> Harness:
        return self._harnesses.get(name, GENERIC)

    def _caller(self, harness: Harness, meta: Mapping[str, object]) -> Caller:
        return self._plugins.ask(harness, "telling of callers", lambda: harness.dialect.caller(meta), Caller, Caller())

    async def _keep_up(self) -> None:
        known: set[GraphKey] = set()
        while True:
            for _ in range(_UPKEEP_ROUNDS):
                await asyncio.sleep(_LOG_SECONDS)
                await self._registry.compact(self._is_gone)
                await self._queues.compact()
                for graph in [graph for graph in self._memory.loaded if graph not in known]:
                    self._compaction.look_at(graph)  # a copy may have come without its tiers, as git brings it
                    known.add(graph)
            self._registry.sweep(self._clock())
            self._queues.sweep(self._registry.knows)
            self._heard.save()
            self._memory.store.retain(self._registry.watermark(self._memory.store.sequence))
            for graph in self._memory.loaded:
                self._compaction.look_at(graph)
