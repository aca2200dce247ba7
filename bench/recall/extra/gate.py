"""Prints how far the gate of prompt recall keeps prompts apart: those that need a lesson, and those that need none.

Asks the dev half of the labelled set and the training set in this folder, never the test half. See README.md.
"""

from __future__ import annotations

import sys
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

HERE: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from dataset import USER, Dataset, Question  # noqa: E402 - the folder above is no package
from decisions.check import load  # noqa: E402
from kg_core.model import Use  # noqa: E402
from kg_core.policy import GATE, Index, item, recall, request  # noqa: E402
from kg_core.policy.recall import Gate  # noqa: E402
from kg_core.render import standing  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kg_core.model import Graph

FOLDS: Final = 5
MARGIN: Final = 1.15
OPEN: Final = Gate(least=1e-6)
LEASTS: Final = (0.35, 0.4, 0.45, GATE.least, 0.55, 0.6, 0.7)
SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class Weighed:
    """A prompt, the strength of the best lesson that it would bring to mind, divided by what its kind of prompt needs
    more than others, and whether a right one is among them.
    """

    question: Question
    strength: float
    is_right: bool

    @property
    def fold(self) -> int:
        """The same for a prompt wherever it is asked."""
        return zlib.crc32(self.question.id.split("@")[0].encode()) % FOLDS


def weighed(graphs: Mapping[str, Graph], questions: Sequence[Question]) -> list[Weighed]:
    """Asks with an open gate."""
    index = Index()
    for graph in graphs.values():
        index.upsert(item(graph.key, node, Use(), standing(graph, key)) for key, node in graph.nodes.items())
    found = []
    for question in questions:
        levels = [graphs[key] for key in question.graphs]
        told = recall(question.text, index.search(request(question.text, question.graphs)), levels, (), OPEN)
        shown = {(mark.graph, mark.id) for block in told.blocks for mark in block.marks}
        strength = max(
            (each.strength for each in told.decision.candidates if (each.graph, each.id) in shown), default=0.0
        )
        needed = told.decision.threshold / OPEN.least
        found.append(Weighed(question, strength / needed, not question.answers.isdisjoint(shown)))
    return found


def prompts() -> Iterator[Question]:
    """The prompts that are asked over the graphs of the labelled set."""
    for row in load("prompts.jsonl", HERE):
        yield Question(
            id=row["id"],
            kind=row["class"],
            text=row["text"],
            graphs=tuple(dict.fromkeys((USER, row["cwd_graph"]))),
            answers=frozenset((graph, node_id) for graph, node_id in row["answers"]),
        )


def elsewhere(questions: Sequence[Question], graphs: Sequence[str]) -> Iterator[Question]:
    """Prompts that need no lesson, asked where other lessons are."""
    for question in questions:
        for graph in graphs if not question.answers else ():
            yield replace(question, id=f"{question.id}@{graph}", graphs=(USER, graph))


def main() -> None:
    """Asks and prints."""
    labelled, extra = Dataset.read(), Dataset.read(HERE)
    dev = [question for question in labelled.questions if question.half == "dev"]
    ours = [key for key in labelled.graphs if key != USER]
    theirs = [key for key in extra.graphs if key != USER]
    asked = {
        "dev": weighed(labelled.graphs, dev),
        "extra": weighed(extra.graphs, extra.questions),
        "prompts": weighed(labelled.graphs, list(prompts())),
        "extra over the graphs of dev": weighed(labelled.graphs, list(elsewhere(extra.questions, ours))),
        "dev over the graphs of extra": weighed(extra.graphs, list(elsewhere(dev, theirs))),
    }
    print(f"| least | {' | '.join(f'{name}: right / wrong' for name in asked)} |\n|--:|{'--:|' * len(asked)}")
    for least in LEASTS:
        print(f"| {least:.2f} | {' | '.join(_cell(found, least) for found in asked.values())} |")
    every = [each for found in asked.values() for each in found]
    negatives = sorted((each for each in every if not each.question.answers), key=lambda each: -each.strength)
    print(f"\nOf {len(negatives)} that need none, the strongest:\n")
    for each in negatives[:SHOWN]:
        print(f"{each.strength:.2f}  {each.question.id}  {each.question.text.splitlines()[0][:100]}")
    print(f"\n{_cross_validated(every, {each.question.id for each in asked['dev']})}")


def _cell(found: Sequence[Weighed], least: float) -> str:
    """The share of answerable prompts that get a right lesson, and how many of the others get any."""
    answerable = [each for each in found if each.question.answers]
    right = sum(each.is_right and each.strength >= least for each in answerable)
    wrong = sum(each.strength >= least for each in found if not each.question.answers)
    return f"{right / len(answerable):.3f} / {wrong}" if answerable else f"– / {wrong}"


def _cross_validated(found: Sequence[Weighed], dev: set[str]) -> str:
    """What comes of thresholds that are taken from the other folds, set above all but one in a hundred negatives."""
    right = answerable = wrong = negatives = 0
    leasts = []
    for fold in range(FOLDS):
        others = sorted(
            (each.strength for each in found if each.fold != fold and not each.question.answers), reverse=True
        )
        leasts.append(MARGIN * others[len(others) // 100])
        for each in (each for each in found if each.fold == fold):
            if not each.question.answers:
                negatives += 1
                wrong += each.strength >= leasts[-1]
            elif each.question.id in dev:
                answerable += 1
                right += each.is_right and each.strength >= leasts[-1]
    between = f"{min(leasts):.2f}–{max(leasts):.2f}"
    return f"{FOLDS} folds, thresholds {between}: right {right / answerable:.3f} of dev, wrong {wrong} of {negatives}"


if __name__ == "__main__":
    main()
