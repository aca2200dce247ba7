"""``python -m tests.interleavings.replay TRACE``: plays a trace that the explorer printed, and tells every step.

TRACE is the JSON of the trace, or the name of a file that holds it.
"""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .faults import FAULTS
from .scenarios import SCENARIOS
from .seams import controlled
from .traces import step
from .world import Pointless

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .world import World


def replay(record: dict[str, Any]) -> Iterator[str]:
    """What happens, line by line; the last line is the violation or says that there is none."""
    fault = FAULTS.get(record["fault"])
    scenario = SCENARIOS[record["scenario"]] if fault is None else fault.scenario
    with ExitStack() as stack:
        stack.enter_context(controlled())
        scenario.world().leave()
        if fault is not None:
            stack.enter_context(fault.swapped_in())
        world = scenario.world()
        for number, action in enumerate(map(tuple, record["trace"]), start=1):
            yield f"{number}. {' '.join(action)}"
            try:
                violation = step(world, action)
            except Pointless:
                yield "This step did not come to pass."
                return
            yield from _told(world)
            if violation:
                yield violation
                return
        yield "Nothing is wrong with it."


def _told(world: World) -> Iterator[str]:
    for key, held in world.store._graphs.items():
        nodes = (f"{node.gist!r} ({held.durable.tier(node_id)})" for node_id, node in held.durable.nodes.items())
        yield f"     {key} at {world.store.sequence}: {', '.join(nodes)}"
    for client in world.clients.values():
        if client.transit is not None:
            yield f"     on its way to {client.name}: {client.transit.text!r}"


def main(arguments: list[str]) -> int:
    """Prints what happens. Returns 1 for what is no trace."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 1
    text = arguments[0] if arguments[0].startswith("{") else Path(arguments[0]).read_text(encoding="utf-8")
    for line in replay(json.loads(text)):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
