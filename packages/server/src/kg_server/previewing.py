"""What the start of a session would be given, for a person who wants to see it beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kg_plugin_api import Carrier, Code, Event, EventKind, KgError, Path
from kg_server.contexts import Context, ContextKey
from kg_server.contexts.context import first_ledger
from kg_server.delivery import compose, framed, stated_limit
from kg_server.events import SOURCES, prospects, starts_in
from kg_server.generic import GENERIC
from kg_server.interface import Preview
from kg_server.looking import levels_at
from kg_server.rulebook import Rulebook
from kg_server.turned_off import is_off, off_note

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_core.model import Millis
    from kg_plugin_api import Harness
    from kg_server.delivery import Outlook
    from kg_server.memory import Memory

_PREVIEW: Final = "preview"


def meant(harnesses: Mapping[str, Harness], name: str) -> Harness:
    """The harness of that name; without a name the one that is installed.

    Raises INVALID when none is named and not just one installed, and NOT_FOUND for a name that none has.
    """
    installed = [each for each in harnesses if each != GENERIC.name]
    found = harnesses.get(installed[0] if not name and len(installed) == 1 else name)
    if found is not None:
        return found
    if name:
        raise KgError(Code.NOT_FOUND, f"There is no harness {name!r}; kg knows {', '.join(harnesses)}.")
    if installed:
        raise KgError(Code.INVALID, f"Say with --harness which agent is meant: {', '.join(installed)}.")
    raise KgError(Code.INVALID, "No agent has a plug-in yet; `kg setup` says how to add one.")


async def previewed(memory: Memory, outlook: Outlook, harness: Harness, cwd: str, now: Millis) -> Preview:
    """The text of a session's start in ``cwd``, for a session that nobody has; changes nothing.

    Raises REFUSED where memory is off.
    """
    if await is_off(memory.store.settings.projects, cwd):
        raise KgError(Code.REFUSED, off_note(cwd))
    levels = await levels_at(memory, cwd)
    context = Context(
        id=_PREVIEW,
        key=ContextKey(harness.name, _PREVIEW),
        opened=now,
        used=now,
        cwd=cwd,
        project=levels.project.key if levels.project is not None else "",
        ledger=first_ledger(memory.store.sequence),
    )
    spec = next((spec for spec in harness.events if spec.kind is EventKind.SESSION_START), None)
    carrier = spec.carrier if spec is not None else Carrier.HOOK_CLIENT
    event = Event(kind=EventKind.SESSION_START, native=spec.native if spec is not None else "", session=_PREVIEW)
    await Rulebook(memory.store).look(context, patience=None)
    parts = starts_in(spec, memory.store.settings) if spec is not None else 1
    found = await prospects(outlook, harness, context, carrier, now)
    view = outlook.view(harness, context, now, prospects=found)
    composed = compose(SOURCES, event, view, carrier, parts)
    text = "\n".join(framed(each) for each in (composed.fitted.text, *(page.text for page in composed.more)))
    limit = stated_limit(harness, Path.PRELOAD, carrier)
    return Preview(text=text, measure=limit.measure(text), limit=parts * limit.maximum, unit=limit.unit)
