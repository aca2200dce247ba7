"""The benchmark runs: a small memory, few repetitions, no claim about speed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_the_benchmark_measures_this_product_and_writes_what_it_found(tmp_path: Path) -> None:
    found = tmp_path / "found.json"
    script = [sys.executable, str(ROOT / "bench" / "run.py")]
    options = ["--sizes", "30,60", "--repetitions", "2", "--json", str(found)]

    done = subprocess.run([*script, *options], env=os.environ, capture_output=True, text=True, timeout=180, check=False)

    assert done.returncode == 0, done.stderr
    rows = json.loads(found.read_text(encoding="utf-8"))["rows"]
    titles = {row["title"] for row in rows}
    assert {"start to healthy", "idle memory", "full read", "search, 3 terms", "put_node, create"} <= titles
    assert all(sample["median"] > 0 for row in rows for sample in row["samples"].values())
    assert "| preload (session start event) | 30 |" in done.stdout
    assert "a write at 60 nodes against one at 30" in done.stdout


@pytest.mark.slow
def test_the_longest_steps_of_the_loop_are_measured_and_named(tmp_path: Path) -> None:
    found = tmp_path / "found.json"
    script = [sys.executable, str(ROOT / "bench" / "loop.py")]
    options = ["--nodes", "150", "--only", "active", "--json", str(found)]

    done = subprocess.run([*script, *options], env=os.environ, capture_output=True, text=True, timeout=400, check=False)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("## Loop\n")
    assert "| first compaction, all active | 150 |" in done.stdout
    steps = [step for row in json.loads(found.read_text(encoding="utf-8"))["rows"] for step in row["steps"]]
    assert steps
    assert all(step["wall"] > 0 and step["name"] for step in steps)
