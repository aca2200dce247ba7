"""Cutting blocks to a client's limit, in its unit: the least valuable go first, and the text says what is missing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kg_core.render.block import Block, Mark, Rank
from kg_core.render.grapheme import ELLIPSIS, cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kg_plugin_api import Limit

_NAMES: Final = (
    (Rank.GIST, "gist", "gists"),
    (Rank.EDGE, "edge", "edges"),
    (Rank.ARCHIVED, "archived id", "archived ids"),
)
_GIST: Final = "the end of a long gist"
_TEXT: Final = "the end of a long text"
_BRIEFLY: Final = "(More had no room: kg_search.)"
_NOTHING: Final[Mapping[Rank, int]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Fitted:
    """A text within its limit, the marks of the blocks that are in it whole, and how many blocks are not in it.

    ``blocks`` make up the text, for whoever hands it out in parts.
    """

    text: str
    marks: tuple[Mark, ...]
    hidden: int = 0
    blocks: tuple[Block, ...] = ()


def fit(blocks: Sequence[Block], limit: Limit | None, missing: Mapping[Rank, int] = _NOTHING) -> Fitted:
    """Joins ``blocks`` by line breaks, in order, and drops whole blocks until the text is within ``limit``.

    The lowest (rank, value) go first, the later one of equals, and with a block those whose parent it is. One last
    line, part of the limit, counts what was dropped; where the best block would have no room beside it, it is brief,
    and in a limit of a few words an ellipsis. Essential blocks go only when they do not fit by themselves. When no
    gist fits beside them, the best is cut at a grapheme, and its marks are left out. A larger limit never keeps fewer
    blocks.

    ``missing`` counts, by their ranks, blocks that were not made because they could not be kept: in the order in which
    blocks are kept they come after ``blocks``, of which not all fit. They count as dropped.
    """
    whole = Fitted("\n".join(block.text for block in blocks), marks_of(blocks), blocks=tuple(blocks))
    unmade = Counter({rank: count for rank, count in missing.items() if count})
    if not unmade and (not blocks or limit is None or limit.holds(whole.text)):
        return whole
    if limit is None:
        return _joined(blocks, range(len(blocks)), {}, limit, unmade)
    costs = [limit.measure(block.text) + 1 for block in blocks]
    order = sorted(range(len(blocks)), key=lambda index: (-blocks[index].rank, -blocks[index].value, index))
    essential = [index for index in order if blocks[index].rank is Rank.ESSENTIAL]
    optional = order[len(essential) :]
    room = limit.maximum + 1  # the first block has no line break before it
    counted = limit.measure(_hidden_line(unmade + Counter(blocks[index].rank for index in optional), _GIST)) + 1
    briefly = limit.measure(_BRIEFLY) + 1
    left = room - sum(costs[index] for index in essential)
    if optional and costs[optional[0]] <= left - counted:
        return _joined(blocks, [*essential, *_leading(optional, costs, left - counted)], {}, limit, unmade)
    if left < 0:
        kept = _leading(essential, costs, room - briefly)
        first, left = essential[len(kept)], room
    elif optional:
        kept = [*essential, *(optional[:1] if costs[optional[0]] <= left - briefly else ())]
        first = optional[0]
    else:
        return _joined(blocks, essential, {}, limit, unmade)
    shortened: dict[int, str] = {}
    if not kept or (first not in kept and blocks[first].rank is Rank.GIST):
        text = _cut(blocks[first].text, limit, left - 1, counted, briefly)
        if text:
            shortened[first] = text
    return _joined(blocks, kept, shortened, limit, unmade)


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


def _cut(text: str, limit: Limit, room: int, counted: int, briefly: int) -> str:
    """The beginning of a text beside the longest of our last lines that is no longer than it."""
    for line in (counted, briefly):
        if room - line >= line and (beginning := cut(text, room - line, limit.unit)):
            return beginning
    least = limit.measure(ELLIPSIS) + 1 if limit.measure(text) <= room else 0
    return cut(text, room - least, limit.unit)


def _with_parents(blocks: Sequence[Block], kept: list[int]) -> list[int]:
    """``kept`` without the blocks whose parent was offered and is not kept."""
    offered = {block.name for block in blocks if block.name}
    while True:
        names = {blocks[index].name for index in kept}
        with_parents = [index for index in kept if blocks[index].parent not in offered or blocks[index].parent in names]
        if len(with_parents) == len(kept):
            return kept
        kept = with_parents


def _joined(
    blocks: Sequence[Block],
    chosen: Iterable[int],
    shortened: Mapping[int, str],
    limit: Limit | None,
    unmade: Counter[Rank],
) -> Fitted:
    kept = _with_parents(blocks, [*chosen, *shortened])
    hidden = unmade + Counter(blocks[index].rank for index in set(range(len(blocks))).difference(kept))
    shown = [
        replace(blocks[index], text=shortened[index], marks=()) if index in shortened else blocks[index]
        for index in sorted(kept)
    ]
    ends = [_GIST if blocks[index].rank is Rank.GIST else _TEXT for index in shortened]
    is_told = bool(shown) and shown[-1].text.endswith(ELLIPSIS)
    for line in (_hidden_line(hidden, *ends), _BRIEFLY, *([] if is_told else [ELLIPSIS])):
        closed = [*shown, Block(text=line)]
        if limit is None or limit.holds("\n".join(block.text for block in closed)):
            shown = closed
            break
    return Fitted("\n".join(block.text for block in shown), marks_of(shown), hidden.total(), tuple(shown))


def _hidden_line(hidden: Counter[Rank], *ends: str) -> str:
    """One line on what is missing; ``ends`` names what was cut. More blocks never make it shorter."""
    parts = [f"{hidden[rank]} {many if hidden[rank] > 1 else one}" for rank, one, many in _NAMES if hidden[rank]]
    if hidden[Rank.ESSENTIAL]:
        parts.append("notices")
    parts += ends
    return f"(No room here for: {', '.join(parts)}. kg_search finds them, kg_read with ids shows them.)"
