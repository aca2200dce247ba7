"""What ``kg setup`` asks, and who answers."""

from __future__ import annotations

import sys
from enum import Enum, auto

import click


def somebody_is_there() -> bool:
    """Whether what is asked reaches a person; there is nobody where standard input is closed, either."""
    return sys.stdin is not None and sys.stdin.isatty()


class Consent(Enum):
    """Who answers what set-up asks."""

    PERSON = auto()
    YES = auto()
    """``--yes``: everything offered is accepted."""
    NOBODY = auto()
    """No terminal: what the command is for is done, and nothing that is only offered."""

    @classmethod
    def of(cls, *, yes: bool) -> Consent:
        """Who is there to answer."""
        if yes:
            return cls.YES
        return cls.PERSON if somebody_is_there() else cls.NOBODY

    def goes_on(self) -> bool:
        """Whether the files named may be written."""
        return self is not Consent.PERSON or click.confirm("Go on?", default=True)

    def accepts(self, question: str) -> bool:
        """Whether something optional is wanted."""
        return self is Consent.YES or (self is Consent.PERSON and click.confirm(question, default=True))

    def trusts(self, title: str) -> bool:
        """Whether a person takes, here and now, a step of trust; never assumed."""
        return self is Consent.PERSON and click.confirm(f"  {title}?", default=False)
