"""Asks kg and the baselines every question of the labelled set and prints what was right. See README.md.

Deterministic but for the times; no model, no network.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from dataset import Dataset
from measure import by_class, outcomes
from report import comparison, detail, targets
from subjects import Bm25, Conjunction, Kg, Substring

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from measure import Outcome, Quality
    from subjects import Subject


def main() -> None:
    """Parses the arguments, asks, prints the tables, writes the files."""
    arguments = _arguments()
    dataset = Dataset.read()
    questions = [question for question in dataset.questions if question.half == arguments.half]
    subjects: list[Subject] = [make(dataset.graphs) for make in (Kg, Substring, Conjunction, Bm25)]
    found = {subject.title: outcomes(subject, questions) for subject in subjects}
    figures = {title: by_class(each) for title, each in found.items()}
    print(f"{arguments.half} half, {len(questions)} questions, set {dataset.hash[:12]}\n")
    for part in (detail(figures[Kg.title]), comparison(figures), targets(figures, Kg.title)):
        print(part, end="\n\n")
    if arguments.json:
        _write_figures(arguments.json, figures, {"half": arguments.half, "set": dataset.hash})
    if arguments.outcomes:
        _write_outcomes(arguments.outcomes, found)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--half", choices=("dev", "test"), default="test", help="tune on dev, publish test (default: test)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to FILE")
    parser.add_argument("--outcomes", type=Path, metavar="FILE", help="write every answer to FILE, as JSON Lines")
    return parser.parse_args()


def _write_figures(path: Path, figures: Mapping[str, Mapping[str, Quality]], facts: Mapping[str, str]) -> None:
    subjects = {title: {name: q.record() for name, q in classes.items()} for title, classes in figures.items()}
    text = json.dumps({**facts, "subjects": subjects}, indent=2, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def _write_outcomes(path: Path, found: Mapping[str, Sequence[Outcome]]) -> None:
    records = (outcome.record(title) for title, each in found.items() for outcome in each)
    lines = (json.dumps(record, ensure_ascii=False, default=list) for record in records)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
