"""What is worked out of all of memory in small steps is what it would be at once, and no step grows with the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_core.model import Tier
from kg_core.model.steps import at_once, sorted_steps
from kg_core.policy import LevelView, full_read, planned, preload_blocks, prospects
from kg_core.policy.score import percentile_steps, score_steps
from kg_core.render import Block, Rank, fit, level_steps, reading_order, reading_order_steps
from kg_plugin_api import Limit, Unit

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from kg_core.model import Graph
    from kg_core.model.steps import Steps

SIZES = st.integers(0, 60)
SEEDS = st.integers(0, 10_000)
MANY = settings(max_examples=60, deadline=None)
HEAD = [Block(text="The core of memory.")]


def levels(models: ModuleType, seed: int, user: int, project: int) -> list[LevelView]:
    graphs = models.memory(seed, user, "user"), models.memory(seed + 1, project)
    return [LevelView(f"The {graph.key} level", graph) for graph in graphs]


@given(st.lists(st.integers(-50, 50) | st.floats(-1, 1), max_size=300), st.integers(1, 40))
def test_sorting_in_steps_sorts(values: list[float], run: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kg_core.model.steps.MANY", run)
        assert at_once(sorted_steps(values)) == sorted(values)


@given(st.lists(st.integers(0, 9) | st.floats(0, 1), max_size=60))
def test_equal_values_share_the_average_of_their_places(at_once_models: ModuleType, values: list[float]) -> None:
    assert at_once(percentile_steps(values)) == at_once_models.places(values)


@given(SEEDS, SIZES)
@MANY
def test_nodes_are_read_component_by_component_from_the_hub(at_once_models: ModuleType, seed: int, size: int) -> None:
    graph = at_once_models.memory(seed, size)
    ids = list(graph.tiers[Tier.ACTIVE])
    assert reading_order(graph, ids) == at_once_models.order(graph, ids)


@given(SEEDS, SIZES, SIZES, st.sampled_from([40, 90, 200, 700, 3_000, 50_000]), st.integers(0, 3))
@MANY
def test_a_full_read_is_what_fits_of_all_blocks(
    at_once_models: ModuleType, seed: int, user: int, project: int, target: int, known: int
) -> None:
    views = levels(at_once_models, seed, user, project)
    mine = views[0].graph
    preloaded = frozenset(node_id for view in views for node_id in view.graph.nodes if int(node_id[2:]) % 4 < known)
    expected = at_once_models.full_read(views, mine, target, preloaded)

    blocks = at_once(full_read(views, mine, at_once_models.NOW, target, lambda _, node_id: node_id in preloaded))

    assert [(block.text, block.marks) for block in blocks] == [(block.text, block.marks) for block in expected]


@given(SEEDS, SIZES, SIZES, st.sampled_from(list(Unit)), st.sampled_from([150, 400, 1_500, 9_000, 60_000]))
@MANY
def test_a_preload_is_chosen_from_all_lessons(
    at_once_models: ModuleType, seed: int, user: int, project: int, unit: Unit, maximum: int
) -> None:
    views = levels(at_once_models, seed, user, project)
    limit = Limit(maximum, unit)
    mine = views[0].graph

    found = at_once(prospects(views, mine, unit, at_once_models.NOW))

    assert preload_blocks(found, limit, head=HEAD) == at_once_models.preload(views, mine, limit, HEAD)


@given(SEEDS, st.integers(1, 40), st.integers(0, 1_500), st.integers(0, 60))
@MANY
def test_blocks_that_were_not_made_count_as_dropped(
    at_once_models: ModuleType, seed: int, size: int, maximum: int, more: int
) -> None:
    graph = at_once_models.memory(seed, size)
    blocks = [block for block in at_once(level_steps(graph, graph, title="All")) if block.rank >= Rank.GIST]
    unmade = [Block(text="an archived id", rank=Rank.ARCHIVED) for _ in range(more)]
    limit = Limit(min(maximum, len("\n".join(block.text for block in blocks)) - 1), Unit.CHARACTERS)
    expected = fit([*blocks, *unmade], limit)

    fitted = fit(blocks, limit, {Rank.ARCHIVED: more})

    assert (fitted.text, fitted.marks, fitted.hidden) == (expected.text, expected.marks, expected.hidden)


def counted(steps: Steps[object]) -> int:
    """How often steps give way."""
    count = 0
    while True:
        try:
            next(steps)
        except StopIteration:
            return count
        count += 1


@pytest.mark.parametrize(
    "work",
    [
        lambda graph, now: full_read([LevelView("All", graph)], graph, now, 5_000, lambda *_: False),
        lambda graph, now: full_read([LevelView("All", graph)], graph, now, 10**7, lambda *_: False),
        lambda graph, now: prospects([LevelView("All", graph)], graph, Unit.BYTES, now),
        lambda graph, now: reading_order_steps(graph, graph.nodes),
        lambda graph, now: level_steps(graph, graph, title="All"),
        lambda graph, now: score_steps(graph, graph.nodes, now),
        lambda graph, now: planned(graph, graph, now),
    ],
    ids=["cut read", "whole read", "preload", "order", "level", "scores", "compaction"],
)
def test_a_larger_memory_takes_more_steps_and_no_larger_ones(
    at_once_models: ModuleType, work: Callable[[Graph, int], Steps[object]]
) -> None:
    smaller, larger = (
        counted(work(at_once_models.memory(1, size, "user"), at_once_models.NOW)) for size in (1_000, 4_000)
    )
    assert larger >= 40
    assert larger > 1.5 * smaller
