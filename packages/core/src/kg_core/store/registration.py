"""What is written down of a project: the folders that share its memory, and their remotes."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import tomli_w

from kg_core.store.problems import ProblemKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_core.store.files import Files
    from kg_core.store.problems import Problems

FILE: Final = "project.toml"


@dataclass(slots=True)
class Registration:
    """What ``project.toml`` says; ``saved`` tells whether it is on disk, ``table`` keeps what we do not know."""

    slug: str
    roots: list[Path] = field(default_factory=list)
    remotes: list[str] = field(default_factory=list)
    table: dict[str, Any] = field(default_factory=dict)
    saved: bool = False

    @classmethod
    def read(cls, slug: str, path: Path, files: Files, problems: Problems) -> Self:
        """That of a project. Blocking. One that is missing has no folders, nor has one that cannot be read, which is
        reported.
        """
        try:
            table = tomllib.loads(files.read(path).decode("utf-8-sig", "surrogateescape"))  # as it is written
        except FileNotFoundError:
            return cls(slug)
        except (OSError, ValueError, RecursionError) as error:
            problems.report(ProblemKind.ODD, path, f"{path} cannot be read ({error}); its folders are not known.")
            return cls(slug, saved=True)
        roots = [Path(root) for root in _texts(table, "roots")]
        return cls(slug, roots, _texts(table, "remotes"), table, saved=True)

    def text(self) -> str:
        """The file."""
        return tomli_w.dumps(
            {**self.table, "roots": [str(root) for root in self.roots], "remotes": list(self.remotes)},
            multiline_strings=False,
        )


def _texts(table: Mapping[str, Any], name: str) -> list[str]:
    values = table.get(name, [])
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []
