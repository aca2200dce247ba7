"""kg_put_node: save a lesson, or change one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import Field

from kg_core.model import UNUSED, Change, Kind, Node, Status, Tier, Use, Written
from kg_core.model.ids import check_id
from kg_core.model.limits import GIST_CHANGES
from kg_core.model.odd import kept_aside
from kg_core.policy.credits import earns_note, noted
from kg_core.policy.score import changed_at
from kg_core.render import one_line
from kg_core.render.block import Block, Mark, MarkKind
from kg_plugin_api import Code, KgError
from kg_server.tools.arguments import Arguments, Ids, Level, Name, Paths, Texts, Words
from kg_server.tools.content import (
    as_stored,
    checked_gist,
    checked_notes,
    checked_tags,
    checked_touches,
    checked_view,
    missing,
    remarks,
)
from kg_server.tools.evidence import evidence, needed, refuse_circles, rested
from kg_server.tools.guards import Refusal, guard
from kg_server.tools.levels import bare_id, is_same_spelling, level_name, level_of, lookup
from kg_server.tools.lists import names_several
from kg_server.tools.markup import heal
from kg_server.tools.plan import Call, Plan, said
from kg_server.tools.showing import shown_in_full
from kg_server.tools.withheld import withheld

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_core.model import Edge, EdgeKey, Graph, GraphKey

_FALLEN: Final = frozenset({Status.RETRACTED, Status.SUPERSEDED})


class PutNode(Arguments):
    """Arguments of kg_put_node."""

    level: Annotated[Level, Field(description="'project' for this code base, 'user' for what holds everywhere.")]
    id: Annotated[Name, Field(description="The subject in 3 to 5 words: letters and digits joined by '-', no date.")]
    gist: Annotated[str, Field(description="The claim, one sentence that holds beyond this case.")]
    notes: Annotated[Texts, Field(description="Cases and reasons, one each. Replaces the stored list.")] = ()
    touches: Annotated[Paths, Field(description="Files it is about, 'path' or 'path:line'. Replaces the list.")] = ()
    tags: Annotated[Words, Field(description="Words to group by. Replaces the stored list.")] = ()
    status: Annotated[
        Literal["current", "proposed", "retracted", "superseded"] | None,
        Field(description="Whether it holds; 'current' unless said otherwise."),
    ] = None
    derived_from: Annotated[
        Ids, Field(description="Ids of the lessons that it was concluded from, if it was. Adds to those stored.")
    ] = ()
    kind: Annotated[
        Literal["stated", "derived"] | None,
        Field(description="'derived' for a conclusion; derived_from implies it."),
    ] = None
    observer: Annotated[str, Field(description="Whose view it is, where that matters.")] = ""
    observed: Annotated[str, Field(description="Whom or what that view is of.")] = ""


def graphs(arguments: PutNode, call: Call) -> tuple[GraphKey, ...]:
    """Of a conclusion, the graphs of other projects through which its evidence may come back to it."""
    if not arguments.derived_from:
        return ()
    graph = call.pending.graph(arguments.level)
    named = bare_id(graph, arguments.id)
    stored = lookup(graph, named)
    pieces = evidence(call, graph, check_id(named) if stored is None else stored.id, arguments.derived_from)
    return needed(call, [(holder, key) for holder, edges in pieces.items() for key in edges])


def plan(arguments: PutNode, call: Call) -> Plan:
    """Saves the node unless a guard forbids it; an unchanged node is not written."""
    graph = call.pending.graph(arguments.level)
    named = bare_id(graph, arguments.id)
    stored = lookup(graph, named)
    if stored is not None and not is_same_spelling(stored, named):
        reason = f"{named!r} is another spelling of this node; use its id"
        return _refused(call, graph, stored, Refusal(reason=reason))
    node_id = check_id(named) if stored is None else stored.id
    healed = heal(arguments.gist)
    gist = checked_gist(healed.gist)
    notes = checked_notes(arguments.notes or healed.notes) if arguments.sent("notes") or healed.notes else None
    touches = (
        checked_touches(arguments.touches or healed.touches) if arguments.sent("touches") or healed.touches else None
    )
    tags = checked_tags(arguments.tags) if arguments.sent("tags") else None
    pieces = evidence(call, graph, node_id, arguments.derived_from)
    if stored is not None:
        notes = None if notes is None else as_stored(notes, stored.notes)
        touches = None if touches is None else as_stored(touches, stored.touches)
        tags = None if tags is None else as_stored(tags, stored.tags)
        if stored.locked:
            raise KgError(
                Code.REFUSED, f"{node_id!r} is locked by a person and was not written. Tell the user.", {"id": node_id}
            )
        refusal = guard(
            stored, graph.key, call.known, is_own=_is_own(call, graph, stored), notes=notes, touches=touches
        )
        if refusal is not None:
            return _refused(call, graph, stored, refusal)
    base = stored or Node(id=node_id, gist=gist, created=call.now)
    node = replace(
        base,
        gist=gist,
        notes=base.notes if notes is None else notes,
        touches=base.touches if touches is None else touches,
        tags=base.tags if tags is None else tags,
        status=base.status if arguments.status is None else Status(arguments.status),
        kind=_kind(arguments, base),
        observer=checked_view("observer", arguments.observer) if arguments.sent("observer") else base.observer,
        observed=checked_view("observed", arguments.observed) if arguments.sent("observed") else base.observed,
        conflicts=(),
    )
    if stored is not None and node.version == stored.version and not stored.conflicts:
        return _related(call, graph, stored, pieces)
    node = kept_aside(replace(node, written=_written(call, graph, stored, node_id)))
    use = _use(call, graph, stored, node)
    earns = stored is not None and not call.context.maintenance and earns_note(stored, use, call.by, notes)
    change = Change(
        graph=graph.key,
        nodes={node_id: node},
        use={node_id: noted(use, call.by, call.now) if earns else use},
        tombstones={node_id: None} if node_id in graph.tombstones else {},
        edges=pieces.pop(graph.key, {}),
    )
    changes = (change, *(Change(graph=holder, edges=edges) for holder, edges in pieces.items()))
    refuse_circles(call, changes)
    learned = [Mark(MarkKind.WROTE, graph.key, node_id, node.version)]
    if _knows_all_of(call, graph, stored, notes, touches):
        learned.append(Mark(MarkKind.READ, graph.key, node_id, node.version))
    saved = _saved(call, graph, stored, node)
    joined = [touch for touch in missing(node.touches, base.touches) if names_several(touch)]
    saved += [f"Note: {one_line(touch)!r} is kept as one file; several are an item each." for touch in joined]
    if gone := missing(base.tags, node.tags):
        saved.append(f"Tags that it has no more: {', '.join(map(one_line, gone))}.")
    if node.status in _FALLEN and base.status not in _FALLEN:
        saved += rested(call, graph.key, node_id)
    if earns:
        saved.append("The added case counts as a vote for it.")
    if healed.is_changed:
        saved.append(
            "Note: tool-call markup had run into the gist; without it and what came behind it, the gist is now: "
            f"{one_line(gist)}"
        )
    return replace(said(*saved), changes=changes, learned=tuple(learned))


def _kind(arguments: PutNode, base: Node) -> Kind:
    """Whether it was stated or concluded. Raises INVALID for a statement with premises."""
    if not arguments.derived_from:
        return base.kind if arguments.kind is None else Kind(arguments.kind)
    if arguments.kind == "stated":
        raise KgError(Code.INVALID, "What derived_from names makes it a conclusion; leave out kind='stated'.")
    return Kind.DERIVED


def _related(call: Call, graph: Graph, stored: Node, pieces: Mapping[GraphKey, Mapping[EdgeKey, Edge]]) -> Plan:
    """Saves what a lesson rests on, whose words stay as they are."""
    if not pieces:
        return said(f"{stored.id!r} already says exactly this; nothing was written.", *withheld(graph, stored))
    changes = tuple(Change(graph=holder, edges=edges) for holder, edges in pieces.items())
    refuse_circles(call, changes)
    count = sum(map(len, pieces.values()))
    return replace(said(f"Saved what {stored.id!r} rests on: {count} more.", *withheld(graph, stored)), changes=changes)


def _written(call: Call, graph: Graph, stored: Node | None, node_id: str) -> Written:
    """Maintenance leaves a lesson to its author. A write is younger than what it replaces, whatever was done to the
    clock meanwhile: who merges it later tells by that which of the two counts.
    """
    before, tombstone = stored.written if stored is not None else None, graph.tombstones.get(node_id)
    author = before.author if call.context.maintenance and before is not None else call.by
    replaced = [earlier.at + 1 for earlier in (before, tombstone) if earlier is not None]
    return Written(at=max([call.now, *replaced]), by=call.by, author=author)


def _use(call: Call, graph: Graph, stored: Node | None, node: Node) -> Use:
    """A write brings a lesson back and makes it recent; one of maintenance leaves its tier and its time alone."""
    if stored is None:
        return replace(UNUSED, activity_at=call.now)
    use = graph.use_of(node.id)
    changes = use.gist_changes if node.gist == stored.gist else (*use.gist_changes, call.now)[-GIST_CHANGES:]
    if call.context.maintenance:
        # At least 1 ms after the epoch: 0 would mean unknown, and the time of this write would count.
        return replace(use, activity_at=max(1, changed_at(stored, use)), gist_changes=changes)
    return replace(use, tier=Tier.ACTIVE, orphaned_at=0, activity_at=call.now, gist_changes=changes)


def _knows_all_of(
    call: Call, graph: Graph, stored: Node | None, notes: tuple[str, ...] | None, touches: tuple[str, ...] | None
) -> bool:
    """Whether the writer knows the whole node it leaves behind."""
    if stored is None or call.known.has_read(graph.key, stored):
        return True
    return (notes is not None or not stored.notes) and (touches is not None or not stored.touches)


def _saved(call: Call, graph: Graph, stored: Node | None, node: Node) -> list[str]:
    lines = [f"Saved {node.id!r} ({level_of(graph)})."]
    lines += withheld(graph, node)
    lines += [f"Note: {remark}." for remark in remarks(node.id, node.gist, is_new=stored is None)]
    if stored is None and node.id in graph.tombstones:
        aged = call.pending.aged(node.id, level_of(graph))
        back = f"Note: {aged} It would take the place of the new one."
        lines.append(back if aged else "A node of this id had been deleted or renamed before.")
    twins = [other for other in call.pending.searched() if other is not graph and other.find(node.id) is not None]
    if stored is None and twins:
        lines.append(f"Note: level {level_name(twins[0])} has this id too, so name the level in every call about it.")
    elif stored is None and (resembled := _resembled(call, graph, node)):
        lines.append(resembled)
    return lines


def _resembled(call: Call, graph: Graph, node: Node) -> str:
    """A remark on a new node that says again what another says, or describes again what another names."""
    twin = call.lookalikes.twin(graph.key, node.id, node.gist)
    if twin is not None and twin in graph.nodes:
        return (
            f"Note: {twin!r} seems to say the same: {_ended(graph.nodes[twin].gist)} "
            "If it does, add this case to its notes and delete the new node."
        )
    named = call.lookalikes.hub(graph, node.id, node.gist, call.context.project_name.casefold().split("-"))
    if named is None:
        return ""
    word, hub = named
    return (
        f"Note: the graph already names {word!r}: {hub!r}, {_ended(graph.nodes[hub].gist)} "
        "If that is meant, relate the new node to it with kg_put_edge rather than describe it again."
    )


def _ended(gist: str) -> str:
    """A gist behind which another sentence begins."""
    text = one_line(gist).rstrip()
    return text if text.endswith((".", "!", "?", "。", "！", "？", "…")) else f"{text}."


def _is_own(call: Call, graph: Graph, stored: Node) -> bool:
    """Whether the writer's own write of the node is still on its way. Once it is durable, its ledger says so instead:
    a person who edits the file leaves its name beside what it never wrote.
    """
    durable = call.durable.graph(level_of(graph))
    before, tombstone = durable.nodes.get(stored.id), durable.tombstones.get(stored.id)
    known = [before.written.at] if before is not None and before.written is not None else []
    known += [] if tombstone is None else [tombstone.at]
    return stored.written is not None and stored.written.by == call.by and stored.written.at > max(known, default=0)


def _refused(call: Call, graph: Graph, stored: Node, refusal: Refusal) -> Plan:
    """Shows the node as readers may see it; the refusal counts as a read once it has arrived."""
    durable = call.durable.graph(level_of(graph))
    node = durable.nodes.get(stored.id)
    lines = [f"NOT WRITTEN: {refusal.reason}. Nothing was changed."]
    if node is None:
        lines.append(f"{stored.id!r} is being written by another session at this moment; send the write again.")
        return said(*lines, is_error=True)
    marks: tuple[Mark, ...] = ()
    dropped = [Block(text=f"  would be removed: {one_line(text)}") for text in refusal.dropped]
    if refusal.warning:
        lines.append("Send the lists with everything that shall stay; or the same write again if removal is meant.")
        marks = (Mark(MarkKind.WARNED, graph.key, stored.id, refusal.warning),)
    else:
        lines.append("This is the node as it stands; send the write again with what you want to keep of it:")
    return Plan(
        blocks=(Block(text="\n".join(lines)), *dropped, *shown_in_full([(durable, node)], call.durable)),
        marks=marks,
        is_error=True,
    )
