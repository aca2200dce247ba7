"""The parts of the benchmark: sets of questions, who is asked, and what is aimed at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dataset import Dataset
from report import file_targets, no_targets, targets
from sets import read_devbench, read_files, read_history, read_observations, read_sessions
from subjects import Bm25, Conjunction, Kg, KgFiles, SameName, Substring

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dataset import Question
    from measure import Quality
    from subjects import Subject

ALWAYS: Final = ("decisions", "files")
"""The parts that need nothing from the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One set. The first of the ``subjects`` is kg; ``targets`` makes a table of figures by subject and class."""

    name: str
    title: str
    hash: str
    questions: Sequence[Question]
    subjects: Sequence[Subject]
    targets: Callable[[Mapping[str, Mapping[str, Quality]]], str] = no_targets


def parts(arguments: Namespace) -> Iterator[Part]:
    """The parts that are asked for, each made when its turn comes."""
    wanted = arguments.parts.split(",")
    if "decisions" in wanted:
        yield _decisions(arguments.half)
    if "files" in wanted:
        yield _files()
    if arguments.history:
        yield _searched("history", f"history of {arguments.history.resolve().name}", read_history(arguments.history))
    if arguments.locomo:
        for name, read in (("sessions", read_sessions), ("observations", read_observations)):
            keys = "corrected keys" if arguments.corrections else "keys as published"
            dataset = read(arguments.locomo, arguments.corrections)
            yield _searched(f"locomo {name}", f"LoCoMo, {name}, {keys}", dataset)
    if arguments.devbench:
        yield _searched("devbench", "DevBench", read_devbench(arguments.devbench))


def _decisions(half: str) -> Part:
    dataset = Dataset.read()
    questions = [question for question in dataset.questions if question.half == half]
    return Part(
        name="decisions",
        title=f"decisions, {half} half",
        hash=dataset.hash,
        questions=questions,
        subjects=_searching(dataset),
        targets=targets,
    )


def _files() -> Part:
    found = read_files()
    return Part(
        name="files",
        title="files",
        hash=found.dataset.hash,
        questions=found.dataset.questions,
        subjects=[make(found.dataset.graphs, found.former) for make in (KgFiles, SameName)],
        targets=file_targets,
    )


def _searched(name: str, title: str, dataset: Dataset) -> Part:
    return Part(
        name=name,
        title=title,
        hash=dataset.hash,
        questions=dataset.questions,
        subjects=_searching(dataset),
    )


def _searching(dataset: Dataset) -> list[Subject]:
    return [make(dataset.graphs) for make in (Kg, Substring, Conjunction, Bm25)]
