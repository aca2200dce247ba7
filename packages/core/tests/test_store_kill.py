"""The real store in a real process, killed again and again: what was acknowledged is there."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from kg_core.store import Home, Store

_DRIVER = Path(__file__).parent / "_support" / "kill_driver.py"
_KILLS_OF_ONE_MEMORY = 20
"""Then a new one is begun: a memory that grew for ever would be all that the later rounds measure."""
_POINTS = ("append", "sync", "before-rename", "after-rename", "file")


@pytest.mark.parametrize(
    "kills",
    [
        pytest.param(6, id="6"),
        pytest.param(20, id="20", marks=pytest.mark.slow),
        pytest.param(500, id="500", marks=pytest.mark.nightly),
    ],
)
def test_every_acknowledged_write_survives_being_killed(tmp_path, kills):
    chance = random.Random(kills)
    for memory in range(0, kills, _KILLS_OF_ONE_MEMORY):
        home = Home(tmp_path / f"home-{memory}")
        told: dict[tuple[str, str], str] = {}
        tried: dict[tuple[str, str], str] = {}
        rounds = range(memory, min(kills, memory + _KILLS_OF_ONE_MEMORY))
        for number in rounds:
            point = f"{chance.choice(_POINTS)}:{chance.randint(1, 30)}" if number % 2 else ""
            _live_and_die(home, f"{number:05d}", point, chance.uniform(0.02, 0.25), told, tried)
            if number % 10 == 9 or number == rounds[-1]:
                asyncio.run(_check(home, told, tried))
        assert len(told) > len(rounds)


def _live_and_die(home, start, point, seconds, told, tried):
    process = subprocess.Popen(
        [sys.executable, str(_DRIVER), str(home.root), start],
        stdout=subprocess.PIPE,
        env={**os.environ, "KILL_AT": point} if point else os.environ,
    )
    assert process.stdout is not None
    timer = threading.Timer(10 if point else 60, process.kill)
    timer.start()
    try:
        for line in process.stdout:
            word, key, node_id, gist = line.decode("utf-8").split()
            if word == "ready" and not point:
                threading.Timer(seconds, process.kill).start()
            elif word == "try":
                tried[key, node_id] = gist
            elif word in {"told", "shown"}:
                told[key, node_id] = gist
    finally:
        timer.cancel()
        process.stdout.close()
        assert process.wait() == -signal.SIGKILL


async def _check(home, told, tried):
    store = await Store.open(home)
    for (key, node_id), gist in told.items():
        node = (await store.load(key)).nodes[node_id]
        assert gist <= node.gist <= tried[key, node_id]
    assert not store.problems()
    await store.close()
    for path in home.root.rglob("*"):
        assert path.suffix != ".tmp"
        assert ".corrupt-" not in path.name
        if path.suffix == ".json":
            json.loads(path.read_text("utf-8"))
