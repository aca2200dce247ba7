"""Who is asked for lessons on a file: kg's own file recall, and the name of the file alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kg_core.policy import FileUse, TouchIndex, recall_files
from kg_core.render import MarkKind
from subjects.subject import DEPTH, Answer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dataset import Question
    from kg_core.model import Graph

_ROOT: Final = "/home/someone/orchard"
_HOME: Final = "/home/someone"
_NOW: Final = 1_800_000_000_000


class KgFiles:
    """What kg shows when a file is opened, with nothing in context yet."""

    title = "kg"
    has_hook = True

    def __init__(self, graphs: Mapping[str, Graph], former: Mapping[str, tuple[str, ...]]) -> None:
        self._graphs = graphs
        self._former = former
        self._indexes = {key: TouchIndex(home=_HOME) for key in graphs}
        for key, graph in graphs.items():
            self._indexes[key].update(graph)

    def ask(self, asked: Question) -> Answer:
        """Opens the file that is the question's text."""
        whole = asked.text.replace("~", _HOME, 1) if asked.text.startswith("~") else f"{_ROOT}/{asked.text}"
        spellings = (whole,) if asked.text.startswith("~") else (asked.text, whole)
        use = FileUse(name=asked.text, spellings=spellings, former=self._former[asked.text])
        graphs = [self._graphs[key] for key in asked.graphs]
        blocks = recall_files([use], graphs, self._indexes, frozenset(), {}, _NOW).blocks
        marks = (mark for block in blocks for mark in block.marks if mark.kind is MarkKind.SEEN)
        shown = tuple((mark.graph, mark.id) for mark in marks)
        return Answer(ranked=shown, injected=shown, characters=len("\n".join(block.text for block in blocks)))


class SameName:
    """Lessons that point at a file of this name, in whatever folder."""

    title = "same name"
    has_hook = True

    def __init__(self, graphs: Mapping[str, Graph], former: Mapping[str, tuple[str, ...]]) -> None:
        del former
        self._graphs = graphs

    def ask(self, asked: Question) -> Answer:
        """Opens the file that is the question's text."""
        name = asked.text.rpartition("/")[2]
        found = [
            (key, node.id)
            for key in asked.graphs
            for _, node in sorted(self._graphs[key].nodes.items())
            if any(touch.rpartition("/")[2] == name for touch in node.touches)
        ][:DEPTH]
        characters = sum(len(self._graphs[key].nodes[node_id].gist) for key, node_id in found)
        return Answer(ranked=tuple(found), injected=tuple(found), characters=characters)
