"""The settings editor: puts what plug-ins claim into other programs' files, and takes it out again.

It knows nothing of the memory. An :class:`Editor` has one record, the file that remembers what is ours::

    editor = Editor(record, backups)
    plan = editor.plan(claims)      # reads only; plan.diff() shows every file before and after
    outcome = editor.apply(plan)    # writes; outcome.ok, outcome.failed, outcome.refusals
    editor.status(claims)           # how each claim stands on disk
    editor.apply(editor.plan_removal())

What it promises:

- Only exact spans go in and out. Everything else in a file stays byte for byte: comments, order, indentation, line
  ends, a byte order mark. Put in and taken out again, a file that nobody else wrote is the same as before; one that
  others wrote meanwhile is what they wrote without ours.
- A file that cannot be parsed, or where somebody else has set a claimed key, is not touched: a :class:`Refusal` says
  why and what to paste by hand.
- What was there before stays the user's, even when it equals a claim. ``replace=True`` keeps the old text of a value
  and puts it back, unless somebody changed the value meanwhile.
- Symlinks stay, their target is replaced in one step, with its mode and owner. Each run keeps the originals.
- Interrupted at any point, every file is old or new, and the record never claims less than what is on disk.
- Applying twice changes nothing.
"""

from __future__ import annotations

from kg_core.claims.editor import ATTEMPTS, Editor
from kg_core.claims.files import Changed, Files, Found, OsFiles
from kg_core.claims.report import ClaimStatus, Failure, FileChange, Note, Outcome, Plan, Refusal
from kg_core.claims.sheet import ClaimState

__all__ = [
    "ATTEMPTS",
    "Changed",
    "ClaimState",
    "ClaimStatus",
    "Editor",
    "Failure",
    "FileChange",
    "Files",
    "Found",
    "Note",
    "OsFiles",
    "Outcome",
    "Plan",
    "Refusal",
]
