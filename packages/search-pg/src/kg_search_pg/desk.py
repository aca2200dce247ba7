"""What the operations of the plug-in work on: the backend that the server of this process opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from kg_plugin_api import Host
    from kg_search_pg.backend import PgBackend
    from kg_search_pg.documents import Documents
    from kg_search_pg.options import Options


@dataclass(slots=True)
class Desk:
    """What the server lends, the options of the last opening, and the backend once it came to one."""

    host: Host | None = None
    """What the server of this process lends."""
    options: Options | None = None
    backend: PgBackend | None = None
    problem: str = ""
    """Why the last opening came to none."""

    def chosen(self) -> Options:
        """The options. Raises CONFLICT when the settings do not choose this backend, UNAVAILABLE when one is wrong."""
        if self.options is None and self.problem:
            raise KgError(Code.UNAVAILABLE, self.problem)
        if self.options is None:
            raise KgError(Code.CONFLICT, "The settings do not choose this backend. `kg setup --search pg` does it.")
        return self.options

    def opened(self) -> PgBackend:
        """The backend. Raises UNAVAILABLE while there is none."""
        self.chosen()
        if self.backend is None or self.backend.is_closed:
            silent = "Postgres does not answer now. `kg doctor` and `kg pg doctor` say why."
            raise KgError(Code.UNAVAILABLE, self.problem or silent)
        return self.backend

    def documents(self) -> Documents:
        """The documents of the backend. Raises UNAVAILABLE while there are none."""
        documents = self.opened().documents
        if documents is None:
            raise KgError(Code.UNAVAILABLE, "No server lends what keeps secrets out of documents.")
        return documents
