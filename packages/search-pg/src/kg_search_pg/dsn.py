"""What is wrong with a DSN, said without showing any of it.

libpq quotes what it cannot read, and takes what follows the first ``@`` or ``/`` of an address for the host or the
database: either way a piece of a password would be told to whoever reads a log or a report.
"""

from __future__ import annotations

import re
from typing import Final

import psycopg

from kg_plugin_api import Code, KgError

_SCHEMES: Final = ("postgresql://", "postgres://")
_USER: Final = re.compile(r"[^@/]*[@/]?")
"""Where libpq sees the user and the password of an address, up to the sign that ends them."""
_PORTS: Final = re.compile(r"[0-9, ]*")


def check(dsn: str) -> None:
    """Raises INVALID for one that libpq cannot read, or would read otherwise than it is meant."""
    try:
        given = psycopg.conninfo.conninfo_to_dict(dsn)
    except (psycopg.Error, ValueError):
        raise _invalid("it is neither pairs of `key=value` nor an address that begins with `postgresql://`") from None
    if not _PORTS.fullmatch(str(given.get("port", ""))):
        raise _invalid("its port is no number")
    scheme = next((each for each in _SCHEMES if dsn.startswith(each)), "")
    if scheme and "@" in _USER.sub("", dsn.removeprefix(scheme), count=1).partition("?")[0]:
        raise _invalid("there is an `@` behind the one that ends user and password, or behind a `/`")


def _invalid(what: str) -> KgError:
    return KgError(
        Code.INVALID,
        f"config.toml, [search.options], dsn: {what}. A value with a space stands in single quotes; in an address `@`, "
        "`/`, `%` and a space are written %40, %2F, %25 and %20. A password belongs in `~/.pgpass`, and as one may be "
        "in it, it is not shown here.",
    )
