"""What must hold, one function for each promise. All raise Violation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kg_core.model import PROJECT_PREFIX, USER, USER_PREFIX, StampKind, Tier
from kg_core.model.steps import at_once
from kg_core.policy import planned
from kg_core.policy.fresh import fresh_steps
from kg_core.render import charge
from kg_server.compaction import BY
from kg_server.contexts import ContextKey

from .clients import facts, told
from .disk import file_of
from .seams import Seams

if TYPE_CHECKING:
    from kg_core.model import Change, Graph, Node
    from kg_core.store import Entry

    from .clients import Client, Reply
    from .witness import Witness
    from .world import World

PLANS_AT_MOST = 8
"""So many plans in a row at most change anything, over three nodes."""


class Violation(Exception):
    """A promise that does not hold."""


def overwrites(witness: Witness, client: Client, entry: Entry) -> None:
    """Nobody overwrites a version that it has not been shown, nor notes that it has not read."""
    knew = client.knew
    for change in entry.changes:
        graph = witness.truth[change.graph]
        for node_id, node in change.nodes.items():
            before = graph.nodes.get(node_id)
            if node is None or before is None or node_id in change.renamed.values():
                continue
            if before.gist not in knew:
                raise Violation(f"{client.name} overwrites {node_id!r}, whose gist it was never shown")
            unread = {fact for text in before.notes if text not in node.notes for fact in facts(text)} - knew
            if unread:
                raise Violation(f"{client.name} removes notes of {node_id!r} that it never read: {sorted(unread)}")


def votes(truth: dict[str, Graph]) -> None:
    """A session votes for a node once."""
    for graph in truth.values():
        for node_id, use in graph.use.items():
            voters = [stamp.by for stamp in use.stamps if stamp.kind is StampKind.ENDORSEMENT]
            if len(voters) != len(set(voters)):
                raise Violation(f"a session has voted for {node_id!r} twice")


def counts(truth: dict[str, Graph]) -> None:
    """A node of the user's knows how many edges each project has into it."""
    user = truth.get(USER)
    for key, graph in truth.items() if user is not None else ():
        slug = key.removeprefix(PROJECT_PREFIX)
        if user is None or slug == key:
            continue
        made = {end.removeprefix(USER_PREFIX): len(keys) for end, keys in graph.incident.items() if ":" in end}
        known = {node_id: dict(use.inbound).get(slug, 0) for node_id, use in user.use.items()}
        for node_id in {*made, *known}.intersection(user.nodes):
            if made.get(node_id, 0) != known.get(node_id, 0):
                raise Violation(f"{node_id!r} counts other edges from {key} than there are")


def moves(witness: Witness, change: Change) -> None:
    """No plan moves back what an earlier one moved, unless somebody wrote in between."""
    moved = witness.moved.setdefault(change.graph, {})
    for node_id, use in change.use.items():
        if use is not None and node_id in moved:
            raise Violation(f"compaction moved {node_id!r} to {moved[node_id]} and then to {use.tier}")
        if use is not None:
            moved[node_id] = use.tier


def tiers(graph: Graph, user: Graph) -> None:
    """When plans have come to rest, fresh and locked nodes are in sight, and the others are within the budget."""
    held = {*at_once(fresh_steps(graph, user, Seams.budget.fresh)), *graph.locked}
    for node_id in held:
        if graph.tier(node_id) is not Tier.ACTIVE:
            raise Violation(f"compaction took {node_id!r} out of sight, which is fresh or locked")
    if charge(graph, user) > Seams.budget.most and not held.issuperset(graph.tiers[Tier.ACTIVE]):
        raise Violation(
            f"when plans have come to rest, the level costs {charge(graph, user)}, more than {Seams.budget.most}"
        )


def plans(witness: Witness, world: World, graph: Graph) -> None:
    """Plan after plan without a write in between reaches one that changes nothing, and undoes nothing."""
    if witness.checked.get(id(graph)) is graph:
        return
    witness.checked[id(graph)] = graph
    user, settled = world.store.durable(USER), dict[str, Tier]()
    for _ in range(PLANS_AT_MOST):
        change = at_once(planned(graph, user if graph.key != USER else graph, world.wall, settled, Seams.budget))
        if change is None:
            tiers(graph, user)
            return
        for node_id, use in change.use.items():
            assert use is not None
            if node_id in settled:
                raise Violation(f"a plan moves {node_id!r} back to {use.tier}")
            settled[node_id] = use.tier
        graph = graph.apply(change)
    raise Violation(f"plans for {graph.key} never end")


def compacted(world: World) -> None:
    """When nothing is left to do, compaction has done what there was to do."""
    compaction, user = world.service._compaction, world.store.durable(USER)
    for key in world.service._memory.loaded:
        graph = world.store.durable(key)
        if at_once(planned(graph, user, world.wall, compaction._settled.get(key, ()), Seams.budget)) is not None:
            raise Violation(f"compaction has left {key} as it is, and a plan would change it")


