"""One agent's session under the soak: events and calls in a random order, and what it was told, kept in its book."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Final

from soak.book import GONE, Book, Lesson, Link, State, turn_of
from soak.trouble import Complaint

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from threading import Event

    from soak.carriers import Answer, Carriers
    from soak.manners import Manners

PAUSE: Final = (0.3, 1.5)
"""Seconds between two things that a session does, at the least and at the most."""
SHARED: Final = tuple(f"shared-turns-{number}" for number in range(4))
"""Lessons of the user's that every session writes to, each time with the next turn."""
_CUT_OFF: Final = "The memory server did not answer this call; it may have taken effect"
_GIST: Final = re.compile(r"(shared-turns-\d+)(?: \(.*\)\n  gist)?: (Turn .*)")
"""A shared lesson as a read shows it, and as it is told when another session has written it at that moment."""
_MISSING: Final = "There is no node 'shared-turns-"
_OUTAGE: Final = "kg: the memory server does not answer"
_NOTHING: Final = "{}"
"""What Claude Code's hooks say when they have nothing to say, for else it tells its model that they are done."""
_MOST_LESSONS: Final = 12
_MOST_NOTES: Final = 6
_WORDS: Final = ("build", "cache", "test", "release", "branch", "review", "parser", "index", "socket", "timer", "retry")


