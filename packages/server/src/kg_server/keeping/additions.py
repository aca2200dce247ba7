"""A lesson that a person adds."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kg_core.exchange.naming import id_of_text
from kg_core.policy.pointers import is_pattern, pattern, plain
from kg_plugin_api import Code, KgError
from kg_server.keeping.byhand import carried_out
from kg_server.looking import chosen_level, levels_at
from kg_server.tools.levels import lookup
from kg_server.turned_off import is_off, off_note

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kg_core.model import Millis
    from kg_server.memory import Memory
    from kg_server.tools.levels import Levels

_BY: Final = "add"
_COMMANDS: Final = {"kg_rename_node": "`kg rename`"}
"""What a person has for a tool that a remark names."""


class Additions:
    """Adds lessons to the memory of a folder as the tool does: within its limits, and without secrets."""

    def __init__(self, memory: Memory, clock: Callable[[], Millis]) -> None:
        self._memory = memory
        self._clock = clock

    async def add(self, cwd: str, level: str, lesson: Mapping[str, Any]) -> dict[str, object]:
        """Adds one lesson: ``gist``, and ``id``, ``notes``, ``touches`` and ``tags`` if there are any.

        Without a level it goes to the project of the folder, to the user's memory where there is none. Without an id
        it gets one from the first words of its gist. Files are those of the folder. They are kept by their place in
        the project, and by their whole path where they or the lesson are of none. ``text`` says what was done, ``id``
        and ``level`` where the lesson is.

        Raises CONFLICT when there is a lesson of that id, and INVALID or TOO_LARGE for what no lesson can be, or for a
        project's folder that is not there.
        """
        # A server imports the tools once it answers, and no start waits for them.
        from kg_server.tools.arguments import parse
        from kg_server.tools.put_node import PutNode

        seen = await levels_at(self._memory, cwd)
        meant = chosen_level(seen, level) or ("user" if seen.project is None else "project")
        if meant == "project" and not await asyncio.to_thread(os.path.isdir, cwd):
            how = "Name one of the project with --cwd, or use --level user."
            raise KgError(Code.INVALID, f"There is no folder {cwd}, so no session would see the lesson. {how}")
        named = lesson.get("id") or id_of_text(str(lesson.get("gist", "")))
        asked = parse("kg add", PutNode, {**lesson, "id": named, "level": meant})
        asked = asked.model_copy(update={"touches": tuple(self._placed(cwd, meant, touch) for touch in asked.touches)})

        def allow(at_hand: Levels) -> None:
            if (taken := lookup(at_hand.graph(meant), asked.id)) is not None:
                how = f"See it with `kg show {taken.id}`, and change it in its file; or name another id with --id."
                raise KgError(Code.CONFLICT, f"There is a lesson {taken.id!r} already ({meant}). {how}")

        text, _ = await carried_out(self._memory, seen, "kg_put_node", asked, by=_BY, now=self._clock(), allow=allow)
        for tool, command in _COMMANDS.items():
            text = text.replace(tool, command)
        if meant == "project" and await is_off(self._memory.store.settings.projects, cwd):
            text += f"\n{off_note(cwd)}"
        return {"text": text, "id": asked.id, "level": meant}

    def _placed(self, cwd: str, level: str, touch: str) -> str:
        """A file as it is found again: by its place in the project of the folder, else by its whole path."""
        store = self._memory.store
        if not cwd or "://" in touch:
            return touch
        project = store.projects.resolve(cwd) if level == "project" else None
        place = store.maps.relative(project, touch, cwd) if project is not None else ""
        place = place or _whole(touch, cwd, str(store.projects.places.home))
        return f"{place}/" if touch.endswith("/") and not place.endswith("/") else place


def _whole(touch: str, cwd: str, home: str) -> str:
    """The path of a file of no project, or of a lesson of none; a pattern that holds in any folder as it is."""
    said = plain(touch, home)
    if touch.startswith("~") or (is_pattern(said) and pattern(said).is_for_any_folder):
        return touch
    path = os.path.normpath(Path(cwd, touch))
    return f"~{path.removeprefix(home)}" if path.startswith(f"{home}/") else path
