"""The parts of the benchmark: sets of questions, who is asked, and what is aimed at."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from dataset import Dataset
from report import file_targets, no_targets, targets
from sets import read_devbench, read_files, read_history, read_observations, read_sessions
from subjects import Bm25, Conjunction, Kg, KgFiles, SameName, Substring, over, peer

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from dataset import Question
    from measure import Quality
    from sets import FileSet
    from subjects import Reminder, Subject

ALWAYS: Final = ("decisions", "files", "economy")
"""The parts that need nothing from the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One set. ``subjects`` opens who is asked, kg first; ``targets`` makes a table of figures by subject and class."""

    name: str
    title: str
    hash: str
    questions: Sequence[Question]
    subjects: Callable[[], AbstractContextManager[Sequence[Subject]]]
    targets: Callable[[Mapping[str, Mapping[str, Quality]]], str] = no_targets


def parts(arguments: Namespace) -> Iterator[Part]:
    """The parts that are asked for, each made when its turn comes; the economy is none."""
    wanted = arguments.parts.split(",")
    if "decisions" in wanted:
        yield _decisions(arguments)
    if "files" in wanted:
        yield _files(arguments)
    if arguments.history:
        title = f"history of {arguments.history.resolve().name}"
        yield _searched("history", title, read_history(arguments.history), arguments)
    if arguments.locomo:
        keys = "corrected keys" if arguments.corrections else "keys as published"
        for name, read in (("sessions", read_sessions), ("observations", read_observations)):
            dataset = read(arguments.locomo, arguments.corrections)
            yield _searched(f"locomo {name}", f"LoCoMo, {name}, {keys}", dataset, arguments)
    if arguments.devbench:
        yield _searched("devbench", "DevBench", read_devbench(arguments.devbench), arguments)


@contextmanager
def reminders(dataset: Dataset, arguments: Namespace) -> Iterator[list[Reminder]]:
    """kg over one set, with the backend and the peer that the arguments name, if any; these end with the block."""
    found: list[Reminder] = [Kg(dataset.graphs)]
    with ExitStack() as stack:
        if arguments.backend:
            found.append(stack.enter_context(over(dataset.graphs, arguments.backend, dict(arguments.option))))
        if arguments.peer is not None:
            found.append(stack.enter_context(peer(dataset.graphs, arguments.peer)))
        yield found


@contextmanager
def _searching(dataset: Dataset, arguments: Namespace) -> Iterator[list[Subject]]:
    with reminders(dataset, arguments) as found:
        yield [*found, *(make(dataset.graphs) for make in (Substring, Conjunction, Bm25))]


def _decisions(arguments: Namespace) -> Part:
    dataset = Dataset.read()
    return Part(
        name="decisions",
        title=f"decisions, {arguments.half} half",
        hash=dataset.hash,
        questions=[question for question in dataset.questions if question.half == arguments.half],
        subjects=partial(_searching, dataset, arguments),
        targets=targets,
    )


@contextmanager
def _opening(found: FileSet, python: Path | None) -> Iterator[list[Subject]]:
    subjects: list[Subject] = [make(found.dataset.graphs, found.former) for make in (KgFiles, SameName)]
    with ExitStack() as stack:
        if python is not None:
            subjects.insert(1, stack.enter_context(peer(found.dataset.graphs, python, files=True)))
        yield subjects


def _files(arguments: Namespace) -> Part:
    found = read_files()
    return Part(
        name="files",
        title="files",
        hash=found.dataset.hash,
        questions=found.dataset.questions,
        subjects=partial(_opening, found, arguments.peer),
        targets=file_targets,
    )


def _searched(name: str, title: str, dataset: Dataset, arguments: Namespace) -> Part:
    return Part(
        name=name,
        title=title,
        hash=dataset.hash,
        questions=dataset.questions,
        subjects=partial(_searching, dataset, arguments),
    )
