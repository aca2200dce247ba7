"""Asks kg and simple baselines every question of the benchmark of recall and prints what was right. See README.md.

Deterministic but for the times; no model, no network.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from measure import by_class, outcomes
from parts import ALWAYS, parts
from report import comparison, detail

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from measure import Outcome


def main() -> None:
    """Parses the arguments, asks, prints the tables, writes the files."""
    arguments = _arguments()
    figures: dict[str, object] = {}
    answers: list[dict[str, object]] = []
    for part in parts(arguments):
        found = {subject.title: outcomes(subject, part.questions) for subject in part.subjects}
        by_subject = {title: by_class(each) for title, each in found.items()}
        first = part.subjects[0].title
        print(f"## {part.title}: {len(part.questions)} questions, set {part.hash[:12]}\n")
        for text in (detail(by_subject[first]), comparison(by_subject), part.targets(by_subject)):
            if text:
                print(text, end="\n\n")
        figures[part.name] = {
            "title": part.title,
            "set": part.hash,
            "subjects": {title: {name: q.record() for name, q in each.items()} for title, each in by_subject.items()},
        }
        answers += _records(part.name, found)
    if arguments.json:
        _write(arguments.json, json.dumps(figures, indent=2, ensure_ascii=False))
    if arguments.outcomes:
        _write(arguments.outcomes, "\n".join(json.dumps(each, ensure_ascii=False, default=list) for each in answers))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--half", choices=("dev", "test"), default="test", help="tune on dev, publish test (default: test)"
    )
    parser.add_argument(
        "--parts", default=",".join(ALWAYS), metavar="PART,…", help=f"of {', '.join(ALWAYS)} (default: all)"
    )
    parser.add_argument("--history", type=Path, metavar="REPOSITORY", help="ask from the history of a git repository")
    parser.add_argument("--locomo", type=Path, metavar="FILE", help="ask from a copy of locomo10.json")
    parser.add_argument(
        "--corrections", type=Path, metavar="PATH", help="corrected keys of LoCoMo: errors.json, or a folder of them"
    )
    parser.add_argument("--devbench", type=Path, metavar="FILE", help="ask from a copy of devbench_dataset.json")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to FILE")
    parser.add_argument("--outcomes", type=Path, metavar="FILE", help="write every answer to FILE, as JSON Lines")
    return parser.parse_args()


def _records(part: str, found: Mapping[str, Sequence[Outcome]]) -> list[dict[str, object]]:
    return [{"part": part, **outcome.record(title)} for title, each in found.items() for outcome in each]


def _write(path: Path, text: str) -> None:
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
