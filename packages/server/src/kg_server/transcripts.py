"""What a client writes down and does not tell: prompts and compactions that stand in its transcript alone."""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg_plugin_api import EventKind, TranscriptView
from kg_server.contexts import ContextKey

if TYPE_CHECKING:
    from kg_core.host import Plugins
    from kg_plugin_api import Event, Harness, TranscriptReader
    from kg_server.contexts import Context, Registry

PATIENCE: Final = 0.1
"""Seconds that an event waits for a slow disk."""
_MOST: Final = 4 * 1024 * 1024
"""Bytes of what was added that are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a transcript says at an event: what is new in it, and where its whole lines end."""

    size: int
    view: TranscriptView


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """An event with what its transcript adds. ``compacted`` says that the model's text was lost before it."""

    event: Event
    compacted: bool = False
    look: Look | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcripts:
    """Completes the events of harnesses that read transcripts. A file that cannot be read adds nothing."""

    registry: Registry
    plugins: Plugins

    async def complete(self, harness: Harness, event: Event) -> Completed:
        """The event with the prompt that no event has brought yet, if it is one that brings prompts.

        A conversation that is new to us has no earlier text to lose.
        """
        reader = harness.transcripts
        if reader is None or not event.transcript:
            return Completed(event=event)
        key = ContextKey(harness.name, event.session, event.agent)
        known = self.registry.find(key)
        seen = known.read if known is not None else 0
        look = await self._look(harness, reader, event.transcript, seen)
        if look is None:
            return Completed(event=event)
        now = self.registry.find(key)  # another event of the session may have looked meanwhile, and as far
        compacted = look.view.compacted and now is not None and (now.read == seen or now.read < look.size)
        is_new = now is None or look.view.prompt_key != now.prompt
        if event.kind is EventKind.PROMPT and not event.prompt and look.view.prompt_key and is_new:
            event = replace(event, prompt=look.view.prompt)
        return Completed(event=event, compacted=compacted, look=look)

    def note(self, completed: Completed, context: Context) -> None:
        """The event has entered its context: what it was completed by is not news to it any more."""
        look = completed.look
        if look is None:
            return
        is_prompt = completed.event.kind is EventKind.PROMPT and bool(look.view.prompt_key)
        prompt = look.view.prompt_key if is_prompt else context.prompt
        is_turn = completed.compacted or prompt != context.prompt
        self.registry.read(context.id, look.size, prompt, is_turn=is_turn)

    async def _look(self, harness: Harness, reader: TranscriptReader, path: str, seen: int) -> Look | None:
        read = asyncio.create_task(asyncio.to_thread(_read, Path(path), reader.tail_bytes, seen))
        done, _ = await asyncio.wait({read}, timeout=PATIENCE)
        if not done:
            read.add_done_callback(lambda task: task.cancelled() or task.exception())
            return None
        found = read.result()
        if found is None:
            return None
        tail, fresh, size = found
        view = self.plugins.ask(
            harness, "reading of transcripts", lambda: reader.view(tail, fresh), TranscriptView, TranscriptView()
        )
        return Look(size=size, view=view)


def _read(path: Path, tail_bytes: int, seen: int) -> tuple[bytes, bytes, int] | None:
    """The end of a file, the whole lines in it that come after the first ``seen`` bytes, and where they end.

    ``None`` for what is no regular file or cannot be read. Of a file that became shorter, everything is new; of one
    that is seen for the first time (``seen`` is 0), nothing is.
    """
    with contextlib.suppress(OSError, ValueError):
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                return None
            size = found.st_size
            start = size if not seen else seen if seen <= size else 0
            begin = max(0, min(size - tail_bytes, max(start, size - _MOST)))
            file.seek(begin)
            content = file.read(size - begin)
        end = begin + content.rfind(b"\n") + 1
        whole = content[: end - begin]
        return whole[-tail_bytes:], whole[max(0, start - begin) :], end if seen > size or not seen else max(end, seen)
    return None