class Session:
    """Acts until it is told that it is over. Nothing in it is shared with another session."""

    def __init__(
        self,
        manners: Manners,
        carriers: Carriers,
        project: Path,
        seed: int,
        now: Callable[[], float],
        takes_back: float,
    ) -> None:
        self.book = Book(manners.session)
        self.complaints: list[Complaint] = []
        self.done: dict[str, int] = {}
        self._manners = manners
        self._carriers = carriers
        self._project = project
        self._graphs = {"user": "user", "project": f"project:{project.name}"}
        self._chance = random.Random(seed)
        self._now = now
        self._takes_back = takes_back
        self._uses = 0
        self._actions: dict[Callable[[], None], int] = {
            self._prompt: 18,
            self._tool_event: 14,
            self._start_again: 3,
            self._create: 14,
            self._change: 12,
            self._relate: 8,
            self._unrelate: 2,
            self._rename: 5,
            self._delete: 5,
            self._vote: 2,
            self._look_up: 6,
            self._search: 7,
            self._sync: 4,
            self._progress: 4,
            self._take_turn: 5,
        }

    def run(self, over: Event) -> None:
        """Lives until ``over``."""
        self._event(self._manners.start("startup"), starts=True)
        self._call("kg_read", {})
        actions, weights = list(self._actions), list(self._actions.values())
        while not over.wait(self._chance.uniform(*PAUSE)):
            action = self._chance.choices(actions, weights)[0]
            name = action.__name__.strip("_")
            self.done[name] = self.done.get(name, 0) + 1
            action()

    # Events

    def _prompt(self) -> None:
        words = " ".join(self._chance.choices(_WORDS, k=5))
        self._event(self._manners.prompt(f"How do we {words} number {self._chance.randrange(1000)}?"))

    def _tool_event(self) -> None:
        self._event(self._manners.tool(str(self._project / f"{self._chance.choice(_WORDS)}.py")))

    def _start_again(self) -> None:
        self._event(self._manners.start(self._chance.choice(["compact", "resume", "startup"])), starts=True)

    # Writing

    def _create(self) -> None:
        level = self._level()
        if len(self.book.alive(self._graphs[level])) < _MOST_LESSONS:
            lesson = self.book.begin(self._graphs[level])
            self._put(level, lesson, f"{self.book.who}-lesson-{lesson.number}")
        else:
            self._delete()

    def _change(self) -> None:
        level, lesson = self._any()
        if lesson is not None:
            self._put(level, lesson, lesson.state.id)

    def _put(self, level: str, lesson: Lesson, node_id: str) -> None:
        words = " ".join(self._chance.choices(_WORDS, k=4))
        gist = f"In {words} the session {self.book.who} found case {self._uses} to hold."
        notes = lesson.state.notes
        sent: dict[str, object] = {"level": level, "id": node_id, "gist": gist}
        if len(notes) < _MOST_NOTES and self._chance.random() < 0.5:
            notes = (*notes, f"Seen with {self._chance.choice(_WORDS)} at {self._uses}.")
            sent["notes"] = notes
        self._write("kg_put_node", sent, lesson, State(node_id, gist, notes))

    def _rename(self) -> None:
        level, lesson = self._any()
        if lesson is not None:
            new = f"{self.book.who}-lesson-{lesson.number}-r{self._uses}"
            sent = {"old_id": lesson.state.id, "new_id": new, "level": level}
            self._write("kg_rename_node", sent, lesson, self.book.renamed(lesson, new))

    def _delete(self) -> None:
        level, lesson = self._any()
        if lesson is not None:
            self._write("kg_delete_node", {"id": lesson.state.id, "level": level}, lesson, State(GONE))
            if not (lesson.is_settled and lesson.state.is_alive):
                for link in [one for one in self.book.links if lesson.number in {one.source, one.target}]:
                    del self.book.links[link]

    def _write(self, tool: str, sent: Mapping[str, object], lesson: Lesson, state: State) -> None:
        answer = self._call(tool, sent)
        if _is_cut_off(answer):
            lesson.cut_off(state)
        elif not answer.is_error:
            lesson.acknowledged(state)
            self.book.acknowledged += 1

    def _relate(self) -> None:
        level = self._level()
        lessons = self.book.alive(self._graphs[level])
        if len(lessons) > 1:
            source, target = self._chance.sample(lessons, 2)
            self._link("kg_put_edge", level, Link(source.number, "leads-to", target.number), is_there=True)

    def _unrelate(self) -> None:
        links = [link for link in self.book.links if self.book.linked(link)]
        ends = [(link, self.book.lessons[link.source], self.book.lessons[link.target]) for link in links]
        known = [link for link, *both in ends if all(one.is_settled and one.state.is_alive for one in both)]
        if known:
            link = self._chance.choice(known)
            level = "user" if self.book.lessons[link.source].graph == "user" else "project"
            self._link("kg_delete_edge", level, link, is_there=False)

    def _link(self, tool: str, level: str, link: Link, *, is_there: bool) -> None:
        source, target = (self.book.lessons[end].state.id for end in (link.source, link.target))
        answer = self._call(tool, {"from": source, "rel": link.rel, "to": target, "level": level})
        before = self.book.links.get(link, frozenset({False}))
        if _is_cut_off(answer):
            self.book.links[link] = before | {is_there}
        elif not answer.is_error:
            self.book.links[link] = frozenset({is_there})
            self.book.acknowledged += 1

    def _vote(self) -> None:
        level, lesson = self._any()
        if lesson is None or lesson.may_have_vote:
            return
        answer = self._call("kg_useful", {"ids": [lesson.state.id], "level": level})
        lesson.may_have_vote = _is_cut_off(answer) or not answer.is_error
        if not answer.is_error:
            lesson.has_vote = True
            self.book.acknowledged += 1

    def _progress(self) -> None:
        task = f"{self.book.who}-task"
        state = f"Step {self._uses} of {self.book.who} is done." if self._chance.random() < 0.8 else ""
        answer = self._call("kg_progress", {"task_id": task, "state": state})
        if _is_cut_off(answer):
            self.book.tasks[task] = self.book.tasks.get(task, frozenset({""})) | {state}
        elif not answer.is_error:
            self.book.tasks[task] = frozenset({state})
            self.book.acknowledged += 1

    def _take_turn(self) -> None:
        """Reads a shared lesson and writes its next turn; a guard must let only one session have each."""
        shared = self._chance.choice(SHARED)
        read = self._call("kg_read", {"ids": [shared], "level": "user"})
        if read.is_error and _MISSING not in read.text:
            return
        turn = 1 + max((turn_of(gist) for name, gist in _GIST.findall(read.text) if name == shared), default=0)
        gist = f"Turn {turn} was taken by {self.book.who} at {self._uses}."
        answer = self._call("kg_put_node", {"level": "user", "id": shared, "gist": gist})
        if not answer.is_error:
            self.book.turns.append((shared, turn))
            self.book.acknowledged += 1

    # Reading

    def _look_up(self) -> None:
        level, lesson = self._any()
        if lesson is None or self._chance.random() < 0.2:
            self._call("kg_read", {})
        else:
            self._call("kg_read", {"ids": [lesson.state.id], "level": level})

    def _search(self) -> None:
        self._call("kg_search", {"query": " ".join(self._chance.choices(_WORDS, k=3))})

    def _sync(self) -> None:
        self._call("kg_sync", {})

    # Both

    def _level(self) -> str:
        return self._chance.choice(["user", "project"])

    def _any(self) -> tuple[str, Lesson | None]:
        level = self._level()
        lessons = self.book.alive(self._graphs[level])
        return level, self._chance.choice(lessons) if lessons else None

    def _event(self, event: tuple[str, str, Mapping[str, object]] | None, *, starts: bool = False) -> None:
        if event is None:
            return
        native, carrier, payload = event
        begin = self._now()
        arrived = self._chance.choices([True, False, None], [1 - 2 * self._takes_back, *[self._takes_back] * 2])[0]
        output = self._carriers.event(native, carrier, payload, starts=starts, arrived=arrived)
        if _OUTAGE in output:
            self._complain(native, output[output.index(_OUTAGE) :], begin)
        elif output not in {"", _NOTHING} and "additionalContext" not in output:
            self._complain(native, output, begin)

    def _call(self, tool: str, sent: Mapping[str, object]) -> Answer:
        self._uses += 1
        use = f"{self.book.who}-{self._uses}"
        self._event(self._manners.before(tool, use))
        begin = self._now()
        answer = self._carriers.call(
            tool,
            {**sent, **self._manners.arguments()},
            self._manners.meta(use),
            arrived=self._chance.random() >= self._takes_back,
        )
        self._manners.heard(answer)
        if answer.is_error and _MISSING not in answer.text:
            self._complain(tool, answer.text, begin)
        return answer

    def _complain(self, what: str, sentence: str, begin: float) -> None:
        self.complaints.append(Complaint(self.book.who, what, sentence, begin, self._now()))


def _is_cut_off(answer: Answer) -> bool:
    return answer.is_error and answer.text.startswith(_CUT_OFF)
