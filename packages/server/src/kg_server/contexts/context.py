"""One context: what one model has in front of it, and how it is kept on disk."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kg_core.model import PROJECT_PREFIX, USER
from kg_core.render.block import Mark, MarkKind
from kg_server.contexts.covered import Span
from kg_server.contexts.key import ContextKey
from kg_server.contexts.ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kg_core.model import GraphKey, Millis
    from kg_server.linelog import Record

_MARKS_PER_RECORD = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A registered context.

    ``project`` is the key of the project's graph, or empty for user memory alone; it is decided when a working folder
    is first known (``placed``), and no later folder changes it, but for a context without a project, which can be given
    one later. ``started`` is the journal sequence at registration: what was written before is not news. ``heard`` says
    that an event of it has arrived, so that text can wait for the next one. ``ended`` says that its client has told its
    end; it may be taken up again. Of the client's transcript, ``read`` bytes were looked at, and ``prompt`` names the
    last prompt in it that was answered.
    """

    id: str
    key: ContextKey
    opened: Millis
    used: Millis
    started: int = 0
    placed: bool = False
    cwd: str = ""
    project: GraphKey = ""
    maintenance: bool = False
    heard: bool = False
    ended: bool = False
    read: int = 0
    prompt: str = ""
    resets: int = 0
    """How often the model's text was lost since the server started: what it was shown before counts no more."""
    announced: bool = field(default=False, compare=False)
    """Whether the start of its session has been heard of. Of one that an earlier server registered that is taken for
    granted: then the next start tells all, which may be more than it must.
    """
    begun: Millis = 0
    """When the model's text began: with the context, or when an earlier one was lost."""
    ledger: Ledger = field(default_factory=Ledger)

    def placed_at(self, cwd: str, project: GraphKey) -> Context:
        """This context with its project decided. One that is given a project later is still to be told of it."""
        ledger = self.ledger.widened(self.graphs) if self.placed and project else self.ledger
        return replace(self, placed=True, cwd=cwd, project=project, ledger=ledger)

    def reset(self, now: Millis) -> Context:
        """This context after the model's text was lost."""
        return replace(self, resets=self.resets + 1, begun=now, ledger=self.ledger.reset())

    @property
    def graphs(self) -> tuple[GraphKey, ...]:
        """The graphs that this context reads and writes, the user's first."""
        return (USER, self.project) if self.project else (USER,)

    @property
    def project_name(self) -> str:
        """The slug of the project, or empty."""
        return self.project.removeprefix(PROJECT_PREFIX)

    def records(self) -> Iterator[Record]:
        """The log records that restore this context."""
        yield {
            "op": "open",
            "id": self.id,
            "key": list(self.key),
            "opened": self.opened,
            "begun": self.begun,
            "used": self.used,
            "started": self.started,
            "placed": self.placed,
            "cwd": self.cwd,
            "project": self.project,
            "maintenance": self.maintenance,
        }
        if self.heard:
            yield {"op": "heard", "id": self.id}
        if self.ended:
            yield {"op": "ended", "id": self.id}
        if self.read:
            yield {"op": "read", "id": self.id, "bytes": self.read, "prompt": self.prompt}
        by_time: dict[Millis, list[Mark]] = {}
        for at, mark in self.ledger.marks():
            by_time.setdefault(at, []).append(mark)
        for at, marks in sorted(by_time.items()):
            for start in range(0, len(marks), _MARKS_PER_RECORD):
                yield marks_record(self.id, marks[start : start + _MARKS_PER_RECORD], at)


def first_ledger(sequence: int) -> Ledger:
    """The ledger of a context that starts at a journal sequence: earlier writes are no news to it."""
    return Ledger(synced=sequence).apply(Mark(MarkKind.PUSHED, "", "", str(Span(0, sequence))), 0)


def marks_record(context_id: str, marks: Iterable[Mark], at: Millis) -> Record:
    """The log record of marks that came true."""
    return {"op": "marks", "id": context_id, "at": at, "marks": [[m.kind, m.graph, m.id, m.version] for m in marks]}


def replay(contexts: Mapping[str, Context], record: Record) -> Context | None:
    """The context that a log record leaves behind, or ``None`` when it ends it.

    Raises ValueError, KeyError, TypeError or OverflowError on a record that makes no sense.
    """
    operation, context_id = record["op"], str(record["id"])
    if operation == "open":
        harness, session, agent = (str(part) for part in record["key"])
        return Context(
            announced=True,
            id=context_id,
            key=ContextKey(harness, session, agent),
            opened=int(record["opened"]),
            begun=int(record.get("begun") or record["opened"]),
            used=int(record["used"]),
            started=int(record["started"]),
            placed=bool(record["placed"]),
            cwd=str(record["cwd"]),
            project=str(record["project"]),
            maintenance=bool(record["maintenance"]),
        )
    context = contexts[context_id]
    match operation:
        case "marks":
            marks = [
                Mark(MarkKind(kind), str(graph), str(i), str(version)) for kind, graph, i, version in record["marks"]
            ]
            return replace(context, ledger=context.ledger.apply_all(marks, int(record["at"])))
        case "used":
            return replace(context, used=int(record["at"]), ended=False)
        case "place":
            return context.placed_at(str(record["cwd"]), str(record["project"]))
        case "maintenance":
            return replace(context, maintenance=True)
        case "heard":
            return replace(context, heard=True)
        case "ended":
            return replace(context, ended=True)
        case "read":
            return replace(context, read=int(record["bytes"]), prompt=str(record["prompt"]))
        case "reset":
            return context.reset(int(record.get("at") or context.begun))
        case "close":
            return None
    raise ValueError(f"unknown operation {operation!r}")
