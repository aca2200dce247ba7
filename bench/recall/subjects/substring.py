"""Searches without a ranking: the whole question as a substring, and all of its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from subjects.subject import DEPTH, Answer, searched, text_of
from subjects.words import folded, words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dataset import Question
    from kg_core.model import Graph


class Substring:
    """Nodes whose text has the whole question in it, in order of id."""

    title = "substring"
    has_hook = False

    def __init__(self, graphs: Mapping[str, Graph]) -> None:
        self._graphs = graphs

    def ask(self, asked: Question) -> Answer:
        wanted = folded(asked.text).strip()
        nodes = searched(self._graphs, asked)
        found = [key for key, node in nodes.items() if wanted in folded(text_of(node))]
        return Answer(ranked=tuple(found[:DEPTH]))


class Conjunction:
    """Nodes that have every word of the question, in order of id."""

    title = "AND"
    has_hook = False

    def __init__(self, graphs: Mapping[str, Graph]) -> None:
        self._graphs = graphs

    def ask(self, asked: Question) -> Answer:
        wanted = set(words(asked.text))
        nodes = searched(self._graphs, asked)
        found = [key for key, node in nodes.items() if wanted and wanted <= set(words(text_of(node)))]
        return Answer(ranked=tuple(found[:DEPTH]))
