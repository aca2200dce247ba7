"""Validate the decision-recall data set and print its SHA-256.

Run as ``python bench/recall/decisions/check.py``. It exits with 1 and one line per fault when a promise of the
README is broken. Import ``half_of`` for the fixed split, ``load`` for the records and ``is_hit``
for what counts as a hit.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import unicodedata
from collections import Counter, deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Record: TypeAlias = dict[str, Any]
Key: TypeAlias = tuple[str, str]

HERE: Final = Path(__file__).resolve().parent
FILES: Final = ("edges.jsonl", "gists.jsonl", "questions.jsonl")
USER: Final = "user"
GRAPHS: Final = frozenset({USER, "project:tallyport", "project:driftglass"})
STATUSES: Final = frozenset({"current", "proposed", "retracted", "superseded"})
LEAST_NODES: Final = 320
LEAST_EDGES: Final = 400
LEAST_QUESTIONS: Final = 1000
LEAST_PER_CLASS: Final = {
    "exact": 70,
    "paraphrase": 70,
    "identifier": 70,
    "error-message": 70,
    "cjk": 70,
    "cyrillic": 70,
    "right-to-left": 70,
    "emoji": 70,
    "superseded": 70,
    "cross-level": 70,
    "multi-hop": 70,
    "negative": 160,
}
SCRIPTS: Final = {
    "cjk": re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]"),
    "cyrillic": re.compile(r"[\u0400-\u04ff]"),
    "right-to-left": re.compile(r"[\u0590-\u05ff\u0600-\u06ff]"),
    "emoji": re.compile(r"[\u231a-\u23ff\u25aa-\u27bf\u2b00-\u2bff\U0001f1e6-\U0001faff]"),
}
LEAST_GISTS_IN_SCRIPT: Final = {"cjk": 25, "cyrillic": 20, "right-to-left": 20, "emoji": 15}
LONGEST_PATH: Final = 4
LONGEST_GIST: Final = 300
WORD: Final = re.compile(r"[^\W_]{3,}")
STOP_TEXT: Final = """
about after again all also and any are because been before being but can cannot could did does don done each for
from get gets give had has have how into its just let like make makes may more most much must need needs never new
not now off one only onto other our out over own per please same see shall she should some such than that the their
them then there they this those through too two under use used uses using very want was way well were what when
where which while who why will with would you your
"""
STOP_WORDS: Final = frozenset(STOP_TEXT.split())


def load(name: str, folder: Path = HERE) -> list[Record]:
    """Return the records of one JSON Lines file in file order."""
    with (folder / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def half_of(question_id: str) -> Literal["dev", "test"]:
    """Return the half a question belongs to: an even first byte of its id's SHA-256 is dev, an odd one test."""
    return "test" if hashlib.sha256(question_id.encode("utf-8")).digest()[0] % 2 else "dev"


def data_hash(folder: Path = HERE) -> str:
    """Return the SHA-256 over the data files in name order, each preceded by its name and a zero byte."""
    digest = hashlib.sha256()
    for name in FILES:
        digest.update(name.encode("utf-8") + b"\0" + (folder / name).read_bytes())
    return digest.hexdigest()


def is_hit(question: Record, ranked: list[Key], depth: int) -> bool:
    """Tell whether an answer is among the first ``depth`` nodes with no stale node above it."""
    answers = {(graph, name) for graph, name in question["answers"]}
    stale = {(graph, name) for graph, name in question.get("stale", ())}
    first = next((key for key in ranked[:depth] if key in answers or key in stale), None)
    return first in answers


def content_words(text: str) -> frozenset[str]:
    """Return the case-folded words of three letters or more that are no stop words."""
    words = WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return frozenset(word for word in words if word not in STOP_WORDS)


def shares_two_words(text: str, gists: Iterable[str]) -> bool:
    """Tell whether the text has at least two content words in common with a single gist."""
    words = content_words(text)
    return any(len(words & content_words(gist)) > 1 for gist in gists)


def end_of(edge: Record, nodes: dict[Key, Record]) -> Key | None:
    """Return the node an edge points at, or None for a file path or a name that is no node."""
    target = edge["to"]
    key = (USER, target.removeprefix("user:")) if target.startswith("user:") else (edge["graph"], target)
    return key if key in nodes else None


