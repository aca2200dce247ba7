"""The figures as tables, and the targets that they are held against."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from measure import NEGATIVE

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from measure import Quality

ALL: Final = "all answerable"
SCRIPTS: Final = ("identifier", "cjk", "cyrillic", "right-to-left")
BEST_BASELINE: Final = "BM25"


def detail(figures: Mapping[str, Quality]) -> str:
    """All figures of one subject, a class a line."""
    lines = [
        (
            "| class | questions | hit@1 | hit@5 | hit@10 | MRR | right one injected | false injections | characters "
            "| p50 ms | p95 ms |"
        ),
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, q in figures.items():
        shares = [q.hit_at_1, q.hit_at_5, q.hit_at_10, q.reciprocal_rank, q.injected]
        cells = [f"{share:.3f}" if q.answerable else "–" for share in shares]
        cells += [str(q.false_injections), f"{q.characters:.0f}", f"{q.p50:.2f}", f"{q.p95:.2f}"]
        lines.append(f"| {name} | {q.questions} | {' | '.join(cells)} |")
    return "\n".join(lines)


def comparison(subjects: Mapping[str, Mapping[str, Quality]], hooked: Container[str]) -> str:
    """hit@5 of all subjects, a class a line; then, in all, what those that are ``hooked`` say unasked."""
    lines = [f"| hit@5 | {' | '.join(subjects)} |", f"|---|{'--:|' * len(subjects)}"]
    for name in next(iter(subjects.values())):
        if next(iter(subjects.values()))[name].answerable:
            cells = (f"{figures[name].hit_at_5:.3f}" for figures in subjects.values())
            lines.append(f"| {name} | {' | '.join(cells)} |")
    said = {title: (f"{figures[ALL].injected:.3f}", str(_false(figures))) for title, figures in subjects.items()}
    for name, place in (("right one injected", 0), ("false injections", 1)):
        cells = (each[place] if title in hooked else "–" for title, each in said.items())
        lines.append(f"| *{name}* | {' | '.join(cells)} |")
    return "\n".join(lines)


def targets(subjects: Mapping[str, Mapping[str, Quality]]) -> str:
    """Each target of the decisions, what was reached, and whether it is met."""
    own = next(iter(subjects.values()))
    return _table(_targets(own, subjects[BEST_BASELINE]))


def file_targets(subjects: Mapping[str, Mapping[str, Quality]]) -> str:
    """The same for file recall."""
    own = next(iter(subjects.values()))
    return _table(
        [
            *(
                (f"a right lesson for {name} ≥ 0.95", f"{own[name].injected:.3f}", own[name].injected >= 0.95)
                for name in ("exact", "glob", "directory", "renamed")
            ),
            ("false injections 0", str(_false(own)), _false(own) == 0),
        ]
    )


def no_targets(subjects: Mapping[str, Mapping[str, Quality]]) -> str:
    """Nothing is aimed at."""
    del subjects
    return ""


def _false(own: Mapping[str, Quality]) -> int:
    return sum(quality.false_injections for name, quality in own.items() if not name.startswith("all "))


def _table(rows: Iterable[tuple[str, str, bool]]) -> str:
    lines = ["| target | reached | |", "|---|--:|---|"]
    lines += [f"| {target} | {reached} | {'met' if is_met else '**missed**'} |" for target, reached, is_met in rows]
    return "\n".join(lines)


def _targets(own: Mapping[str, Quality], other: Mapping[str, Quality]) -> Iterator[tuple[str, str, bool]]:
    reached = own[ALL].hit_at_5
    yield f"hit@5 over {ALL} ≥ 0.90", f"{reached:.3f}", reached >= 0.90
    for name, quality in own.items():
        if name in {NEGATIVE, "paraphrase"} or name.startswith("all "):
            continue
        least = 0.95 if name in SCRIPTS else 0.80
        yield f"hit@5 of {name} ≥ {least:.2f}", f"{quality.hit_at_5:.3f}", quality.hit_at_5 >= least
    ahead = reached - other[ALL].hit_at_5
    yield f"ahead of {BEST_BASELINE} over {ALL} by ≥ 0.10", f"{ahead:+.3f}", ahead >= 0.10
    ahead = own["all Latin"].hit_at_5 - other["all Latin"].hit_at_5
    yield f"ahead of {BEST_BASELINE} over the Latin classes", f"{ahead:+.3f}", ahead > 0
    gaps = {name: quality.hit_at_5 - other[name].hit_at_5 for name, quality in own.items() if name != NEGATIVE}
    name = min(gaps, key=lambda each: gaps[each])
    yield f"below {BEST_BASELINE} in no class", f"{gaps[name]:+.3f} ({name})", gaps[name] >= 0
    yield "a right node injected ≥ 0.70", f"{own[ALL].injected:.3f}", own[ALL].injected >= 0.70
    count = own[NEGATIVE].false_injections
    yield "false injections 0", str(count), count == 0
