"""Whose a schema is. Two memories in one would each delete what the other indexed, so the second is refused, also
where it is a copy of the first.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import psycopg

from kg_plugin_api import Code, KgError, SearchUnavailable

if TYPE_CHECKING:
    from psycopg import AsyncConnection

_ID: Final = re.compile(r"[0-9a-f]{32}")
_ON: Final = " on "
"""Between the folder and the machine of a place."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A memory: ``id`` tells it from all others, ``place`` says to a person where it was seen last."""

    id: str
    place: str
    file: Path
    """What has the id."""

    @classmethod
    def of(cls, home: Path) -> Owner:
        """That of a memory folder, which gets an id when it is asked for the first time and takes it along when it is
        moved. Blocking. Raises UNAVAILABLE or INVALID, naming the file.
        """
        file = _file(home)
        try:
            if not file.exists():
                _write(file)
            found = file.read_text(encoding="utf-8", errors="replace").strip()
        except OSError as error:
            raise KgError(
                Code.UNAVAILABLE, f"{file}, which tells this memory from others, cannot be kept ({error.strerror})."
            ) from error
        if not _ID.fullmatch(found):
            raise KgError(Code.INVALID, f"{file} does not tell this memory from others. Delete it.")
        return cls(found, f"{home}{_ON}{socket.gethostname()}", file)

    def is_at(self, place: str) -> bool:
        """Whether a memory of our id is at another place of this machine, so that one of the two is a copy: one that
        was moved has left its old place. Blocking.
        """
        folder, _, machine = place.rpartition(_ON)
        other = _file(Path(folder))
        try:
            return (
                machine == socket.gethostname()
                and not other.samefile(self.file)
                and other.read_text(encoding="utf-8", errors="replace").strip() == self.id
            )
        except OSError:
            return False


async def claim(connection: AsyncConnection[Any], schema: str, owner: Owner) -> bool:
    """Makes the schema, in which names are looked up, this memory's unless it is another's; whether it was before. The
    caller holds its lock.

    Raises CONFLICT.
    """
    await connection.execute("create table if not exists owner (id text primary key, place text not null)")
    found = await (await connection.execute("select id, place from owner")).fetchone()
    if found is None:
        await connection.execute("insert into owner values (%s, %s)", [owner.id, owner.place])
    elif found[0] != owner.id:
        raise KgError(
            Code.CONFLICT,
            f"The schema {schema} of this Postgres has the index of another memory, {found[1]}. Give this one a schema "
            "of its own (`schema` under [search.options] in config.toml, then `kg restart`), or, if no memory uses "
            f"that index any more, hand it over with `drop table {schema}.owner`.",
        )
    elif found[1] != owner.place:
        if await asyncio.to_thread(owner.is_at, found[1]):
            raise KgError(
                Code.CONFLICT,
                f"The schema {schema} of this Postgres has the index of {found[1]}, and this memory is a copy of that "
                "one, or that one of this. Give this one a schema of its own (`schema` under [search.options] in "
                "config.toml, then `kg restart`), or delete `state/search-owner` there, if it is not used any more.",
            )
        await connection.execute("update owner set place = %s", [owner.place])
    return found is not None


async def confirm(connection: AsyncConnection[Any], owner: Owner) -> None:
    """Makes sure that the schema is still this memory's, within a transaction until its end.

    Raises SearchUnavailable: somebody has handed it over meanwhile. Whoever opens it anew finds out whose it is now.
    """
    sentence = "The index was handed over to another memory, or to nobody, while it was in use"
    try:
        found = await connection.execute("select from owner where id = %s for share", [owner.id])
    except psycopg.errors.UndefinedTable as error:
        raise SearchUnavailable(sentence) from error
    if not found.rowcount:
        raise SearchUnavailable(sentence)


def _file(home: Path) -> Path:
    return home / "state" / "search-owner"


def _write(file: Path) -> None:
    """Writes an id unless somebody else does at the same time: the first one stays."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = file.with_name(f"{file.name}.{uuid.uuid4().hex}.tmp")
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as fresh:
            fresh.write(uuid.uuid4().hex.encode("ascii") + b"\n")
            fresh.flush()
            os.fsync(fresh.fileno())
        try:
            os.link(beside, file)
        except FileExistsError:
            return
        except OSError:  # a file system without links, on which the last one stays
            beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)
