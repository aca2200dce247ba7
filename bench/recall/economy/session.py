"""A scripted session, and what each subject puts into it. Nothing is preloaded; what was shown once stays in view."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dataset import Question

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dataset import Key
    from subjects import Answer, Reminder

HERE: Final = Path(__file__).resolve().parent
GRAPHS: Final = ("user", "project:tallyport")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt of the session and what a subject added to it. ``known`` were in view before."""

    question: Question
    answer: Answer
    known: frozenset[Key]

    def record(self, subject: str) -> dict[str, object]:
        """As JSON-compatible values."""
        return {
            "part": "economy",
            "subject": subject,
            "id": self.question.id,
            "text": self.question.text,
            "answers": sorted(self.question.answers),
            "injected": self.answer.injected,
            "characters": self.answer.characters,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Economy:
    """Counts over a session. ``brought`` are the prompts that a right lesson came with, ``in_view`` those whose right
    lesson was in view already, ``missed`` the others that have one; ``disturbed`` are prompts that have none and got
    text all the same. ``characters`` are all that was added.
    """

    prompts: int
    brought: int
    in_view: int
    missed: int
    disturbed: int
    characters: int

    @classmethod
    def of(cls, prompts: Sequence[Prompt]) -> Economy:
        useful = [each for each in prompts if each.question.answers]
        brought = [each for each in useful if not each.question.answers.isdisjoint(each.answer.injected)]
        in_view = [each for each in useful if each not in brought and not each.question.answers.isdisjoint(each.known)]
        return cls(
            prompts=len(prompts),
            brought=len(brought),
            in_view=len(in_view),
            missed=len(useful) - len(brought) - len(in_view),
            disturbed=sum(bool(each.answer.characters) for each in prompts if not each.question.answers),
            characters=sum(each.answer.characters for each in prompts),
        )

    @property
    def per_hit(self) -> float:
        """Characters for each prompt that a right lesson came with."""
        return self.characters / self.brought if self.brought else float("inf")

    def record(self) -> dict[str, float]:
        """As JSON-compatible values."""
        return {**asdict(self), "characters_per_hit": round(self.per_hit, 1) if self.brought else 0}


def read_session(path: Path = HERE / "session.jsonl") -> list[Question]:
    """The prompts in order; right are the lessons that help with one."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        Question(
            id=f"prompt-{number:02}",
            kind="session",
            text=row["text"],
            graphs=GRAPHS,
            answers=frozenset((graph, node_id) for graph, node_id in row["useful"]),
        )
        for number, row in enumerate(rows, start=1)
    ]


def lived(subject: Reminder, session: Sequence[Question]) -> list[Prompt]:
    """The session with one subject."""
    known: frozenset[Key] = frozenset()
    prompts = []
    for question in session:
        answer = subject.ask(question, known)
        prompts.append(Prompt(question, answer, known))
        known |= set(answer.injected)
    return prompts


def table(found: Mapping[str, Economy]) -> str:
    """A line for each subject."""
    lines = [
        "| | prompts | right lesson brought | in view already | missed | disturbed | characters | per useful hit |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for title, each in found.items():
        counts = (each.prompts, each.brought, each.in_view, each.missed, each.disturbed)
        cells = [*map(str, counts), f"{each.characters:,}", f"{each.per_hit:.0f}"]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)