def neighbours(edges: list[Record], nodes: dict[Key, Record], graphs: set[str]) -> dict[Key, set[Key]]:
    """Return which nodes an edge of the given graphs connects, in both directions."""
    near: dict[Key, set[Key]] = {}
    for edge in edges:
        target, source = end_of(edge, nodes), (edge["graph"], edge["from"])
        if target is not None and edge["graph"] in graphs:
            near.setdefault(source, set()).add(target)
            near.setdefault(target, set()).add(source)
    return near


def steps_between(start: Key, goal: Key, near: dict[Key, set[Key]]) -> int | None:
    """Return the least number of edges between two nodes, in either direction, or None without a path."""
    queue, seen = deque([(start, 0)]), {start}
    while queue:
        here, steps = queue.popleft()
        if here == goal:
            return steps
        for there in near.get(here, set()) - seen:
            seen.add(there)
            queue.append((there, steps + 1))
    return None


def node_faults(nodes: list[Record]) -> Iterator[str]:
    """Yield what is wrong with the gists themselves."""
    keys = Counter((node["graph"], node["id"].casefold()) for node in nodes)
    yield from (f"gist {key}: not unique" for key, count in keys.items() if count > 1)
    if len(nodes) < LEAST_NODES:
        yield f"only {len(nodes)} gists"
    if [(node["graph"], node["id"]) for node in nodes] != sorted((node["graph"], node["id"]) for node in nodes):
        yield "gists are not sorted"
    for node in nodes:
        name, words = node["id"], len(re.split(r"[-_.]", node["id"]))
        if node["graph"] not in GRAPHS or node["status"] not in STATUSES:
            yield f"gist {name}: unknown graph or status"
        if not 3 <= words <= 5 or not all(unicodedata.category(sign)[0] in "LMN" or sign in "-_." for sign in name):
            yield f"gist {name}: not an id of three to five words"
        if not 0 < len(node["gist"]) <= LONGEST_GIST or "\n" in node["gist"] or len(node["notes"]) > 4:
            yield f"gist {name}: gist or notes out of bounds"
    for script, least in LEAST_GISTS_IN_SCRIPT.items():
        count = sum(bool(SCRIPTS[script].search(node["gist"])) for node in nodes)
        if count < least:
            yield f"only {count} gists with {script}"


def edge_faults(edges: list[Record], nodes: dict[Key, Record]) -> Iterator[str]:
    """Yield what is wrong with the edges: unknown ends, doubles, and superseded nodes without that status."""
    triples = Counter((edge["graph"], edge["from"], edge["rel"], edge["to"]) for edge in edges)
    yield from (f"edge {triple}: not unique" for triple, count in triples.items() if count > 1)
    if len(edges) < LEAST_EDGES:
        yield f"only {len(edges)} edges"
    replaced = set()
    for edge in edges:
        target = end_of(edge, nodes)
        if (edge["graph"], edge["from"]) not in nodes or (target is None and not re.search("[/~]", edge["to"])):
            yield f"edge {edge['from']} {edge['rel']} {edge['to']}: an end names nothing"
        if edge["rel"] == "supersedes" and target is not None:
            replaced.add(target)
    marked = {key for key, node in nodes.items() if node["status"] == "superseded"}
    yield from (f"gist {key}: superseded status and edge disagree" for key in marked ^ replaced)


