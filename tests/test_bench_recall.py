"""The benchmark of recall runs on sets that a user brings: hand-made files of the same shape, and any repository."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]

CONVERSATION = {
    "sample_id": "talk-1",
    "conversation": {
        "speaker_a": "Ada",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ada", "dia_id": "D1:1", "text": "I adopted a walrus yesterday!"},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "Look", "blip_caption": "a photo of a bassoon"},
        ],
        "session_2_date_time": "9:00 am on 1 June, 2023",
        "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "My pottery class starts on Tuesday."}],
        "session_3_date_time": "9:00 am on 2 June, 2023",
        "session_3": [],
    },
    "observation": {
        "session_1_observation": {
            "Ada": [["Ada adopted a walrus.", "D1:1"]],
            "Ben": [["Ben owns a bassoon.", ["D1:2"]]],
        },
        "session_2_observation": {"Ben": [["Ben takes a pottery class.", "D2:1"]]},
    },
    "qa": [
        {"question": "Who adopted a walrus?", "answer": "Ada", "evidence": ["D1:1"], "category": 4},
        {"question": "When is the pottery class?", "answer": "Tuesday", "evidence": ["D1:1"], "category": 2},
        {"question": "Bassoon and pottery?", "answer": 2, "evidence": ["D:1:2; D2:1"], "category": 1},
        {"question": "Nobody said that", "answer": "", "evidence": ["D9:9"], "category": 3},
        {"question": "Without evidence", "adversarial_answer": "x", "evidence": [], "category": 5},
    ],
}
CORRECTIONS = [
    {"question_id": "locomo_0_qa1", "error_type": "WRONG_CITATION", "correct_evidence": ["D2:1"]},
    {"question_id": "locomo_0_qa0", "error_type": "HALLUCINATION", "correct_evidence": []},
]
DEVBENCH = {
    "memories": [
        {
            "id": "bench:one",
            "content": "Chose walrus storage.",
            "tags": ["devbench", "bench:one"],
            "memory_type": "decision",
        },
        {
            "id": "bench:two",
            "content": "The bassoon build needs 4 GB.",
            "tags": ["bench:two"],
            "memory_type": "bug-fix",
        },
    ],
    "queries": [
        {"id": "exact-1", "category": "exact", "question": "Why walrus storage?", "expected_tags": ["bench:one"]},
        {
            "id": "cross-1",
            "category": "cross",
            "question": "walrus, bassoon",
            "expected_tags": ["bench:one", "bench:two"],
        },
        {"id": "negative-1", "category": "negative", "question": "Best pizza in town?", "expected_tags": []},
    ],
}


def run(tmp_path: Path, *options: str, hash_seed: str = "0") -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The figures by part, and the answers of kg."""
    figures, answers = tmp_path / "figures.json", tmp_path / "answers.jsonl"
    script = [
        sys.executable,
        str(ROOT / "bench" / "recall" / "run.py"),
        "--json",
        str(figures),
        "--outcomes",
        str(answers),
    ]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [*script, *options], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    told = (json.loads(line) for line in answers.read_text(encoding="utf-8").splitlines())
    return json.loads(figures.read_text(encoding="utf-8")), [each for each in told if each["subject"] == "kg"]


def written(path: Path, value: object) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return str(path)


def test_locomo_is_read_by_session_and_by_observation(tmp_path: Path) -> None:
    file = written(tmp_path / "locomo10.json", [CONVERSATION])

    figures, answers = run(tmp_path, "--parts", "", "--locomo", file)

    assert set(figures) == {"locomo sessions", "locomo observations"}
    right = {(each["part"], each["id"]): sorted(node for _, node in each["answers"]) for each in answers}
    assert right == {
        ("locomo sessions", "locomo_0_qa0"): ["session-1"],
        ("locomo sessions", "locomo_0_qa1"): ["session-1"],
        ("locomo sessions", "locomo_0_qa2"): ["session-1", "session-2"],
        ("locomo observations", "locomo_0_qa0"): ["observation-1-1"],
        ("locomo observations", "locomo_0_qa1"): ["observation-1-1"],
        ("locomo observations", "locomo_0_qa2"): ["observation-1-2", "observation-2-1"],
    }
    assert {each["class"] for each in answers} == {"single-hop", "temporal", "multi-hop"}
    found = {(each["part"], each["id"]): each["rank"] for each in answers}
    assert found["locomo sessions", "locomo_0_qa0"] == found["locomo observations", "locomo_0_qa2"] == 1
    assert figures["locomo observations"]["subjects"]["kg"]["single-hop"]["hit_at_1"] == 1


@pytest.mark.parametrize("is_folder", [False, True])
def test_corrected_keys_replace_those_of_locomo(tmp_path: Path, is_folder: bool) -> None:
    file = written(tmp_path / "locomo10.json", [CONVERSATION])
    corrections = tmp_path / "audit" / "errors_conv_0.json"
    written(corrections, CORRECTIONS)
    given = str(corrections.parent if is_folder else corrections)

    _, answers = run(tmp_path, "--parts", "", "--locomo", file, "--corrections", given)

    right = {each["id"]: each["answers"] for each in answers if each["part"] == "locomo sessions"}
    assert right["locomo_0_qa1"] == [["project:talk-1", "session-2"]]
    assert right["locomo_0_qa0"] == [["project:talk-1", "session-1"]]


