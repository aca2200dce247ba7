"""Who gets into the preload: shares of its limit, in numbers alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kg_core.model import Millis

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


def choose(lessons: Sequence[Lesson], room: int, limit: int, unused: int | None = None) -> list[Lesson]:
    """The lessons that get in, in the order in which they got in; together they cost at most ``room``.

    ``lessons`` come newest first; ``limit`` is what the shares are shares of, and ``unused`` what rules and component
    tree leave of theirs, which is all of it unless said otherwise. First the newest one, then the five newest within
    the fresh share and what is unused; then the fresh tier within its own share; then the rest by score. What nobody
    used goes to the fresh ones left over.
    """
    chosen: dict[tuple[int, str], Lesson] = {}

    def take(offered: Iterable[Lesson], share: int) -> None:
        nonlocal room
        for lesson in offered:
            if lesson.place not in chosen and lesson.cost <= min(share, room):
                chosen[lesson.place] = lesson
                share -= lesson.cost
                room -= lesson.cost

    newest = lessons[:ALWAYS]
    spare = int(limit * (FRESH + RULES + TREE)) if unused is None else int(limit * FRESH) + unused
    take(lessons[:1], room)
    take(newest, spare - spent(chosen.values()))
    take((lesson for lesson in lessons if lesson.is_fresh), int(limit * FRESH) - spent(chosen.values()))
    take(sorted((lesson for lesson in lessons if not lesson.is_fresh), key=_by_score), room)
    take(newest, room)
    take(lessons, room)
    return list(chosen.values())


def spent(lessons: Iterable[Lesson]) -> int:
    """What lessons cost together."""
    return sum(lesson.cost for lesson in lessons)


def _by_score(lesson: Lesson) -> tuple[float, int, str]:
    """Best first; of equals the more special level (the later one), then by id."""
    return -lesson.score, -lesson.level, lesson.id