def question_faults(questions: list[Record], nodes: dict[Key, Record]) -> Iterator[str]:
    """Yield what is wrong with the questions and their labels."""
    for field in ("id", "text"):
        counts = Counter(question[field].casefold() for question in questions)
        yield from (f"question {field} {value!r}: not unique" for value, count in counts.items() if count > 1)
    if [question["id"] for question in questions] != sorted(question["id"] for question in questions):
        yield "questions are not sorted"
    classes = Counter(question["class"] for question in questions)
    if len(questions) < LEAST_QUESTIONS or classes.keys() != LEAST_PER_CLASS.keys():
        yield f"{len(questions)} questions in the classes {sorted(classes)}"
    yield from (f"only {classes[name]} of {name}" for name, least in LEAST_PER_CLASS.items() if classes[name] < least)
    for question in questions:
        name, kind, graph = question["id"], question["class"], question["cwd_graph"]
        answers = [tuple(answer) for answer in question["answers"]]
        if graph not in GRAPHS or not question["note"] or not question["text"].strip():
            yield f"{name}: unknown graph, or no note or text"
        if bool(answers) == (kind == "negative") or len(set(answers)) != len(answers):
            yield f"{name}: answers do not fit the class {kind}"
        for key in answers:
            if key not in nodes or key[0] not in {USER, graph}:
                yield f"{name}: {key} does not exist or is out of the asker's sight"
            elif nodes[key]["status"] != "current":
                yield f"{name}: {key} is {nodes[key]['status']}"
        if kind in SCRIPTS and not SCRIPTS[kind].search(question["text"]):
            yield f"{name}: no character of its script"
        if kind == "cross-level" and (graph == USER or not any(key[0] == USER for key in answers)):
            yield f"{name}: not asked in a project, or without an answer at user level"


def path_faults(questions: list[Record], edges: list[Record], nodes: dict[Key, Record]) -> Iterator[str]:
    """Yield superseded questions whose stale gists are not replaced and multi-hop ones without a short path."""
    replaced = {
        ((edge["graph"], edge["from"]), target)
        for edge in edges
        if edge["rel"] == "supersedes" and (target := end_of(edge, nodes)) is not None
    }
    for question in questions:
        answers = [(graph, name) for graph, name in question["answers"]]
        if question["class"] == "superseded":
            known = set(answers)
            while grown := {old for new, old in replaced if new in known} - known:
                known |= grown
            if not question["stale"] or {(graph, name) for graph, name in question["stale"]} != known - set(answers):
                yield f"{question['id']}: stale gists are not those the answer supersedes"
        if question["class"] == "multi-hop":
            near = neighbours(edges, nodes, {USER, question["cwd_graph"]})
            named = [(graph, name) for graph, name in question["named"]]
            for goal in answers:
                lengths = [steps_between(start, goal, near) for start in named]
                if not any(length and length <= LONGEST_PATH for length in lengths) or goal in named:
                    yield f"{question['id']}: no path of 1 to {LONGEST_PATH} edges to {goal}"


def share_faults(questions: list[Record], nodes: dict[Key, Record]) -> Iterator[str]:
    """Yield negatives whose ``shares`` mark is false, and a set in which fewer than half share two words."""
    negatives = [question for question in questions if question["class"] == "negative"]
    for question in negatives:
        seen = [node["gist"] for (graph, _), node in nodes.items() if graph in {USER, question["cwd_graph"]}]
        if question["shares"] != shares_two_words(question["text"], seen):
            yield f"{question['id']}: shares should be {not question['shares']}"
    sharing = sum(question["shares"] for question in negatives)
    if sharing * 2 < len(negatives) or len(negatives) - sharing < LEAST_PER_CLASS["negative"] // 3:
        yield f"{sharing} of {len(negatives)} negatives share two content words"


def hash_faults() -> Iterator[str]:
    """Yield a fault when the README names another hash than that of the data."""
    if data_hash() not in (HERE / "README.md").read_text(encoding="utf-8"):
        yield "README.md names another hash"


def main() -> int:
    rows, edges, questions = load("gists.jsonl"), load("edges.jsonl"), load("questions.jsonl")
    nodes = {(row["graph"], row["id"]): row for row in rows}
    faults = [
        *node_faults(rows),
        *edge_faults(edges, nodes),
        *question_faults(questions, nodes),
        *path_faults(questions, edges, nodes),
        *share_faults(questions, nodes),
        *hash_faults(),
    ]
    print(f"gists {len(rows)}  edges {len(edges)}  questions {len(questions)}")
    counts = Counter((question["class"], half_of(question["id"])) for question in questions)
    for name in LEAST_PER_CLASS:
        dev, test = counts[name, "dev"], counts[name, "test"]
        print(f"  {name:<14} {dev + test:>4}  (dev {dev}, test {test})")
    print(f"sha256 {data_hash()}")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
