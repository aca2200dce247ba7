"""Where agents and their settings lie on this machine."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kg_core.store import Settings
from kg_plugin_api import KgError, Site
from kg_server.setup.launch import launch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_core.store import Home
    from kg_plugin_api import Harness

_OFTEN = (".local/bin", ".bun/bin", ".npm-global/bin", "bin")


@dataclass(frozen=True, slots=True)
class Machine:
    """A person's machine: their home folder, their environment, and the memory that agents are connected to."""

    memory: Home
    person: Path
    environ: Mapping[str, str]

    @classmethod
    def this(cls, memory: Home) -> Machine:
        """The machine that we run on."""
        return cls(memory, Path.home(), dict(os.environ))

    @property
    def settings(self) -> Settings:
        """The settings of the memory; the defaults where they are wrong, which is told where they are needed."""
        try:
            return Settings.load(self.memory)
        except KgError:
            return Settings()

    def site(self, harness: Harness) -> Site:
        """The places of one harness."""
        return Site(
            home=self.memory.root,
            config=self.config(harness),
            own=self.memory.root / "harnesses" / harness.name,
            launch=launch(self.memory, harness, whole=self.settings.preload.whole),
            binary=self.binary(harness),
            environ=self.environ,
        )

    def config(self, harness: Harness) -> Path:
        """The client's own configuration folder."""
        known = harness.recognition
        moved = self.environ.get(known.config_variable, "") if known.config_variable else ""
        return Path(os.path.expanduser(moved)).absolute() if moved else self.person / known.config_default  # noqa: PTH111 - leaves a user whom nobody knows as written

    def binary(self, harness: Harness) -> Path | None:
        """The client's program, on the search path or in a folder where such programs are often put."""
        folders = [str(self.person / folder) for folder in _OFTEN]
        path = os.pathsep.join([self.environ.get("PATH", os.defpath), *folders, "/usr/local/bin", "/opt/homebrew/bin"])
        return self.program(harness.recognition.binaries, path)

    @staticmethod
    def program(names: tuple[str, ...], path: str) -> Path | None:
        """The first of the programs that is found on a search path."""
        found = next((place for name in names if (place := shutil.which(name, path=path))), None)
        return None if found is None else Path(found).absolute()

    def has(self, harness: Harness) -> bool:
        """Whether the client is here: its program, or a configuration folder that it has made."""
        folder = self.config(harness)
        configured = bool(harness.recognition.config_default) and os.path.isdir(folder)  # noqa: PTH112 - also where nobody may look
        return configured or self.binary(harness) is not None
