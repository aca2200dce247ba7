"""The one table from kinds of failure to what each way of asking answers."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kg_plugin_api import Code

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_plugin_api import KgError


@dataclass(frozen=True, slots=True)
class Answer:
    """How a failure is told: HTTP status, exit code of the command, and whether a tool result is an error."""

    status: int
    exit_code: int
    is_error: bool = True


ANSWERS: Final[Mapping[Code, Answer]] = MappingProxyType(
    {
        Code.INVALID: Answer(400, 2),
        Code.NOT_FOUND: Answer(404, 1),
        Code.AMBIGUOUS: Answer(409, 2),
        Code.CONFLICT: Answer(409, 1),
        Code.REFUSED: Answer(422, 1),
        Code.FORBIDDEN: Answer(403, 1),
        Code.TOO_LARGE: Answer(413, 2),
        Code.READ_ONLY: Answer(507, 1),
        Code.UNAVAILABLE: Answer(503, 3),
        Code.INTERNAL: Answer(500, 1),
    }
)


def told(failure: KgError) -> dict[str, object]:
    """A failure as JSON: its code, its sentence, and its data."""
    return {"error": {"code": str(failure.code), "sentence": failure.sentence, "data": dict(failure.data)}}
