"""Who remembers what the server promised, and says so when it does not hold.

The witness reads the journal entries that the store says are durable, the texts that clients are given, and the
ledgers. Its own idea of what must be in memory is built from entries alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kg_core.model import Graph
from kg_core.store.edits import BY as BY_HAND
from kg_core.store.lines import body
from kg_server.compaction import BY

from . import promises
from .clients import HEADING, MUCH, PRELOAD, Client, Flight, Reply, facts, lines, told
from .disk import is_synced
from .promises import Violation

if TYPE_CHECKING:
    from kg_core.model import GraphKey, Tier
    from kg_core.store import Entry

    from .world import World

__all__ = ["Violation", "Witness"]


class Witness:
    """What was promised so far. Every method raises Violation when a promise is broken."""

    def __init__(self) -> None:
        self.truth: dict[GraphKey, Graph] = {}
        """What the acknowledged entries make of each graph."""
        self.entries: list[Entry] = []
        self.nodes: dict[str, Any] = {}
        """Every node that was ever durable, by version."""
        self.said: dict[GraphKey, set[str]] = {}
        """Every fact that was ever durable, by graph."""
        self.moved: dict[GraphKey, dict[str, Tier]] = {}
        """What compaction has moved since somebody else wrote."""
        self.planned: dict[int, int] = {}
        """By the sequence of each entry of compaction, the last entry that its plan was made after."""
        self.doubtful: tuple[Entry, ...] = ()
        """Entries of which a crash may keep a first part."""
        self.pushed: dict[str, frozenset[int]] = {}
        """By context, the entries that it counts as told of."""
        self.checked: dict[int, Graph] = {}
        """Graphs for which plans were made, by identity."""

    def start(self, world: World) -> None:
        """Takes what is in memory as given."""
        store = world.store
        for key, held in store._graphs.items():
            self._take(key, held.durable)
        self.entries = list(store._history.after(0))
        for entry in self.entries:
            self._saw(entry)

    def follow(self, world: World) -> None:
        """Takes in the entries that have become durable."""
        last = self.entries[-1].sequence if self.entries else -1
        for waiting in world.store._commits._waiting:
            if waiting.entry.by == BY:
                self.planned.setdefault(waiting.entry.sequence, last)
        if world.store.sequence > last:
            for entry in world.store._history.after(last):
                self._accept(world, entry)

    def look(self, world: World) -> None:
        """Looks at everything after a step."""
        store = world.store
        if world.loop.failures:
            raise Violation(f"an exception in the loop: {world.loop.failures[0]}")
        for key, held in store._graphs.items():
            known = self.truth.get(key)
            if known is None:
                self._take(key, held.durable)
            elif held.durable is not known and not same(held.durable, known):
                raise Violation(f"{key} holds what no durable entry says, or lacks what one does")
            else:
                self.truth[key] = held.durable
            promises.files(world, held)
            promises.plans(self, world, held.durable)
        for client in world.clients.values():
            context = promises.context_of(world, client)
            if context is not None and client.started:
                if not client.is_starting:
                    promises.ledger(self, client, context)
                self._watermark(client, context)
                promises.history(self, world, context)

    def replied(self, world: World, client: Client, flight: Flight, reply: Reply) -> None:
        """Looks at a text that leaves for a client."""
        told = facts(reply.text)
        if strange := told.difference(*(self.said.get(key, ()) for key in client.graphs)):
            raise Violation(f"{client.name} is shown {sorted(strange)}, which is not durable, or not for it")
        reply.shown = {node: version for node, said in lines(reply.text) if (version := self._version(node, said))}
        if flight.abandoned:
            return
        is_event = reply.request[0] in {"start", "prompt"}
        if is_event and client.is_queued:  # what it asked for comes with events too
            if PRELOAD in reply.text and client.introduced:
                raise Violation(f"{client.name} is given the preload again")
            return
        unasked = lines(reply.text if is_event else reply.text.partition(HEADING)[2])
        if is_event and len(unasked) != len(set(unasked)):
            raise Violation(f"{client.name} is told something twice in one reply")
        if is_event and PRELOAD in reply.text:
            if client.introduced:
                raise Violation(f"{client.name} is given the preload again")
            return
        again = {node for node, _ in unasked if client.view.get(node, "") == reply.shown.get(node)}
        if again:
            raise Violation(f"{client.name} is told of {sorted(again)} again")
        if reply.request[0] == "sync":
            promises.sync(self, world, client, reply)

    def delivered(self, client: Client, reply: Reply) -> None:
        """The server knows now that a text has arrived."""
        client.view.update(reply.shown)
        client.is_sent_to_read = client.is_sent_to_read or MUCH in reply.text
        if PRELOAD in reply.text:
            client.introduced = True

    @staticmethod
    def facts(reply: Reply) -> frozenset[str]:
        """What a text that arrives tells its model."""
        return facts(reply.text)

    def crashing(self, world: World) -> None:
        """The machine stops: what is on its way may be kept, in order, or not."""
        self.doubtful = tuple(waiting.entry for waiting in world.store._commits._waiting)

    def restarted(self, world: World) -> None:
        """Compares what is read back with what was promised."""
        doubtful, self.doubtful = self.doubtful, ()
        self.moved.clear()
        self.planned.clear()
        self.checked.clear()
        self.pushed.clear()
        store = world.store
        for key in self.truth:
            world.loop.complete(world.loop.start(store.load(key)))
        last = self.entries[-1].sequence if self.entries else -1
        arrived = tuple(store._history.after(max(store._history.floor, last)))
        for kept in range(len(doubtful) + 1):
            edits = arrived[kept:]  # what a person made of the files was taken over when they were read
            expected = dict(self.truth)
            for entry in (*doubtful[:kept], *edits):
                for change in entry.changes:
                    expected[change.graph] = expected.get(change.graph, Graph(key=change.graph)).apply(change)
            is_by_hand = all(entry.by == BY_HAND for entry in edits)
            ours = {change.graph for entry in (*self.entries, *doubtful[:kept], *edits) for change in entry.changes}
            foreign = {key for key in expected if key not in ours and not store._graphs[key].is_marked}
            if is_by_hand and all(
                key in foreign or same(store.durable(key), graph) for key, graph in expected.items()
            ):  # of a file that is a person's alone, we have no copy
                for entry in (*doubtful[:kept], *edits):
                    world.person.took(entry)
                    _outdate(world, entry)
                    self._saw(entry)
                    self.entries.append(entry)
                for key in expected:
                    self._take(key, store.durable(key))
                break
        else:
            raise Violation(_difference(self.truth, store))
        last = self.entries[-1].sequence if self.entries else 0
        if store.sequence < last:
            raise Violation(f"the journal went back from {last} to {store.sequence}")
        self.look(world)

    def _accept(self, world: World, entry: Entry) -> None:
        """One more entry that the store calls durable."""
        last = self.entries[-1].sequence if self.entries else 0
        if entry.sequence != last + 1 and self.entries:
            raise Violation(f"entry {entry.sequence} follows entry {last}")
        if not is_synced(world.machine.disk, world.store._disk.home.journal, body(entry)[1:]):
            raise Violation(f"entry {entry.sequence} is visible before it is durable")
        world.person.took(entry)
        for change in entry.changes:
            self.truth.setdefault(change.graph, Graph(key=change.graph))
        writer = promises.writer(world, entry)
        if writer is not None:
            promises.overwrites(self, writer, entry)
        _outdate(world, entry)
        for change in entry.changes:
            if entry.by != BY:
                self.moved.pop(change.graph, None)
            elif not world.fine and self._is_of_now(entry):
                promises.moves(self, change)
            self.truth[change.graph] = self.truth[change.graph].apply(change)
        promises.votes(self.truth)
        promises.counts(self.truth)
        self._saw(entry)
        self.entries.append(entry)

    def _is_of_now(self, plan: Entry) -> bool:
        """Whether nobody else wrote between the making of a plan and its entry."""
        since = self.planned.pop(plan.sequence, 0)
        return all(entry.by == BY for entry in self.entries if entry.sequence > since)

    def _saw(self, entry: Entry) -> None:
        for change in entry.changes:
            self._nodes(change.graph, (node for node in change.nodes.values() if node is not None))

    def _take(self, key: GraphKey, graph: Graph) -> None:
        self.truth[key] = graph
        self._nodes(key, graph.nodes.values())

    def _nodes(self, key: GraphKey, nodes: Any) -> None:
        said = self.said.setdefault(key, set())
        for node in nodes:
            self.nodes[node.version] = node
            said |= told(node)

    def _version(self, node_id: str, gist: str) -> str:
        """The version of now of the node that a line shows."""
        nodes = (graph.nodes.get(node_id) for graph in self.truth.values())
        return next((node.version for node in nodes if node is not None and node.gist == gist), "")

    def _watermark(self, client: Client, context: Any) -> None:
        covered = frozenset(entry.sequence for entry in self.entries if entry.sequence in context.ledger.pushed)
        before = self.pushed.get(context.id)
        self.pushed[context.id] = covered
        if before is not None and covered != before and not client.is_sent_to_read:
            promises.news(self, client, context, covered - before)
        client.is_sent_to_read = False


def _outdate(world: World, entry: Entry) -> None:
    """A writer has seen what it wrote; what is written anew after a deletion is news to everybody."""
    writer = promises.writer(world, entry)
    for change in entry.changes:
        for client in world.clients.values():
            for node_id, node in change.nodes.items():
                if client is writer or node is None:
                    client.view.pop(node_id, None)


def same(one: Graph, other: Graph) -> bool:
    """Whether two graphs say the same."""
    return (
        one.nodes == other.nodes
        and one.edges == other.edges
        and one.use == other.use
        and one.tombstones == other.tombstones
        and one.progress == other.progress
    )


def _difference(truth: dict[GraphKey, Graph], store: Any) -> str:
    for key, graph in truth.items():
        found = store.durable(key)
        for name in ("nodes", "edges", "use", "tombstones", "progress"):
            ours, theirs = dict(getattr(graph, name)), dict(getattr(found, name))
            if ours != theirs:
                where = sorted(str(at) for at in {*ours, *theirs} if ours.get(at) != theirs.get(at))
                return f"after the restart, the {name} of {key} are not those that were acknowledged: {where}"
    return "after the restart, memory is not what was acknowledged"