def files(world: World, held: Any) -> None:
    """A graph whose files are said to be up to date is in its file."""
    if held.is_dirty or held.identity is None or held.read_only or is_unseen(world, held):
        return
    path = file_of(world.store._disk.home, held.key)
    folder = world.machine.disk.folders.get(path.parent)
    inode = folder.names.get(path.name) if folder else None
    if inode is None:
        raise Violation(f"{path} is said to be up to date and is not there")
    record = _parsed(inode.data)
    graph = held.durable
    gists = {node_id: node["gist"] for node_id, node in record["nodes"].items()}
    if gists != {node_id: node.gist for node_id, node in graph.nodes.items()}:
        raise Violation(f"{path} is said to be up to date and has other nodes")
    if len(record["edges"]) != len(graph.edges) or {*record["tombstones"]} != {*graph.tombstones}:
        raise Violation(f"{path} is said to be up to date and has other edges or tombstones")


def is_unseen(world: World, held: Any) -> bool:
    """Whether the file of a graph is another one than the store knows: somebody has edited it just now."""
    return bool(world.machine.disk.identity(file_of(world.store._disk.home, held.key)) != held.identity)


_PARSED: dict[bytes, Any] = {}


def _parsed(data: bytes) -> Any:
    if len(_PARSED) > 1_000:
        _PARSED.clear()
    if data not in _PARSED:
        _PARSED[data] = {"nodes": {}, "edges": [], "tombstones": {}, **json.loads(data)}
    return _PARSED[data]


def ledger(witness: Witness, client: Client, context: Any) -> None:
    """Nothing is marked before it was delivered."""
    known = client.knew
    for (_, node_id), marked in context.ledger.nodes.items():
        viewed, read = witness.nodes.get(marked.viewed), witness.nodes.get(marked.read)
        if marked.viewed and (viewed is None or viewed.gist not in known):
            raise Violation(f"{node_id!r} is marked as shown to {client.name}, whose model was not shown it")
        if marked.read and (read is None or not told(read) <= known):
            raise Violation(f"{node_id!r} is marked as read by {client.name}, whose model was not given all of it")


def history(witness: Witness, world: World, context: Any) -> None:
    """What is at hand since a watermark is all that came after it, or is said to be gone."""
    entries = world.store.since(context.ledger.synced)
    if entries is None:
        return
    expected = [entry.sequence for entry in witness.entries if entry.sequence > context.ledger.synced]
    if [entry.sequence for entry in entries] != expected:
        raise Violation(f"the journal skips entries after {context.ledger.synced}")


def news(witness: Witness, client: Client, context: Any, covered: frozenset[int]) -> None:
    """A change by another that is passed over was shown: its gist is in front of the model.

    What changed again later, or was deleted meanwhile, is the later entry's news.
    """
    renamed: dict[str, str] = {}
    changed: set[tuple[str, str]] = set()
    for entry in reversed(witness.entries):
        for change in entry.changes:
            if change.graph in context.graphs:
                renamed.update({old: renamed.get(new, new) for old, new in change.renamed.items()})
            later = frozenset(changed)
            written = _contents(entry, change)
            deleted = [node_id for node_id, node in change.nodes.items() if node is None]
            changed.update((change.graph, renamed.get(at, at)) for at in (*deleted, *(at for at, _ in written)))
            if entry.sequence not in covered or entry.by in {context.id, BY} or change.graph not in context.graphs:
                continue
            graph = witness.truth[change.graph]
            for node_id, node in written:
                now = graph.nodes.get(renamed.get(node_id, node_id))
                if now is None or (change.graph, now.id) in later:
                    continue
                is_shown = graph.tier(now.id) is Tier.ACTIVE and _stays(witness, change.graph)
                if is_shown and now.gist == node.gist and now.gist not in client.knew:
                    raise Violation(f"{client.name} is never told that {now.id!r} was written")


def _contents(entry: Entry, change: Change) -> list[tuple[str, Node]]:
    """The nodes whose content an entry changed; a rename changes none."""
    return [
        (node_id, node)
        for node_id, node in change.nodes.items()
        if node is not None
        and node_id not in change.renamed.values()
        and entry.before.get((change.graph, node_id)) != node.version
    ]


def _stays(witness: Witness, key: str) -> bool:
    """Whether compaction has moved nothing, so that what is in sight now was so before."""
    return not witness.moved.get(key)


def sync(witness: Witness, world: World, client: Client, reply: Reply) -> None:
    """kg_sync lists all content that others changed since the last one."""
    context = context_of(world, client)
    if context is None or "read again" in reply.text:
        return
    reserved = world.service._deliveries._open.get(reply.delivery)
    synced = [int(mark.version) for mark in reserved.marks if mark.kind == "synced"] if reserved else []
    if not synced:
        return
    renamed: dict[str, str] = {}
    for entry in reversed(witness.entries):
        if entry.sequence <= context.ledger.synced:
            return
        for change in entry.changes:
            if change.graph not in context.graphs:
                continue
            renamed.update({old: renamed.get(new, new) for old, new in change.renamed.items()})
            if entry.by in {context.id, BY} or entry.sequence > synced[0]:
                continue
            graph = witness.truth[change.graph]
            for node_id, _ in _contents(entry, change):
                now = graph.nodes.get(renamed.get(node_id, node_id))
                if now is not None and now.gist not in facts(reply.text):
                    raise Violation(f"kg_sync does not tell {client.name} of {now.id!r}")


def writer(world: World, entry: Entry) -> Client | None:
    """The client behind an entry, if it is one."""
    for client in world.clients.values():
        context_id = world.service._registry.get(entry.by)
        if context_id is not None and context_id.key == (client.harness, client.name, ""):
            return client
    return None


def context_of(world: World, client: Client) -> Any:
    """What the server knows of a client."""
    return world.service._registry.find(ContextKey(client.harness, client.name))
