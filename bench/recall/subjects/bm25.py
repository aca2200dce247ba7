"""Plain BM25 from a published library (bm25s), with its English stop words, a stemmer, and pairs for CJK."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bm25s  # type: ignore[import-untyped]
import Stemmer  # type: ignore[import-untyped]

from subjects.subject import DEPTH, Answer, searched, text_of
from subjects.words import with_bigrams

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from dataset import Key, Question
    from kg_core.model import Graph


class Bm25:
    """One library index for each set of graphs in sight, with the library's own defaults."""

    title = "BM25"
    has_hook = False

    def __init__(self, graphs: Mapping[str, Graph]) -> None:
        self._graphs = graphs
        self._stemmer = Stemmer.Stemmer("english")
        self._indexes: dict[tuple[str, ...], tuple[Any, list[Key]]] = {}

    def ask(self, asked: Question) -> Answer:
        index, keys = self._indexes.get(asked.graphs) or self._built(asked)
        tokens = self._tokens([asked.text])
        found, scores = index.retrieve(tokens, k=min(DEPTH, len(keys)), show_progress=False)
        ranked = (keys[number] for number, score in zip(found[0], scores[0], strict=True) if score > 0)
        return Answer(ranked=tuple(ranked))

    def _built(self, asked: Question) -> tuple[Any, list[Key]]:
        nodes = searched(self._graphs, asked)
        index = bm25s.BM25()
        index.index(self._tokens([text_of(node) for node in nodes.values()]), show_progress=False)
        self._indexes[asked.graphs] = (index, list(nodes))
        return self._indexes[asked.graphs]

    def _tokens(self, texts: Sequence[str]) -> list[list[str]]:
        tokens: list[list[str]] = bm25s.tokenize(
            [with_bigrams(text) for text in texts],
            stopwords="en",
            stemmer=self._stemmer,
            return_ids=False,
            show_progress=False,
        )
        return tokens
