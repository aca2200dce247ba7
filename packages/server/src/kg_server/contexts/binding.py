"""Which context an MCP call belongs to: what the harness tells, else what a hook told just before."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from kg_server.contexts.key import ContextKey
from kg_server.contexts.recent import Recent

if TYPE_CHECKING:
    from kg_plugin_api import Caller
    from kg_server.contexts.context import Context

_REMEMBERED = 4_096
_SHIM = "shim:"
_ANONYMOUS = "anonymous"


class Bindings:
    """Remembers which context used which tool call, and which context was last known behind a shim."""

    def __init__(self) -> None:
        self._by_tool_use: Recent[str, ContextKey] = Recent(_REMEMBERED)
        self._by_shim: Recent[tuple[str, str], ContextKey] = Recent(_REMEMBERED)

    def expect(self, tool_use: str, key: ContextKey) -> None:
        """A hook told that ``key`` is about to make the call ``tool_use``."""
        self._by_tool_use.set(tool_use, key)

    def resolve(self, harness: str, caller: Caller, shim: str) -> ContextKey | None:
        """The context that is known to make a call, or ``None``. ``shim`` names the process that forwards it."""
        if caller.session:
            key: ContextKey | None = ContextKey(harness, caller.session, caller.agent)
        else:
            key = self._by_tool_use.get(caller.tool_use) if caller.tool_use else None
        if key is not None and shim:
            self._by_shim.set((harness, shim), key)
        return key

    def fallback(self, harness: str, shim: str, last: Context | None = None, *, is_new: bool = False) -> ContextKey:
        """The context to assume for a call that nothing binds: the shim's last known one, else one per shim.

        After a restart it is the shim itself that knows the ``last`` one.

        Without a shim all such calls share one, but those that ask for a new one (``is_new``).
        """
        if not shim:
            return ContextKey(harness, _ANONYMOUS + (f":{secrets.token_hex(8)}" if is_new else ""))
        known = self._by_shim.get((harness, shim))
        if known is None and last is not None and last.key.harness == harness:
            known = last.key
        return known or ContextKey(harness, _SHIM + shim)
