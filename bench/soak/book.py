"""What a writer was told of its own writes: the model that the files must agree with in the end.

Nobody but one writer touches a lesson, so what its file may say is known: what was last acknowledged, or, when the
answer to a later write was cut off, that or what the write would have made of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

GONE: Final = ""
"""The id of a lesson that is not there."""


@dataclass(frozen=True, slots=True)
class State:
    """A lesson as a file may have it; ``id`` is :data:`GONE` when it has not."""

    id: str
    gist: str = ""
    notes: tuple[str, ...] = ()

    @property
    def is_alive(self) -> bool:
        """Whether it is there."""
        return self.id != GONE


@dataclass(slots=True)
class Lesson:
    """One lesson over its life: what it may be now, and every id that it ever may have had."""

    graph: str
    number: int
    possible: frozenset[State]
    ids: set[str] = field(default_factory=set)
    may_have_vote: bool = False
    has_vote: bool = False

    @property
    def is_settled(self) -> bool:
        """Whether it is known what it is."""
        return len(self.possible) == 1

    @property
    def state(self) -> State:
        """What a settled lesson is."""
        (state,) = self.possible
        return state

    def acknowledged(self, state: State) -> None:
        """It is this now."""
        self.possible = frozenset({state})
        self.ids.add(state.id)

    def cut_off(self, state: State) -> None:
        """It is this now, or what it was."""
        self.possible |= {state}
        self.ids.add(state.id)


@dataclass(frozen=True, slots=True)
class Link:
    """An edge between two lessons, whatever their ids."""

    source: int
    rel: str
    target: int


@dataclass(frozen=True, slots=True)
class Loss:
    """Something acknowledged that the files do not hold, or something that they hold and should not."""

    who: str
    sentence: str


@dataclass(slots=True)
class Book:
    """All that one writer was told."""

    who: str
    lessons: list[Lesson] = field(default_factory=list)
    links: dict[Link, frozenset[bool]] = field(default_factory=dict)
    tasks: dict[str, frozenset[str]] = field(default_factory=dict)
    turns: list[tuple[str, int]] = field(default_factory=list)
    """Turns at shared lessons that were acknowledged to this writer: the lesson's id and the number."""
    acknowledged: int = 0
    """How many writes were acknowledged."""

    def begin(self, graph: str) -> Lesson:
        """A new lesson, not there yet."""
        lesson = Lesson(graph, len(self.lessons), frozenset({State(GONE)}))
        self.lessons.append(lesson)
        return lesson

    def alive(self, graph: str) -> list[Lesson]:
        """The lessons of one graph that are known to be there."""
        return [one for one in self.lessons if one.graph == graph and one.is_settled and one.state.is_alive]

    def renamed(self, lesson: Lesson, new: str) -> State:
        """What a rename makes of a lesson."""
        return replace(lesson.state, id=new)

    def linked(self, link: Link) -> bool:
        """Whether the edge is known to be there."""
        return self.links.get(link) == frozenset({True})


@dataclass(frozen=True, slots=True)
class Stored:
    """What the files of one graph hold: lessons, edges, states of tasks, and the ids that have a vote."""

    lessons: dict[str, State]
    edges: frozenset[tuple[str, str, str]] = frozenset()
    tasks: dict[str, str] = field(default_factory=dict)
    votes: frozenset[str] = frozenset()


NOTHING: Final = Stored({})


def losses(book: Book, stored: dict[str, Stored]) -> Iterator[Loss]:
    """Where the files disagree with what one writer was told."""
    for lesson in book.lessons:
        yield from _lesson(book.who, lesson, stored.get(lesson.graph, NOTHING))
    for link, possible in book.links.items():
        source, target = book.lessons[link.source], book.lessons[link.target]
        if not (source.is_settled and target.is_settled and source.state.is_alive and target.state.is_alive):
            continue
        edge = (source.state.id, link.rel, target.state.id)
        if (edge in stored.get(source.graph, NOTHING).edges) not in possible:
            yield Loss(book.who, f"the edge {' '.join(edge)} of {source.graph} should be {sorted(possible)}")
    user = stored.get("user", NOTHING)
    for task, states in book.tasks.items():
        if user.tasks.get(task, "") not in states:
            yield Loss(book.who, f"the task {task} says {user.tasks.get(task)!r}, not one of {sorted(states)}")


def lost_turns(books: list[Book], stored: dict[str, Stored]) -> Iterator[Loss]:
    """Turns at shared lessons that two writers were told they had, and turns that are not in the files any more."""
    holders: dict[tuple[str, int], str] = {}
    for book in books:
        for turn in book.turns:
            if turn in holders:
                yield Loss(book.who, f"turn {turn[1]} of {turn[0]} was given to {holders[turn]} too")
            holders[turn] = book.who
    newest: dict[str, int] = {}
    for shared, number in holders:
        newest[shared] = max(number, newest.get(shared, 0))
    user = stored.get("user", NOTHING)
    for shared, number in newest.items():
        found = user.lessons.get(shared)
        if found is None or turn_of(found.gist) < number:
            yield Loss(holders[shared, number], f"{shared} is {found and found.gist!r}, without turn {number}")


def turn_of(gist: str) -> int:
    """The number of the turn that the gist of a shared lesson names; 0 when it names none."""
    words = gist.split()
    return int(words[1]) if len(words) > 1 and words[0] == "Turn" and words[1].isdecimal() else 0


def _lesson(who: str, lesson: Lesson, stored: Stored) -> Iterator[Loss]:
    found = [stored.lessons[node_id] for node_id in sorted(lesson.ids - {GONE}) if node_id in stored.lessons]
    states = found or [State(GONE)]
    if len(states) > 1:
        yield Loss(who, f"{' and '.join(state.id for state in states)} of {lesson.graph} are one lesson twice")
    for state in states:
        wanted = {replace(one, gist="", notes=()) if not one.is_alive else one for one in lesson.possible}
        if state not in wanted:
            yield Loss(who, f"{lesson.graph} has {state}, not one of {sorted(map(str, wanted))}")
        elif lesson.has_vote and state.is_alive and state.id not in stored.votes:
            yield Loss(who, f"the vote for {state.id} of {lesson.graph} is not there")