def test_devbench_is_read_with_its_negatives(tmp_path: Path) -> None:
    figures, answers = run(tmp_path, "--parts", "", "--devbench", written(tmp_path / "dev.json", DEVBENCH))

    assert {each["id"]: each["class"] for each in answers} == {
        "exact-1": "exact",
        "cross-1": "cross",
        "negative-1": "negative",
    }
    assert figures["devbench"]["subjects"]["kg"]["exact"]["hit_at_1"] == 1
    assert figures["devbench"]["subjects"]["kg"]["negative"]["false_injections"] == 0


def test_a_repository_asks_itself(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    history = [
        ("Round tokens half to even\n\nThe bank does it so.\n\nSigned-off-by: A", {"token.py": "a\n" * 30}),
        ("Let carts expire", {"cart.py": "b\n" * 30}),
        ("Move tokens to the ledger", {"ledger/token.py": None}),
        ("Describe carts", {"docs.md": "c\n"}),
        ("Show prices", {"price.py": "d\n"}),
        ("Round the tokens of the ledger in tests too", {"ledger/token.py": "a\n" * 30 + "e\n"}),
    ]
    git(repository, "init", "--quiet")
    for message, files in history:
        for name, content in files.items():
            path = repository / name
            path.parent.mkdir(exist_ok=True)
            if content is None:
                (repository / path.name).rename(path)
            else:
                path.write_text(content, encoding="utf-8")
        git(repository, "add", "--all")
        git(repository, "commit", "--quiet", "--message", message)

    figures, answers = run(tmp_path, "--parts", "", "--history", str(repository))

    (asked,) = answers
    assert asked["text"] == "Round the tokens of the ledger in tests too"
    assert {node.rpartition("-")[0] for _, node in asked["answers"]} == {"round-tokens-half-to", "move-tokens-to-the"}
    assert asked["rank"] == 1
    assert figures["history"]["title"] == "history of repository"


def test_file_recall_meets_its_targets_and_answers_the_same_again(tmp_path: Path) -> None:
    first = run(tmp_path, "--parts", "files", hash_seed="1")
    second = run(tmp_path, "--parts", "files", hash_seed="2")

    assert first[1] == second[1]
    figures = first[0]["files"]["subjects"]["kg"]
    assert sum(each["false_injections"] for each in figures.values()) == 0
    assert all(figures[kind]["injected"] >= 0.95 for kind in ("exact", "glob", "directory", "renamed"))


def test_a_session_is_accounted_for_prompt_by_prompt(tmp_path: Path) -> None:
    figures, answers = run(tmp_path, "--parts", "economy")

    found = figures["economy"]["kg"]
    useful = sum(bool(each["answers"]) for each in answers)
    assert found["prompts"] == len(answers) == 40
    assert found["brought"] + found["in_view"] + found["missed"] == useful
    assert found["characters"] == sum(each["characters"] for each in answers)
    shown = [tuple(node) for each in answers for node in each["injected"]]
    assert len(shown) == len(set(shown))


def test_an_interpreter_without_the_peer_is_named(tmp_path: Path) -> None:
    script = [sys.executable, str(ROOT / "bench" / "recall" / "run.py"), "--parts", "economy", "--peer", sys.executable]
    done = subprocess.run(script, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode != 0
    assert "is kg-memory 0.17.0 installed there?" in done.stderr


@pytest.mark.slow
def test_one_command_runs_all_that_needs_nothing_from_the_user(tmp_path: Path) -> None:
    figures, answers = run(tmp_path, "--half", "dev")

    assert set(figures) == {"decisions", "files", "economy"}
    assert {each["half"] for each in answers if each["part"] == "decisions"} == {"dev"}
    assert figures["decisions"]["subjects"]["kg"]["all answerable"]["hit_at_5"] > 0.9


def git(folder: Path, *arguments: str) -> None:
    folder.mkdir(exist_ok=True)
    who = ["-c", "user.name=a", "-c", "user.email=a@example.invalid", "-c", "commit.gpgSign=false"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def test_what_the_gate_is_trained_on_names_lessons_that_exist_and_is_no_part_of_the_score() -> None:
    folder = ROOT / "bench" / "recall"

    def rows(name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]

    labelled, extra = rows("decisions/gists.jsonl"), rows("extra/gists.jsonl")
    scored = {question["text"] for question in rows("decisions/questions.jsonl")}
    for questions, gists in (("extra/questions.jsonl", extra), ("extra/prompts.jsonl", labelled)):
        current = {(gist["graph"], gist["id"]) for gist in gists if gist["status"] == "current"}
        asked = rows(questions)
        assert len({question["id"] for question in asked}) == len(asked)
        assert {tuple(answer) for question in asked for answer in question["answers"]} <= current
        assert scored.isdisjoint(question["text"] for question in asked)
