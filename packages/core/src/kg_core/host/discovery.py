"""Finds installed plug-ins and imports each of them in its own guard."""

from __future__ import annotations

import contextlib
import importlib.metadata
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kg_core.host.problem import Loaded, Problem
from kg_plugin_api import PROJECT

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator
    from importlib.metadata import Distribution, EntryPoint

API_DISTRIBUTION: Final = "kg-plugin-api"
"""The distribution whose version is the version of the plug-in API."""

_PLAIN: Final = re.compile(r"\d+(\.\d+)*")
_USUAL: Final = re.compile(r"kg-plugin-api<(?P<below>\d+),>=(?P<least>\d+(\.\d+)*)")
"""The range that every plug-in is told to declare, as wheels spell it. Others are left to ``packaging``, whose import
takes as long as a tenth of the server's start."""


class Unusable(Exception):
    """Why a plug-in is not loaded; the text is the reason of its problem."""


@dataclass(frozen=True, slots=True)
class Found:
    """An imported plug-in: the object its entry point names, and how it is called."""

    loaded: Loaded
    plugin: object


def installed() -> tuple[EntryPoint, ...]:
    """The entry points of every installed plug-in."""
    return tuple(importlib.metadata.entry_points(group=PROJECT))


def discover(points: Iterable[EntryPoint], disabled: Container[str]) -> Iterator[Found | Problem]:
    """Imports the plug-ins that are not disabled, by name. Two of one name are both refused."""
    by_name: dict[str, list[EntryPoint]] = {}
    for point in points:
        if point.name not in disabled:
            by_name.setdefault(point.name, []).append(point)
    for name, same in sorted(by_name.items()):
        if len(same) > 1:
            yield _clash(name, same)
        else:
            yield _imported(same[0])


def label(distribution: Distribution | None) -> str:
    """``name version`` of a distribution, or nothing."""
    return "" if distribution is None else f"{distribution.name} {distribution.version}"


def reason(failure: BaseException) -> str:
    """One line that names the kind of failure and what it says."""
    said = " ".join(str(failure).split())
    return f"{type(failure).__name__}: {said}" if said else type(failure).__name__


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Sends what a plug-in prints to standard error: standard output belongs to the command."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


def _clash(name: str, same: list[EntryPoint]) -> Problem:
    owners = sorted(label(point.dist) or point.value for point in same)
    return Problem(
        name=name,
        distribution=", ".join(owners),
        reason=f"Several plug-ins are named {name}: {' and '.join(owners)}. None of them is used; remove one.",
    )


def _imported(point: EntryPoint) -> Found | Problem:
    distribution = label(point.dist)
    try:
        _check_api(point.dist)
        with quiet():
            plugin = point.load()
    except Unusable as why:
        return Problem(point.name, distribution, str(why))
    except (Exception, SystemExit) as failure:  # noqa: BLE001 - plug-in border: whatever importing foreign code raises
        return Problem(point.name, distribution, f"It cannot be imported. {reason(failure)}")
    return Found(Loaded(point.name, distribution), plugin)


def _check_api(distribution: Distribution | None) -> None:
    """Refuses a plug-in whose declared range of the plug-in API is not met by the one installed."""
    declared = [] if distribution is None else distribution.requires or []
    available = importlib.metadata.version(API_DISTRIBUTION)
    for line in declared:
        if line.lower().replace("_", "-").startswith(API_DISTRIBUTION) and not _is_met(line, available):
            raise Unusable(
                f"It is made for {line}, but {available} is installed. Upgrade the plug-in or kg, whichever is older."
            )


def _is_met(requirement: str, available: str) -> bool:
    """Whether ``available`` is in the range; one that cannot be read forbids nothing."""
    usual = _USUAL.fullmatch(requirement)
    if usual is not None and _PLAIN.fullmatch(available):
        return _numbers(usual["least"]) <= _numbers(available) < _numbers(usual["below"])
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        parsed = Requirement(requirement)
    except InvalidRequirement:
        return True
    is_other = parsed.name.lower().replace("_", "-") != API_DISTRIBUTION
    return is_other or parsed.specifier.contains(available, prereleases=True)


def _numbers(version: str) -> tuple[int, ...]:
    """A plain version for comparison; 1.0 and 1.0.0 are the same."""
    numbers = [int(number) for number in version.split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
