"""What a running server lends to its plug-ins."""

from __future__ import annotations

from typing import Protocol


class Host(Protocol):
    """A running server, as far as plug-ins may use it. It is good until the process ends."""

    def without_secrets(self, text: str) -> str:
        """The text with each secret replaced by a placeholder, as everything is that is kept or shown.

        May be called in any thread; twice equals once.
        """
        ...

    def graph(self, folder: str) -> str:
        """The graph of the project that a folder belongs to; that of the user where it belongs to none.

        Called on the server's event loop.
        """
        ...
