"""Messages and commands that a lesson quotes, repeated in a prompt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_core.model import Graph, Node, Use
from kg_core.policy import GATE, Index, item, recall, request
from kg_core.policy.quotations import TELLING, Rows
from kg_core.render import standing

LESSONS = {
    "files-per-request": 'A service that stops with "socket: too many open files" makes a client for each request.',
    "certs-command": "Local certificates are renewed by `just certs`, never by hand.",
    **{f"filler-{number}": f"Filler {number} is about nothing that matters here." for number in range(120)},
}
WORDS = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon"]), min_size=3, max_size=8)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("accept4: EMFILE (socket, too many open files); retrying", 5),
        ("dial tcp: Too Many Open Files", 4),
        ("there are too many files open", 0),
        ("open files", 0),
        ("what does just certs do", TELLING),
        ("certs are just fine", 0),
        ("", 0),
    ],
)
def test_what_is_repeated_of_a_quotation_is_counted_in_words_in_a_row(question: str, words: int) -> None:
    assert Rows.of(question).repeated(LESSONS.values()) == words


def test_words_in_a_row_that_say_nothing_are_no_quotation() -> None:
    assert Rows.of("it is in the 1 2 3").repeated(['it says "it is in the" and "1 2 3" and `so`']) == 0


@given(WORDS, WORDS, WORDS)
def test_a_whole_quotation_is_found_wherever_it_stands(before: list[str], quoted: list[str], after: list[str]) -> None:
    text = f'The message is "{" ".join(quoted)}", no more.'
    assert Rows.of(" ".join([*before, *quoted, *after])).repeated([text]) == len(quoted)


@pytest.mark.parametrize(
    ("prompt", "lesson"),
    [
        ("accept4: EMFILE (socket, too many open files); retrying in 5ms   pod=edge-6c4", "files-per-request"),
        ("what does just certs do", "certs-command"),
    ],
)
def test_a_repeated_quotation_brings_its_lesson_though_its_words_are_everyday_ones(prompt: str, lesson: str) -> None:
    assert shown(prompt) == {lesson}


def test_a_word_or_two_of_a_message_bring_nothing() -> None:
    assert shown("which open files may I close") == set()


def shown(prompt: str) -> set[str]:
    graph = Graph.build("project:x", nodes={key: Node(id=key, gist=gist) for key, gist in LESSONS.items()}, edges={})
    index = Index()
    index.upsert(item(graph.key, node, Use(), standing(graph, node.id)) for node in graph.nodes.values())
    told = recall(prompt, index.search(request(prompt, (graph.key,))), [graph], set(), GATE)
    return {mark.id for block in told.blocks for mark in block.marks}
