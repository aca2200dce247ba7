"""Asks kg and simple baselines every question of the benchmark of recall and prints what was right. See README.md.

Deterministic but for the times; no model, no network.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from dataset import Dataset
from economy import Economy, lived, read_session, table
from measure import by_class, outcomes
from parts import ALWAYS, parts, reminders
from report import comparison, detail

if TYPE_CHECKING:
    from collections.abc import Mapping

    from measure import Quality


def main() -> None:
    """Parses the arguments, asks, prints the tables, writes the files."""
    arguments = _arguments()
    figures: dict[str, object] = {}
    answers: list[dict[str, object]] = []
    for part in parts(arguments):
        with part.subjects() as subjects:
            found = {subject.title: outcomes(subject, part.questions) for subject in subjects}
        by_subject = {title: by_class(each) for title, each in found.items()}
        print(f"## {part.title}: {len(part.questions)} questions, set {part.hash[:12]}\n")
        hooked = [subject.title for subject in subjects if subject.has_hook]
        for title in hooked:
            print(title, detail(by_subject[title]), sep="\n\n", end="\n\n")
        for text in filter(None, (comparison(by_subject, hooked), part.targets(by_subject))):
            print(text, end="\n\n")
        figures[part.name] = {"title": part.title, "set": part.hash, "subjects": _recorded(by_subject)}
        answers += [{"part": part.name, **each.record(title)} for title, all_ in found.items() for each in all_]
    if "economy" in arguments.parts.split(","):
        figures["economy"], more = _economy(arguments)
        answers += more
    if arguments.json:
        _write(arguments.json, json.dumps(figures, indent=2, ensure_ascii=False))
    if arguments.outcomes:
        _write(arguments.outcomes, "\n".join(json.dumps(each, ensure_ascii=False, default=list) for each in answers))


def _economy(arguments: argparse.Namespace) -> tuple[dict[str, object], list[dict[str, object]]]:
    """Lives through the scripted session with each subject that has a hook, and prints what it cost."""
    session = read_session()
    with reminders(Dataset.read(), arguments) as subjects:
        prompts = {subject.title: lived(subject, session) for subject in subjects}
    found = {title: Economy.of(each) for title, each in prompts.items()}
    print(f"## economy: a session of {len(session)} prompts\n", table(found), sep="\n", end="\n\n")
    records = [each.record(title) for title, all_ in prompts.items() for each in all_]
    return {title: each.record() for title, each in found.items()}, records


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
    parser.add_argument(
        "--peer",
        type=lambda text: Path(text).absolute(),
        metavar="PYTHON",
        help="ask kg-memory 0.17.0 too: an interpreter that has it",
    )
    parser.add_argument(
        "--backend", default="", metavar="NAME", help="ask kg with the search backend of that name too, such as pg"
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        type=_option,
        metavar="NAME=VALUE",
        help="an option of that backend, as in config.toml",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to FILE")
    parser.add_argument("--outcomes", type=Path, metavar="FILE", help="write every answer to FILE, as JSON Lines")
    return parser.parse_args()


def _option(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def _recorded(figures: Mapping[str, Mapping[str, Quality]]) -> dict[str, dict[str, object]]:
    return {title: {name: quality.record() for name, quality in each.items()} for title, each in figures.items()}


def _write(path: Path, text: str) -> None:
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
