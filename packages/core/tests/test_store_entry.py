"""What an entry of the journal says of the nodes that it changed."""

from __future__ import annotations

from kg_core.model import Change, Node
from kg_core.store import Entry

NEW = Node(id="a-new-lesson", gist="Otters hold hands")
OLD = Node(id="an-old-lesson", gist="Otters sleep")
MOVED = Node(id="a-moved-lesson", gist="Otters swim")
ENTRY = Entry(
    sequence=1,
    at=1,
    by="s-1",
    changes=(Change(graph="user", nodes={node.id: node for node in (NEW, OLD, MOVED)}),),
    before={("user", NEW.id): None, ("user", OLD.id): "what it said before", ("user", MOVED.id): MOVED.version},
)


def test_a_write_is_news_where_it_changed_what_a_node_says() -> None:
    assert ENTRY.is_news("user", NEW)
    assert ENTRY.is_news("user", OLD)
    assert not ENTRY.is_news("user", MOVED)


def test_what_a_new_node_says_need_not_be_worked_out() -> None:
    node = Node(id=NEW.id, gist=NEW.gist)

    assert ENTRY.is_news("user", node)

    assert "version" not in vars(node)
