"""Records of the model and back."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from kg_core.model import Change, EdgeKey, Status
from kg_core.model.changes import change_record, read_change
from kg_core.model.codec import (
    edge_record,
    node_record,
    progress_record,
    read_edge,
    read_node,
    read_progress,
    read_tombstone,
    read_use,
    tombstone_record,
    use_record,
)


def through_json(record):
    return json.loads(json.dumps(record))


def test_every_value_is_read_back_as_it_was(values):
    @given(values.nodes, values.edges, values.uses, values.tombstones, values.progresses)
    def holds(node, edge, use, tombstone, progress):
        assert read_node(node.id, through_json(node_record(node))) == node
        assert read_edge(through_json(edge_record(edge))) == edge
        assert read_use(through_json(use_record(use))) == use
        assert read_tombstone(through_json(tombstone_record(tombstone))) == tombstone
        assert read_progress(through_json(progress_record(progress))) == progress

    holds()


def test_every_change_is_read_back_as_it_was_removals_included(values):
    @given(
        st.dictionaries(values.ids, st.one_of(st.none(), values.nodes), max_size=2),
        st.lists(values.edges, max_size=2),
        st.dictionaries(values.ids, st.one_of(st.none(), values.uses), max_size=2),
        st.dictionaries(values.ids, st.one_of(st.none(), values.tombstones), max_size=2),
        st.dictionaries(values.texts, st.one_of(st.none(), values.progresses), max_size=2),
    )
    def holds(nodes, edges, use, tombstones, progress):
        change = Change(
            graph="user",
            nodes={key: None if node is None else read_node(key, node_record(node)) for key, node in nodes.items()},
            edges={**{edge.key: edge for edge in edges}, EdgeKey("gone", "to", "nothing"): None},
            use=use,
            tombstones=tombstones,
            progress=progress,
            renamed={"a": "b"},
        )
        assert read_change(through_json(change_record(change))) == change

    holds()


def test_reading_any_object_never_fails_and_writing_it_again_loses_nothing(values):
    names = st.sampled_from(["gist", "notes", "status", "written", "created", "locked", "conflicts", "more"])

    @given(st.dictionaries(names, values.json_values, max_size=6))
    def holds(record):
        node = read_node("alpha", record)
        again = read_node("alpha", through_json(node_record(node)))
        assert again == node
        assert read_use(record) == read_use(use_record(read_use(record)))
        read_edge(record)

    holds()


def test_a_field_of_the_wrong_type_is_kept_as_it_was():
    record = {"gist": "works", "status": "someday", "created": "yesterday", "notes": {"odd": 1}, "colour": "red"}
    node = read_node("alpha", record)
    assert node.status is Status.CURRENT
    assert node_record(node) == record


def test_a_hand_written_note_need_not_be_a_list():
    assert read_node("alpha", {"gist": "g", "notes": "one"}).notes == ("one",)


def test_defaults_are_not_written(values):
    assert node_record(values.node("alpha", "a gist", created=0)) == {"gist": "a gist"}


def test_an_edge_without_ends_is_no_edge():
    assert read_edge({"from": "a", "rel": "uses"}) is None


def test_unknown_keys_inside_written_survive():
    record = {"gist": "g", "written": {"at": "2026-01-01T00:00:00.000Z", "by": "a", "author": "b", "tool": "vim"}}
    assert node_record(read_node("alpha", record)) == record
