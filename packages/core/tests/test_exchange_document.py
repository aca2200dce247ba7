"""Graph files as a whole, written while others are to be answered."""

from __future__ import annotations

import pytest

from kg_core.exchange.document import both_files, content
from kg_core.model import Graph, Node


def turns(work) -> int:
    """How often a work lets others go first."""
    number = 0
    while True:
        try:
            work.send(None)
        except StopIteration:
            return number
        number += 1


@pytest.mark.parametrize("write", [content, both_files])
def test_others_have_their_turn_between_the_works_however_short_each_of_them_is(write, monkeypatch) -> None:
    monkeypatch.setattr("kg_core.store.slices.SLICE", 3_600)
    graph = Graph.build("user", nodes={"lesson": Node(id="lesson", gist="A lesson.")})

    assert turns(write(graph)) == 2
