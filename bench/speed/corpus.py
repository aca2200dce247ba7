"""One synthetic memory for every program that is measured: the same lessons, links, ages and tiers."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from enum import StrEnum

DAY = 86_400.0
GIST_LENGTH = 150
LINKS_PER_LESSON = 1.5
ACTIVE_CHARACTERS = 17_000
ARCHIVED_CHARACTERS = 6_600
RELATIONS = ("uses", "depends-on", "explains", "limits", "follows", "part-of")


class Tier(StrEnum):
    """What is visible of a lesson."""

    ACTIVE = "active"
    ARCHIVED = "archived"
    ORPHANED = "orphaned"


@dataclass(frozen=True, slots=True)
class Lesson:
    """One node; ``written`` in seconds since the epoch."""

    id: str
    gist: str
    notes: tuple[str, ...]
    touch: str
    written: float
    useful: bool
    tier: Tier = Tier.ORPHANED


@dataclass(frozen=True, slots=True)
class Link:
    """One edge between two lessons."""

    source: str
    rel: str
    target: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """Lessons, oldest first, the links between them, and the words that they are made of."""

    lessons: tuple[Lesson, ...]
    links: tuple[Link, ...]
    vocabulary: tuple[str, ...]


class Words:
    """Pronounceable words with natural frequencies: a few common ones and a long tail."""

    def __init__(self, source: random.Random, count: int = 4_000) -> None:
        self._source = source
        made = sorted(self._made(count))
        source.shuffle(made)
        self.all = tuple(made)
        self._weights = tuple(1 / (rank + 3) for rank in range(count))

    def _made(self, count: int) -> set[str]:
        made: set[str] = set()
        while len(made) < count:
            syllables = self._source.choice((2, 3, 3, 4))
            pairs = (self._source.choice("bcdfghklmnprstvz") + self._source.choice("aeiou") for _ in range(syllables))
            made.add("".join(pairs))
        return made

    def some(self, count: int) -> list[str]:
        """``count`` words, common ones more often."""
        return self._source.choices(self.all, weights=self._weights, k=count)

    def sentence(self, length: int) -> str:
        """Words of about ``length`` characters, with a capital and a full stop."""
        text = ""
        while len(text) < length - 8:
            text += self.some(1)[0] + " "
        return text.strip().capitalize() + "."


def generate(count: int, *, now: float, seed: int = 20_261) -> Corpus:
    """``count`` lessons written over the last half year, settled into tiers as compaction leaves them."""
    source = random.Random(seed)
    words = Words(source)
    lessons: dict[str, Lesson] = {}
    while len(lessons) < count:
        lesson_id = "-".join(words.some(3))
        if lesson_id not in lessons:
            written = now - 180 * DAY + 179 * DAY * len(lessons) / max(1, count - 1)
            lessons[lesson_id] = _lesson(lesson_id, written, words, source)
    links = _links(list(lessons), source)
    return Corpus(_settled(list(lessons.values())), links, words.all)


def _lesson(lesson_id: str, written: float, words: Words, source: random.Random) -> Lesson:
    folder, module, anchor = words.some(3)
    return Lesson(
        id=lesson_id,
        gist=words.sentence(GIST_LENGTH),
        notes=(" ".join(words.some(18)), " ".join(words.some(18))),
        touch=f"src/{folder}/{module}.py:10-40 ({anchor})",
        written=written,
        useful=source.random() < 0.1,
    )


def _links(ids: list[str], source: random.Random) -> tuple[Link, ...]:
    links: dict[Link, None] = {}
    while len(links) < LINKS_PER_LESSON * len(ids) and len(ids) > 1:
        newer = source.randrange(1, len(ids))
        near = max(0, newer - 1 - int(source.expovariate(1 / 40)))
        older = near if source.random() < 0.8 else source.randrange(newer)
        links[Link(ids[newer], source.choice(RELATIONS), ids[older])] = None
    return tuple(links)


def _settled(lessons: list[Lesson]) -> tuple[Lesson, ...]:
    """The newest lessons active while their lines and links fit, the next archived, the rest orphaned."""
    active = archived = 0.0
    settled = []
    for lesson in reversed(lessons):
        line = len(lesson.id) + len(lesson.gist) + 5 + 30 * LINKS_PER_LESSON
        trace = len(lesson.id) + 3
        if active + line <= ACTIVE_CHARACTERS:
            active += line
            settled.append(replace(lesson, tier=Tier.ACTIVE))
        elif archived + trace <= ARCHIVED_CHARACTERS:
            archived += trace
            settled.append(replace(lesson, tier=Tier.ARCHIVED))
        else:
            settled.append(lesson)
    return tuple(reversed(settled))
