"""The benchmark runs: a small memory, few repetitions, no claim about speed."""

from __future__ import annotations

import ast
import importlib
import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FIGURES = runpy.run_path(str(ROOT / "bench" / "waits" / "figures.py"))


def test_what_benchmarks_take_from_the_packages_is_there() -> None:
    """Most of them run at night, or by hand."""
    missing = []
    for script in sorted((ROOT / "bench").rglob("*.py")):
        for taken in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
            if isinstance(taken, ast.ImportFrom) and taken.module is not None and taken.module.startswith("kg_"):
                source = importlib.import_module(taken.module)
                missing += [
                    f"{script.relative_to(ROOT)}: {taken.module}.{name.name}"
                    for name in taken.names
                    if not hasattr(source, name.name)
                ]
    assert missing == []


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
    options = ["--nodes", "150", "--only", "active", "--rest", "0.1", "--json", str(found)]

    done = subprocess.run([*script, *options], env=os.environ, capture_output=True, text=True, timeout=400, check=False)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("## Loop\n")
    assert "| first compaction, all active | 150 |" in done.stdout
    steps = [step for row in json.loads(found.read_text(encoding="utf-8"))["rows"] for step in row["steps"]]
    assert steps
    assert all(step["wall"] > 0 and step["name"] for step in steps)


def test_what_an_event_costs_is_the_difference_of_medians_and_of_95th_percentiles() -> None:
    bare = [0.100] * 19 + [0.500]
    waits = FIGURES["Waits"]("A client", {"ours": "MCP-tool hook", "slow": "hook client"}, {"ours": "hook client"})
    for event in ("session start", "prompt"):
        waits.add(event, FIGURES["BARE"], bare)
        waits.add(event, "ours", [each + 0.004 for each in bare])
        waits.add(event, "slow", [each + 0.040 for each in bare[:-1]] + [0.200])

    table = FIGURES["markdown"]([waits]).splitlines()[2:]

    assert table == [
        "| A client | session start | ours | hook client | 20 | 4.0 ms | 4.0 ms | – |",
        "| A client | session start | slow | hook client | 20 | 40.0 ms | 40.0 ms | – |",
        "| A client | prompt | ours | MCP-tool hook | 20 | 4.0 ms | 4.0 ms | ≤ 6 ms |",
        "| A client | prompt | slow | hook client | 20 | 40.0 ms | 40.0 ms | ≤ 30 ms, missed |",
    ]


def test_what_has_a_base_of_its_own_is_compared_with_that() -> None:
    waits = FIGURES["Waits"]("A client", {"tools": "none", "ours": "MCP-tool hook"}, {}, {"ours": "tools"})
    for subject, seconds in ((FIGURES["BARE"], 0.100), ("tools", 0.102), ("ours", 0.107)):
        waits.add("prompt", subject, [seconds])

    assert FIGURES["markdown"]([waits]).splitlines()[2:] == [
        "| A client | prompt | tools | none | 1 | 2.0 ms | 2.0 ms | – |",
        "| A client | prompt | ours | MCP-tool hook | 1 | 5.0 ms | 5.0 ms | ≤ 6 ms |",
    ]


@pytest.mark.nightly
@pytest.mark.acceptance
@pytest.mark.parametrize("options", [("--no-peer",), ("--whole", "--only", "claude", "--only", "codex")])
def test_what_events_cost_in_the_real_clients_is_measured(tmp_path: Path, options: tuple[str, ...]) -> None:
    found = tmp_path / "found.json"
    script = [sys.executable, str(ROOT / "bench" / "events.py"), *options]
    few = ["--runs", "1", "--starts", "1", "--json", str(found)]

    done = subprocess.run([*script, *few], env=os.environ, capture_output=True, text=True, timeout=400, check=False)

    assert done.returncode == 0, done.stderr
    assert "As a process, the hook client: " in done.stdout
    for waits in json.loads(found.read_text(encoding="utf-8")):
        assert {"session start", "prompt"} < waits["seconds"].keys()
        assert f"| {waits['client']} | session start |" in done.stdout
