"""Results as a Markdown table with ratios, and as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from speed.measure import Sample


@dataclass(frozen=True, slots=True)
class Row:
    """One measured thing: for how many nodes (none: an empty memory), in which unit, per subject."""

    title: str
    nodes: int | None
    unit: str
    samples: Mapping[str, Sample]


def markdown(rows: Sequence[Row], titles: Sequence[str]) -> str:
    """A table of medians; with two subjects the last column says how many times less the first one takes."""
    paired = len(titles) == 2
    head = ["", "nodes", *titles, *(["ratio"] if paired else [])]
    lines = [_line(head), _line(["---", "--:", *(["--:"] * (len(head) - 2))])]
    for row in rows:
        medians = [row.samples[title].median if title in row.samples else None for title in titles]
        cells = ["–" if value is None else f"{_figure(value)} {row.unit}" for value in medians]
        if paired:
            ours, theirs = medians
            cells.append(f"{theirs / ours:.1f} ×" if ours and theirs else "–")
        lines.append(_line([row.title, "–" if row.nodes is None else f"{row.nodes:,}", *cells]))
    return "\n".join(lines)


def tails(rows: Sequence[Row], title: str) -> str:
    """A table of how long one subject's operations take at worst: of a hundred, all but five, and all but one."""
    lines = [_line(["", "nodes", "repetitions", "median", "p95", "p99"]), _line(["---", *(["--:"] * 5)])]
    for row in rows:
        if row.nodes is not None and row.unit == "ms":
            sample = row.samples[title]
            figures = [f"{_figure(value)} {row.unit}" for value in (sample.median, sample.p95, sample.p99)]
            lines.append(_line([row.title, f"{row.nodes:,}", f"{sample.count:,}", *figures]))
    return "\n".join(lines)


def growth(rows: Sequence[Row]) -> list[str]:
    """One line for each subject: how much more the slowest kind of write costs at most nodes than at fewest."""
    writes = [row for row in rows if row.nodes is not None and row.title.startswith("put_")]
    sizes = sorted({row.nodes for row in writes if row.nodes is not None})
    if len(sizes) < 2:
        return []
    few, many = ([row for row in writes if row.nodes == size] for size in (sizes[0], sizes[-1]))
    lines = []
    for title in few[0].samples:
        ratios = {
            large.title: large.samples[title].median / small.samples[title].median
            for small, large in zip(few, many, strict=True)
        }
        slowest = max(ratios, key=lambda name: ratios[name])
        lines.append(
            f"{title}, a write at {sizes[-1]:,} nodes against one at {sizes[0]:,}: {ratios[slowest]:.2f} × "
            f"({slowest}), at most."
        )
    return lines


def as_json(rows: Sequence[Row], conditions: Mapping[str, object]) -> dict[str, object]:
    """All that was measured, JSON-compatible."""
    return {"conditions": dict(conditions), "rows": [asdict(row) for row in rows]}


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _figure(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"
