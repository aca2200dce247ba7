"""LoCoMo, from the file ``locomo10.json`` that a user brings: its licence (CC BY-NC 4.0) forbids to ship it.

Each conversation is a graph of its own. A question's answers are what holds its evidence: the sessions in which it was
said, or the observations that cite it. Without evidence that is there, a question is left out.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, Final

from dataset import Dataset, Question
from kg_core.model import Graph, Node

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

_TURN: Final = re.compile(r"D:?(\d+):(\d+)")
_SESSION: Final = re.compile(r"session_(\d+)")
_OBSERVATIONS: Final = re.compile(r"session_(\d+)_observation")
_CATEGORIES: Final = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}

Turns = frozenset[tuple[int, int]]
"""Session and turn, as evidence names them."""


def read_sessions(path: Path, corrections: Path | None = None) -> Dataset:
    """A node for each session: its date as the gist, a note for each turn."""
    return _read(path, corrections, _sessions)


def read_observations(path: Path, corrections: Path | None = None) -> Dataset:
    """A node for each observation: a sentence that says what somebody said, with the turns that it cites."""
    return _read(path, corrections, _observations)


def _read(
    path: Path, corrections: Path | None, nodes: Callable[[Mapping[str, Any]], Iterator[tuple[Node, Turns]]]
) -> Dataset:
    data = path.read_bytes()
    corrected = _corrections(corrections) if corrections is not None else {}
    graphs: dict[str, Graph] = {}
    questions: list[Question] = []
    for number, sample in enumerate(json.loads(data)):
        graph = f"project:{sample.get('sample_id', number)}"
        held = list(nodes(sample))
        graphs[graph] = Graph.build(graph, nodes={node.id: node for node, _ in held})
        for place, asked in enumerate(sample["qa"]):
            name = f"locomo_{number}_qa{place}"
            evidence = _turns(corrected.get(name, asked.get("evidence", ())))
            answers = frozenset((graph, node.id) for node, turns in held if _holds(turns, evidence))
            if answers:
                questions.append(
                    Question(
                        id=name,
                        kind=_CATEGORIES.get(asked.get("category"), "other"),
                        text=str(asked["question"]),
                        graphs=(graph,),
                        answers=answers,
                    )
                )
    return Dataset(graphs=graphs, questions=tuple(questions), hash=hashlib.sha256(data).hexdigest())


def _sessions(sample: Mapping[str, Any]) -> Iterator[tuple[Node, Turns]]:
    talk = sample["conversation"]
    for name, turns in talk.items():
        session = _SESSION.fullmatch(name)
        if session is not None and turns:
            number = int(session[1])
            notes = tuple(filter(None, (_said(turn) for turn in turns)))
            gist = str(talk.get(f"{name}_date_time", ""))
            # A session is all of its turns, also those that carry no id.
            yield Node(id=f"session-{number}", gist=gist, notes=notes), frozenset({(number, 0)})


def _observations(sample: Mapping[str, Any]) -> Iterator[tuple[Node, Turns]]:
    for name, by_speaker in sample.get("observation", {}).items():
        session = _OBSERVATIONS.fullmatch(name)
        if session is None:
            continue
        place = 0
        for said in by_speaker.values():
            for text, *cited in said:
                place += 1
                yield Node(id=f"observation-{session[1]}-{place}", gist=str(text)), _turns(cited)


def _said(turn: Mapping[str, Any]) -> str:
    """What was said in a turn, and what the picture in it shows."""
    parts = (turn.get("text", ""), turn.get("blip_caption", ""))
    text = " ".join(str(part) for part in parts if part)
    return f"{turn.get('speaker', '')}: {text}" if text else ""


def _turns(cited: object) -> Turns:
    """The turns in evidence, however it is nested or run together (``D8:6; D9:17``, ``D:11:26``)."""
    if isinstance(cited, str):
        return frozenset((int(session), int(turn)) for session, turn in _TURN.findall(cited))
    if isinstance(cited, list | tuple):
        return frozenset(turn for each in cited for turn in _turns(each))
    return frozenset()


def _holds(turns: Turns, evidence: Turns) -> bool:
    """Whether what has these turns has some of the evidence; turn 0 stands for all of its session."""
    return any(turn in turns or (turn[0], 0) in turns for turn in evidence)


def _corrections(path: Path) -> dict[str, object]:
    """Question → its right evidence: from one JSON list of faults in the key, or from all in a folder."""
    files: Iterable[Path] = sorted(path.glob("errors*.json")) if path.is_dir() else (path,)
    return {
        fault["question_id"]: fault["correct_evidence"]
        for file in files
        for fault in json.loads(file.read_text(encoding="utf-8"))
        if fault.get("correct_evidence")
    }
