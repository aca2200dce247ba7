"""Values as a command line gives them: whatever is named must have a name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import click

_EMPTY: Final = "it is empty. Leave it out, or say what is meant."


class _Name(click.types.StringParamType):
    """A text that is not blank: an unset variable of a script would else mean everything, or another memory."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The text. A blank one is a wrong command line."""
        text = super().convert(value, param, ctx)
        if not text.strip():
            self.fail(_EMPTY, param, ctx)
        return text


class _FilePath(click.Path):
    """A path that is not empty: that would mean the folder one stands in."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path. An empty one is a wrong command line."""
        if not os.fspath(value):
            self.fail(_EMPTY, param, ctx)
        return super().convert(value, param, ctx)


NAME: Final = _Name()
FILE_PATH: Final = _FilePath(path_type=Path)
