"""What ``.kgignore`` files keep out: patterns as git has them, each file for its folder and all below."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from pathspec import GitIgnoreSpec

from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from pathlib import Path

NAME: Final = ".kgignore"


class Ignoring:
    """The rules below one folder. A file is kept out when any ``.kgignore`` above it says so: a deeper one can add to
    what is kept out and takes nothing back.
    """

    def __init__(self, top: Path) -> None:
        self._top = top
        self._known: dict[PurePosixPath, GitIgnoreSpec | None] = {}

    def keeps_out(self, name: str) -> bool:
        """Whether a path below the top is not to be indexed. Raises UNAVAILABLE when a rule cannot be read."""
        path = PurePosixPath(name)
        for folder in path.parents:
            rules = self._rules(folder)
            if rules is not None and rules.match_file(str(path.relative_to(folder))):
                return True
        return False

    def _rules(self, folder: PurePosixPath) -> GitIgnoreSpec | None:
        if folder not in self._known:
            file = self._top / folder / NAME
            try:
                if file.is_fifo():
                    raise OSError("it is a pipe, which may never end")
                text = file.read_text(encoding="utf-8-sig")
                self._known[folder] = GitIgnoreSpec.from_lines(text.splitlines())
            except (FileNotFoundError, NotADirectoryError):
                self._known[folder] = None
            except (OSError, ValueError) as error:
                raise KgError(
                    Code.UNAVAILABLE, f"{file} cannot be read ({error}), so nothing below it is indexed anew."
                ) from error
        return self._known[folder]
