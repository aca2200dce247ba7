"""Who gets into the preload: shares of its limit, in numbers alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kg_core.model.steps import freed_steps, sorted_steps

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kg_core.model import Millis
    from kg_core.model.steps import Steps

RULES: Final = 0.15
TREE: Final = 0.10
FRESH: Final = 0.30
ALWAYS: Final = 5
"""This many of the newest lessons, over all levels, go first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A node that may be preloaded. ``cost`` counts its line and the line break, in the unit of the limit."""

    level: int
    id: str
    created: Millis
    is_fresh: bool
    score: float
    cost: int

    @property
    def place(self) -> tuple[int, str]:
        """Its name over all levels."""
        return self.level, self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Lessons:
    """Lessons in the orders in which they are chosen: ``newest`` has all of them, newest first; of these ``fresh`` has
    the fresh ones, and ``best`` the others, best first. ``least`` is what the cheapest of all costs.
    """

    newest: Sequence[Lesson] = ()
    fresh: Sequence[Lesson] = ()
    best: Sequence[Lesson] = ()
    least: int = 0


def ordered_steps(lessons: Sequence[Lesson]) -> Steps[Lessons]:
    """Puts lessons into their orders, in small steps. Equal ones go by the more special level (the later one), and then
    by id.
    """
    by_age = yield from sorted_steps((-each.created, -each.level, each.id, each) for each in lessons)
    newest = [lesson for *_, lesson in by_age]
    yield from freed_steps(by_age)
    others = [lesson for lesson in newest if not lesson.is_fresh]
    yield
    by_score = yield from sorted_steps((-each.score, -each.level, each.id, each) for each in others)
    best = [lesson for *_, lesson in by_score]
    yield from freed_steps(by_score)
    return Lessons(
        newest=newest,
        fresh=[lesson for lesson in newest if lesson.is_fresh],
        best=best,
        least=min((lesson.cost for lesson in newest), default=0),
    )


def choose(lessons: Lessons, room: int, limit: int, unused: int | None = None) -> list[Lesson]:
    """The lessons that get in, in the order in which they got in; together they cost at most ``room``.

    ``limit`` is what the shares are shares of, and ``unused`` what rules and component tree leave of theirs, which is
    all of it unless said otherwise. First the newest one, then the five newest within the fresh share and what is
    unused; then the fresh tier within its own share; then the rest by score. What nobody used goes to the fresh ones
    left over.
    """
    chosen: dict[tuple[int, str], Lesson] = {}

    def take(offered: Iterable[Lesson], share: int) -> None:
        nonlocal room
        left = min(share, room)
        for lesson in offered:
            if left < lessons.least:  # no other one can fit
                break
            if lesson.cost <= left and lesson.place not in chosen:
                chosen[lesson.place] = lesson
                left -= lesson.cost
                room -= lesson.cost

    newest = lessons.newest[:ALWAYS]
    spare = int(limit * (FRESH + RULES + TREE)) if unused is None else int(limit * FRESH) + unused
    take(newest[:1], room)
    take(newest, spare - spent(chosen.values()))
    take(lessons.fresh, int(limit * FRESH) - spent(chosen.values()))
    take(lessons.best, room)
    take(newest, room)
    take(lessons.newest, room)
    return list(chosen.values())


def spent(lessons: Iterable[Lesson]) -> int:
    """What lessons cost together."""
    return sum(lesson.cost for lesson in lessons)
