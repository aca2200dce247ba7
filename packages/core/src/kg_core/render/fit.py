"""Cutting blocks to a client's limit, in its unit: the least valuable go first, and the text says what is missing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kg_core.render.block import Block, Mark, Rank
from kg_core.render.grapheme import cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kg_plugin_api import Limit

_NAMES = ((Rank.GIST, "gist", "gists"), (Rank.EDGE, "edge", "edges"), (Rank.ARCHIVED, "archived id", "archived ids"))


@dataclass(frozen=True, slots=True)
class Fitted:
    """A text within its limit, the marks of the blocks that are in it whole, and how many blocks are not in it.

    ``blocks`` make up the text, for whoever hands it out in parts.
    """

    text: str
    marks: tuple[Mark, ...]
    hidden: int = 0
    blocks: tuple[Block, ...] = ()


def fit(blocks: Sequence[Block], limit: Limit | None) -> Fitted:
    """Joins ``blocks`` by line breaks, in order, and drops whole blocks until the text is within ``limit``.

    The lowest (rank, value) go first, the later one of equals, and with a block those whose parent it is. One last
    line counts what was dropped; it is part of the limit, and left out only when not even the best block would fit
    beside it. Essential blocks go only when they do not fit by themselves. When no gist fits beside them, the best is
    cut at a grapheme, and its marks are left out. A larger limit never keeps fewer blocks.
    """
    whole = Fitted("\n".join(block.text for block in blocks), marks_of(blocks), blocks=tuple(blocks))
    if not blocks or limit is None or limit.holds(whole.text):
        return whole
    costs = [limit.measure(block.text) + 1 for block in blocks]
    order = sorted(range(len(blocks)), key=lambda index: (-blocks[index].rank, -blocks[index].value, index))
    essential = [index for index in order if blocks[index].rank is Rank.ESSENTIAL]
    optional = order[len(essential) :]
    room = limit.maximum + 1  # the first block has no line break before it
    counted = limit.measure(_hidden_line(Counter(blocks[index].rank for index in optional), 1)) + 1
    beside = room - sum(costs[index] for index in essential) - counted
    if optional and costs[optional[0]] <= beside:
        return _joined(blocks, [*essential, *_leading(optional, costs, beside)], {}, limit)
    order = [*essential, *optional[:1]]
    kept = _leading(order, costs, room)
    shortened: dict[int, str] = {}
    if len(kept) < len(order):
        first = order[len(kept)]
        if not kept or blocks[first].rank is Rank.GIST:
            left = room - sum(costs[index] for index in kept) - 1
            text = cut(blocks[first].text, left - counted, limit.unit) or cut(blocks[first].text, left, limit.unit)
            if text:
                shortened[first] = text
    return _joined(blocks, kept, shortened, limit)


def marks_of(blocks: Iterable[Block]) -> tuple[Mark, ...]:
    """The marks of blocks, each once, in order."""
    return tuple(dict.fromkeys(mark for block in blocks for mark in block.marks))


def _leading(order: Sequence[int], costs: Sequence[int], room: int) -> list[int]:
    kept: list[int] = []
    for index in order:
        room -= costs[index]
        if room < 0:
            break
        kept.append(index)
    return kept


def _with_parents(blocks: Sequence[Block], kept: list[int]) -> list[int]:
    """``kept`` without the blocks whose parent was offered and is not kept."""
    offered = {block.name for block in blocks if block.name}
    while True:
        names = {blocks[index].name for index in kept}
        with_parents = [index for index in kept if blocks[index].parent not in offered or blocks[index].parent in names]
        if len(with_parents) == len(kept):
            return kept
        kept = with_parents


def _joined(blocks: Sequence[Block], kept: list[int], shortened: dict[int, str], limit: Limit) -> Fitted:
    kept = _with_parents(blocks, [*kept, *shortened])
    missing = Counter(blocks[index].rank for index in set(range(len(blocks))).difference(kept))
    shown = [
        replace(blocks[index], text=shortened[index], marks=()) if index in shortened else blocks[index]
        for index in sorted(kept)
    ]
    closed = [*shown, Block(text=_hidden_line(missing, len(shortened)))]
    if limit.holds("\n".join(block.text for block in closed)):
        shown = closed
    return Fitted("\n".join(block.text for block in shown), marks_of(shown), missing.total(), tuple(shown))


def _hidden_line(hidden: Counter[Rank], shortened: int) -> str:
    """One line on what is missing. More blocks never make it shorter."""
    parts = [f"{hidden[rank]} {many if hidden[rank] > 1 else one}" for rank, one, many in _NAMES if hidden[rank]]
    if hidden[Rank.ESSENTIAL]:
        parts.append("notices")
    if shortened:
        parts.append("the end of a long gist")
    return f"(No room here for: {', '.join(parts)}. kg_search finds them, kg_read with ids shows them.)"
