"""When two states of the machine are the same: clocks, generated ids and positions in the journal do not count.

Times are replaced by their order, contexts by the client they are of, sequences by how far they lie behind the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .person import unseen
from .promises import context_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_core.model import Graph

    from .clients import Reply
    from .world import World

_NEAR = 6
"""Entries that lie further back than this are one."""


def fingerprint(world: World) -> int:
    """A number that is the same for states that differ in nothing that counts."""
    roles = _roles(world)
    return hash(
        (
            tuple((_graph(held, roles), unseen(world, held)) for held in world.store._graphs.values()),
            _journal(world, roles),
            _running(world),
            tuple(_client(world, name, roles) for name in world.clients),
            _compaction(world),
            frozenset(problem.kind for problem in world.store.problems()),
            (world.crashes, world.errors, world.person.edits),
        )
    )


def _roles(world: World) -> dict[str, str]:
    """Clients by the ids of their contexts of now; earlier contexts are nobody in particular."""
    found = {}
    for client in world.clients.values():
        context = context_of(world, client)
        if context is not None:
            found[context.id] = client.name
    return found


def _graph(held: Any, roles: Mapping[str, str]) -> tuple[object, ...]:
    durable = _content(held.durable, roles)
    return (
        held.key,
        durable,
        held.pending is held.durable or _content(held.pending, roles) == durable or _content(held.pending, roles),
        held.base is held.durable or _content(held.base, roles),
        held.is_dirty,
        held.must_write,
        held.is_marked,
        held.identity is None,
        held.underway is None,
        held.read_only,
    )


def _content(graph: Graph, roles: Mapping[str, str]) -> tuple[object, ...]:
    times: set[int] = set()
    for node in graph.nodes.values():
        times.add(node.created)
        times.add(node.written.at if node.written else 0)
    for use in graph.use.values():
        times.update((use.activity_at, use.read_at, *(stamp.at for stamp in use.stamps)))
    rank = {at: place for place, at in enumerate(sorted(times))}
    nodes = frozenset(
        (
            node.version,
            rank[node.created],
            rank[node.written.at] if node.written else -1,
            roles.get(node.written.by, "") if node.written else "",
            len(node.conflicts),
        )
        for node in graph.nodes.values()
    )
    uses = frozenset(
        (
            node_id,
            use.tier,
            rank[use.activity_at],
            rank[use.read_at],
            tuple((roles.get(stamp.by, ""), rank[stamp.at]) for stamp in use.stamps),
            use.inbound,
        )
        for node_id, use in graph.use.items()
    )
    return nodes, uses, frozenset(graph.edges), frozenset(graph.tombstones)


def _journal(world: World, roles: Mapping[str, str]) -> tuple[object, ...]:
    store, journal = world.store, world.store._journal
    last = store.sequence
    near = tuple(
        (roles.get(entry.by, entry.by[:4] if entry.by in {"kg", "edit"} else ""), _touched(entry))
        for entry in store._history.after(max(store._history.floor, last - _NEAR))
    )
    waiting = tuple((roles.get(w.entry.by, ""), _touched(w.entry)) for w in store._commits._waiting)
    disk = world.machine.disk
    unsynced = frozenset(
        (path.parts[-1], name if len(name) < 16 else name[-6:])
        for path, folder in disk.folders.items()
        for name, inode in folder.names.items()
        if (inode.data is not inode.durable and inode.data != inode.durable) or folder.durable.get(name) is not inode
    )
    return (
        near,
        waiting,
        unsynced,
        len(journal.segments),
        journal._open is None,
        bool(store._commits.first_at),
        tuple(sorted(store._upkeep.tails)),
        store._upkeep.watermark is None or min(last - store._upkeep.watermark, _NEAR),
    )


def _touched(entry: Any) -> tuple[object, ...]:
    return tuple(
        (change.graph, tuple(n.version if n else i for i, n in change.nodes.items()), tuple(change.use), *change.edges)
        for change in entry.changes
    )


def _running(world: World) -> tuple[object, ...]:
    loop = world.loop
    jobs = tuple((thread.name, tuple(_name(job.call) for job in thread.jobs)) for thread in loop.threads if thread.jobs)
    tasks = sorted(_place(task) for task in loop.tasks)
    return jobs, tuple(tasks), len(loop.ready), len(loop.timers)


def _name(call: Any) -> str:
    function = getattr(call, "func", call)
    return str(getattr(function, "__qualname__", function))


def _place(task: Any) -> tuple[str, int]:
    """What a task is, and how deep and where it waits."""
    coroutine = task.get_coro()
    name = coroutine.__qualname__
    depth = 0
    while (awaited := getattr(coroutine, "cr_await", None)) is not None and hasattr(awaited, "cr_frame"):
        coroutine, depth = awaited, depth + 1
    frame = coroutine.cr_frame
    return name, depth * 10_000 + (frame.f_lineno if frame is not None else 0)


def _client(world: World, name: str, roles: Mapping[str, str]) -> tuple[object, ...]:
    client = world.clients[name]
    context = context_of(world, client)
    return (
        tuple((flight.request, flight.abandoned) for flight in client.flights),
        _reply(client.transit),
        _reply(client.unacknowledged),
        frozenset(client.heard),
        frozenset(client.wrote),
        frozenset(client.view.items()),
        client.introduced,
        None if context is None else _context(world, context),
    )


def _reply(reply: Reply | None) -> object:
    return reply and (reply.request, reply.is_error, bool(reply.delivery), hash(reply.text))


def _context(world: World, context: Any) -> tuple[object, ...]:
    ledger, last = context.ledger, world.store.sequence
    nodes = frozenset(
        (at, known.viewed, known.read, known.preloaded, known.warned) for at, known in ledger.nodes.items()
    )
    uncovered = tuple(
        last - entry.sequence
        for entry in world.store._history.after(max(world.store._history.floor, last - _NEAR))
        if entry.sequence not in ledger.pushed
    )
    service = world.service
    open_ = tuple(
        tuple((mark.kind, mark.id, mark.version if mark.id else "") for mark in held.marks)
        for held in service._deliveries._open.values()
        if held.context == context.id and held.deadline >= world.wall
    )
    pages = service._pages._replies.get(context.id)
    given = pages and (len(pages.parts), pages.given, service._deliveries._dropped.get(pages.delivery))
    return (
        nodes,
        uncovered,
        min(last - ledger.synced, _NEAR),
        ledger.preloaded,
        ledger.full,
        len(ledger.noticed),
        context.placed,
        open_,
        given,
        _waiting(service._queues._queues.get(context.id)),
    )


def _waiting(queue: Any) -> object:
    """What waits for a context, by its place: numbers only count up."""
    if queue is None:
        return None
    texts = tuple((hash(text.pages), text.arrived, queue.taken.get(text.number, 0)) for text in queue.texts)
    return texts, queue.packet is not None


def _compaction(world: World) -> tuple[object, ...]:
    compaction = world.service._compaction
    settled = tuple((key, frozenset(ids)) for key, ids in compaction._settled.items() if ids)
    return tuple(compaction._due), compaction._wake.is_set(), settled
