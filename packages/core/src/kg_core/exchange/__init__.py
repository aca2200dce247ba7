"""Memory in and out of other forms: imports, backups, exports, a team's exchange copy. Decisions are pure.

Nothing is offered here: a server needs few of the modules, and what it need not import makes its start shorter.
"""

__all__: list[str] = []
