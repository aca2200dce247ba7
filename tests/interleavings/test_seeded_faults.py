"""The explorer finds faults that are put in on purpose, each by a short trace that can be played again."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from .explorer import Exploration
from .faults import FAULTS, Fault
from .replay import replay
from .traces import shortened


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_found_and_its_short_trace_can_be_played(fault: Fault) -> None:
    fault.scenario.world().leave()  # how things stand before is made without the fault
    exploration = Exploration(fault.scenario)
    with fault.swapped_in():
        found = exploration.exhaust(depth=fault.depth)
        assert found is not None, f"not found: {exploration}"
        short = replace(shortened(fault.scenario, found), fault=fault.function.__name__)
    print(f"\n{short}")
    assert fault.says in short.sentence
    assert len(short.trace) <= fault.depth
    *_, last = replay(json.loads(short.written()))
    assert last == short.sentence


def test_a_trace_without_a_fault_is_played_to_its_end() -> None:
    *_, last = replay({"scenario": "small", "fault": "", "trace": [["begin", "ann", "sync"], ["arrive", "ann"]]})
    assert last == "Nothing is wrong with it."
