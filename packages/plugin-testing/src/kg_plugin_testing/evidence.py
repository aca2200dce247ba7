"""A small memory of statements and conclusions with their evidence, and questions with labelled answers.

``evidence.json`` beside this module holds it: what each question finds by itself, told apart by kind, and what comes
with that at each depth. A backend answers for the first part; the server adds the rest, the same for all of them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kg_plugin_api import SearchItem, SearchRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

    Named = frozenset[tuple[str, str]]
    """Nodes, by graph and id."""

_PROJECT: Final = "project:harbour"
_DEPTHS: Final = ("explicit", "derived", "premises", "ancestry")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A request without kinds, the nodes that answer it at each depth, and which depth ``auto`` is.

    ``withheld`` premises are left out by the request's filters, as far as ancestry goes; ``more`` says that there is
    something below the ceiling.
    """

    request: SearchRequest
    answers: Mapping[str, Named]
    auto: str
    withheld: int
    more: bool


def graphs() -> dict[str, dict[str, Any]]:
    """The memory as records of the file format, by graph."""
    return dict(_read()["graphs"])


def items() -> list[SearchItem]:
    """The memory as a backend is told it."""
    return [
        SearchItem(
            key=f"{graph}\x1f{name}",
            graph=graph,
            id=name,
            gist=node["gist"],
            notes=tuple(node.get("notes", ())),
            status=node.get("status", "current"),
            kind=node.get("kind", "stated"),
            observer=node.get("observer", ""),
            observed=node.get("observed", ""),
            hash="1",
        )
        for graph, content in graphs().items()
        for name, node in content["nodes"].items()
    ]


def questions() -> list[Question]:
    """The questions, each with its labelled answers."""
    return [_question(record) for record in _read()["questions"]]


def _question(record: Mapping[str, Any]) -> Question:
    stated, derived = (_named(record["matches"][kind]) for kind in ("stated", "derived"))
    premises, ancestry = (_named(record[depth]) for depth in ("premises", "ancestry"))
    sets = (stated, stated | derived, stated | derived | premises, stated | derived | premises | ancestry)
    filters: dict[str, Any] = {name: tuple(values) for name, values in record.get("filters", {}).items()}
    return Question(
        request=SearchRequest(text=record["text"], graphs=tuple(record.get("graphs", ("user", _PROJECT))), **filters),
        answers=dict(zip(_DEPTHS, sets, strict=True)),
        auto=record["auto"],
        withheld=record.get("withheld", 0),
        more=record.get("more", False),
    )


def _named(names: list[str]) -> Named:
    """The nodes of names as the edges of the project spell them."""
    return frozenset(
        ("user", name.removeprefix("user:")) if name.startswith("user:") else (_PROJECT, name) for name in names
    )


def _read() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(__file__).with_name("evidence.json").read_text(encoding="utf-8"))
    return found
