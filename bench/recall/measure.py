"""How good the answers are, by class."""

from __future__ import annotations

import statistics
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from decisions.check import is_hit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dataset import Key, Question
    from subjects import Answer, Subject

NEGATIVE: Final = "negative"
LATIN: Final = ("exact", "paraphrase", "identifier", "error-message", "cross-level", "superseded", "multi-hop")
"""Classes whose questions are in the Latin script, but for a few."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One question and what a subject made of it. ``rank`` is that of the first answer with nothing stale above it."""

    question: Question
    answer: Answer
    rank: int | None
    milliseconds: float

    @property
    def is_injected(self) -> bool:
        """Whether a right node was brought to mind."""
        return not self.question.answers.isdisjoint(self.answer.injected)

    @property
    def is_false_injection(self) -> bool:
        """Whether something was said where silence is right."""
        return not self.question.answers and bool(self.answer.injected)

    def record(self, subject: str) -> dict[str, object]:
        """The outcome as JSON-compatible values."""
        return {
            "subject": subject,
            "id": self.question.id,
            "class": self.question.kind,
            "half": self.question.half,
            "text": self.question.text,
            "answers": sorted(self.question.answers),
            "rank": self.rank,
            "ranked": self.answer.ranked,
            "injected": self.answer.injected,
            "characters": self.answer.characters,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """Figures over some questions. Shares are of the ``answerable`` ones; ``false_injections`` is a count.

    ``characters`` is the mean of what a prompt is given; times are in milliseconds.
    """

    questions: int
    answerable: int
    hit_at_1: float
    hit_at_5: float
    hit_at_10: float
    reciprocal_rank: float
    injected: float
    false_injections: int
    characters: float
    p50: float
    p95: float

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Quality:
        answerable = [outcome for outcome in outcomes if outcome.question.answers]
        ranks = [outcome.rank for outcome in answerable]
        times = sorted(outcome.milliseconds for outcome in outcomes)
        return cls(
            questions=len(outcomes),
            answerable=len(answerable),
            hit_at_1=_share(rank is not None and rank <= 1 for rank in ranks),
            hit_at_5=_share(rank is not None and rank <= 5 for rank in ranks),
            hit_at_10=_share(rank is not None and rank <= 10 for rank in ranks),
            reciprocal_rank=_mean(1 / rank if rank else 0.0 for rank in ranks),
            injected=_share(outcome.is_injected for outcome in answerable),
            false_injections=sum(outcome.is_false_injection for outcome in outcomes),
            characters=_mean(outcome.answer.characters for outcome in outcomes),
            p50=times[len(times) // 2] if times else 0.0,
            p95=times[len(times) * 95 // 100] if times else 0.0,
        )

    def record(self) -> dict[str, float]:
        """The figures as JSON-compatible values."""
        return {name: round(value, 4) for name, value in asdict(self).items()}


def outcomes(subject: Subject, questions: Iterable[Question]) -> list[Outcome]:
    """Asks every question once."""
    found = []
    for question in questions:
        start = time.perf_counter()
        answer = subject.ask(question)
        milliseconds = (time.perf_counter() - start) * 1000
        rank = _rank(question, list(answer.ranked))
        found.append(Outcome(question=question, answer=answer, rank=rank, milliseconds=milliseconds))
    return found


def by_class(found: Sequence[Outcome]) -> dict[str, Quality]:
    """The figures of each class, of all answerable questions, and of those in the Latin script where classes are by
    script.
    """
    groups: dict[str, list[Outcome]] = {}
    for outcome in found:
        groups.setdefault(outcome.question.kind, []).append(outcome)
    groups = dict(sorted(groups.items(), key=lambda group: (not group[1][0].question.answers, group[0])))
    if groups.keys() >= set(LATIN):
        groups["all Latin"] = [outcome for outcome in found if outcome.question.kind in LATIN]
    groups["all answerable"] = [outcome for outcome in found if outcome.question.answers]
    return {name: Quality.of(group) for name, group in groups.items()}


def _rank(question: Question, ranked: list[Key]) -> int | None:
    labels = {"answers": question.answers, "stale": question.stale}
    return next((depth for depth in range(1, len(ranked) + 1) if is_hit(labels, ranked, depth)), None)


def _share(values: Iterable[bool]) -> float:
    return _mean(float(value) for value in values)


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return statistics.fmean(known) if known else 0.0
