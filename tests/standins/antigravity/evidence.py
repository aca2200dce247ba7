"""What is known of the client's behaviour, and how. The client cannot be installed from a registry, so nothing of this
was seen by us; each function of the stand-in names the facts that it plays.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Level(StrEnum):
    """How a fact came to be known, the surest first."""

    DOCUMENTED = "documented"
    """In the vendor's text."""
    OBSERVED = "observed"
    """Seen by others who ran the client, versions 1.2.11 to 1.2.16, and written down."""
    SECOND_HAND = "second hand"
    """Read off other adapters, versions 1.4 to 1.5."""
    ASSUMED = "assumed"
    """Nobody says; the stand-in does what is hardest for us."""


@dataclass(frozen=True)
class Fact:
    """One sentence about the client."""

    sentence: str
    level: Level


FACTS: Final = {
    "hooks-file": Fact("A plug-in's hooks stand in hooks.json at the top of its folder.", Level.OBSERVED),
    "bundles": Fact("It maps names to bundles: enabled, and lists of handlers by event.", Level.DOCUMENTED),
    "one-voids-all": Fact("One invalid entry drops every hook of the file; a log line says so.", Level.OBSERVED),
    "flat-lists": Fact("Only events of tools have a matcher around their handlers.", Level.DOCUMENTED),
    "timeouts": Fact("A timeout is a whole number of seconds; any other type voids the file.", Level.OBSERVED),
    "unknown-events": Fact("UserPromptSubmit and SessionEnd are dropped without a word.", Level.OBSERVED),
    "shell": Fact("A command runs by sh -c in the folder of its file, with the conversation's id.", Level.OBSERVED),
    "failures": Fact("A hook that fails or takes too long is logged, and the turn goes on.", Level.OBSERVED),
    "payloads": Fact("Payloads are camelCase and carry neither the prompt nor a working folder.", Level.DOCUMENTED),
    "start-once": Fact("SessionStart comes once in a conversation and not when it is resumed.", Level.OBSERVED),
    "every-call": Fact(
        "PreInvocation comes before every call of the model, counted from 0 by prompt.", Level.DOCUMENTED
    ),
    "after-tools": Fact("What PostToolUse says reaches nobody.", Level.DOCUMENTED),
    "strict-replies": Fact("An unknown key, a wrong type or plain text voids a whole reply.", Level.OBSERVED),
    "empty-refuses": Fact("An empty reply to PreToolUse refuses the tool.", Level.OBSERVED),
    "nothing-printed": Fact("A hook that prints nothing is logged like one that prints no message.", Level.ASSUMED),
    "placement": Fact("Messages come after the prompt, or later at the end of the last tool's result.", Level.OBSERVED),
    "persistence": Fact("Messages of the system stay in the conversation when it is resumed.", Level.OBSERVED),
    "message-limit": Fact("A message of 40,000 bytes arrives whole; a longer one is cut at 48,926.", Level.OBSERVED),
    "transcript": Fact("A row of each step is written before the hooks of the next one run.", Level.OBSERVED),
    "prompt-row": Fact("The prompt stands between tags in a row of type USER_INPUT.", Level.OBSERVED),
    "checkpoint": Fact("A compaction fires no hook and leaves a row of type CHECKPOINT.", Level.OBSERVED),
    "install": Fact("plugin install copies a folder to ~/.gemini/config/plugins and takes no address.", Level.OBSERVED),
    "server-name": Fact("A plug-in's MCP server is called by plug-in and server, with _ between.", Level.OBSERVED),
    "eager": Fact("An eager tool is a tool of the model named mcp_SERVER_TOOL.", Level.OBSERVED),
    "lazy-limit": Fact("A lazy tool's result of more than 4,096 characters is replaced by a path.", Level.OBSERVED),
    "eager-limit": Fact("An eager tool's result of about 10 KB arrives whole, one of 40 KB does not.", Level.OBSERVED),
    "call-meta": Fact("A call names its conversation in _meta.", Level.OBSERVED),
    "discover": Fact("MCP begins with server/discover of 2026-07-28.", Level.OBSERVED),
    "permissions": Fact("Without a permission in the user's settings a headless run refuses a tool.", Level.OBSERVED),
    "renamed": Fact("Later versions name a tool read_file and an argument Path.", Level.SECOND_HAND),
    "skills": Fact("A skill of a plug-in is its skills/NAME/SKILL.md, read up to 24,000 bytes.", Level.SECOND_HAND),
    "rule-size": Fact("A rule has at most 24,000 bytes.", Level.SECOND_HAND),
}


def plays(*facts: str) -> Callable[[T], T]:
    """Says which facts a function or class plays; one that is not in the list is an error."""
    for fact in facts:
        assert fact in FACTS, fact

    def mark(what: T) -> T:
        PLAYED.update(facts)
        return what

    return mark


PLAYED: Final[set[str]] = set()
"""The facts that some part of the stand-in plays."""
