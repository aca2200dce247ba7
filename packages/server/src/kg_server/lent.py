"""What plug-ins are lent of a running memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.model import USER
from kg_core.policy import scrub

if TYPE_CHECKING:
    from kg_core.store import Store


class Lent:
    """A memory, as far as plug-ins may use it (:class:`kg_plugin_api.Host`)."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def without_secrets(self, text: str) -> str:
        """The text with each secret replaced by a placeholder. Any thread may ask."""
        return scrub(text).text

    def graph(self, folder: str) -> str:
        """The graph of the project of a folder; that of the user where it belongs to none."""
        project = self._store.projects.resolve(folder)
        return USER if project is None else project.key
