"""What is wrong with a plug-in, as data: shown by ``kg plugins`` and ``/health``, never fatal."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A plug-in that cannot be used, wholly or in part.

    ``name`` is the name of its entry point, ``distribution`` what was installed (``dist 1.2``, empty when unknown),
    ``reason`` one sentence that says what failed.
    """

    name: str
    distribution: str
    reason: str


@dataclass(frozen=True, slots=True, order=True)
class Loaded:
    """A plug-in that was loaded: the name of its entry point and what was installed."""

    name: str
    distribution: str
