"""Where things are kept: one folder, ``KG_HOME``."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg_core.model import MAINTAIN, PROJECT_PREFIX, USER, GraphKey
from kg_core.model.ids import is_legal
from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from collections.abc import Mapping

HOME_VARIABLE: Final = "KG_HOME"
KNOWN_VARIABLES: Final = frozenset({HOME_VARIABLE})
_LIKENESS: Final = 0.75
"""From here on a name is a known one with a letter or two amiss, and no variable of another program."""
IGNORED: Final = "journal/\n*.use.json\n*.corrupt-*\n*.tmp\n"
"""What a repository made of the memory folder leaves out."""


def is_slug(name: str) -> bool:
    """Whether a folder of this name can be a project's: what else lies beside these folders is none of ours."""
    return is_legal(name) and not name.startswith(".")


@dataclass(frozen=True, slots=True)
class Home:
    """The folders and files of one memory. Pure names: nothing is created or read here.

    ``unknown`` holds the names of environment variables that look like ours and mean nothing: probably misspelt.
    """

    root: Path
    unknown: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def from_environ(cls, environ: Mapping[str, str], cwd: Path) -> Home:
        """``KG_HOME``, relative to ``cwd``; else ``.kg`` in the user's home folder. The carriers know the same rule.

        Raises INVALID when that is below the home folder of somebody whom this machine does not know.
        """
        chosen = environ.get(HOME_VARIABLE, "").strip()
        try:
            root = Path(chosen).expanduser() if chosen else Path(environ.get("HOME") or Path.home()) / ".kg"
        except RuntimeError as error:
            whose = f"The user of {chosen}" if chosen else "This user"
            sentence = f"{whose} cannot be found on this machine. Set {HOME_VARIABLE} to the memory's folder."
            raise KgError(Code.INVALID, sentence) from error
        unknown = tuple(sorted(name for name in environ if name.startswith("KG_") and name not in KNOWN_VARIABLES))
        return cls(cwd / root, unknown)

    @property
    def misspelt(self) -> tuple[tuple[str, str], ...]:
        """The unknown variables that all but bear a known name, each with that name."""
        near = ((name, difflib.get_close_matches(name, KNOWN_VARIABLES, 1, _LIKENESS)) for name in self.unknown)
        return tuple((name, found[0]) for name, found in near if found)

    @property
    def config(self) -> Path:
        """Settings that a person edits."""
        return self.root / "config.toml"

    @property
    def memory(self) -> Path:
        """The memory itself: the folder to copy or commit."""
        return self.root / "memory"

    @property
    def journal(self) -> Path:
        """The tail that is not yet in the files."""
        return self.memory / "journal"

    @property
    def projects(self) -> Path:
        """One folder per project, named by its slug."""
        return self.memory / "projects"

    @property
    def state(self) -> Path:
        """What concerns this machine only."""
        return self.root / "state"

    @property
    def bases(self) -> Path:
        """Copies of the last snapshots: what edits from outside are compared with, and backups of damaged files."""
        return self.state / "bases"

    @property
    def lock(self) -> Path:
        """The file that the one server holds locked."""
        return self.state / "lock"

    @property
    def reserved(self) -> Path:
        """Slugs promised to folders whose memory is still empty."""
        return self.state / "projects.json"

    @property
    def footprints(self) -> Path:
        """By what checkouts are known again that were moved."""
        return self.state / "footprints.json"

    @property
    def server_file(self) -> Path:
        """Port, token and version of the running server."""
        return self.state / "server.json"

    @property
    def maps(self) -> Path:
        """The last right version of each map, for when its files are broken."""
        return self.state / "maps"

    @property
    def imports(self) -> Path:
        """What each source of an import has offered, so that a second one changes nothing."""
        return self.state / "imports"

    @property
    def answers(self) -> Path:
        """What the carriers say without asking the server, a file per harness."""
        return self.state / "mcp"

    @property
    def log(self) -> Path:
        """The server's log."""
        return self.state / "server.log"

    @property
    def recall_log(self) -> Path:
        """What was brought to mind lately or was not, and why."""
        return self.state / "recall.jsonl"

    def project(self, slug: str) -> Path:
        """The folder of a project. Raises INVALID on what cannot be a slug."""
        if not is_slug(slug):
            raise KgError(Code.INVALID, f"{slug!r} is no name of a project.", {"slug": slug})
        return self.projects / slug

    def graph(self, key: GraphKey) -> Path:
        """The content file of a graph. Raises INVALID on an unknown key."""
        if key in {USER, MAINTAIN}:
            return self.memory / f"{key}.json"
        if key.startswith(PROJECT_PREFIX):
            return self.project(key.removeprefix(PROJECT_PREFIX)) / "graph.json"
        raise KgError(Code.INVALID, f"{key!r} names no graph: use 'user', 'maintain' or 'project:<slug>'.")

    def aged(self, key: GraphKey) -> Path:
        """The file of what has aged in a graph: it lies below ``archive`` as the graph's own does below ``memory``."""
        return self.memory / "archive" / self.graph(key).relative_to(self.memory)

    def use(self, key: GraphKey) -> Path:
        """The file of a graph's use."""
        return self.graph(key).with_suffix(".use.json")

    def base(self, key: GraphKey) -> Path:
        """The folder of a graph's kept snapshots."""
        return self.bases / key.replace(":", "-")
