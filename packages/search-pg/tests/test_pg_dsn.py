"""A DSN that is not as it is meant: what is told of it holds no piece of a password."""

from __future__ import annotations

import asyncio
import traceback

import pytest

from kg_plugin_api import Code, KgError
from kg_search_pg.dsn import check
from kg_search_pg.opening import prepared
from kg_search_pg.options import Options


@pytest.mark.parametrize(
    "dsn",
    [
        "host=127.0.0.1 password=a hunter2 b",
        "host=127.0.0.1 password=a hunter2=b",
        "postgresql://me:p%zzhunter2@127.0.0.1/kg",
        "postgresql://me:p@hunter2@127.0.0.1/kg",
        "postgresql://me:p@hunter2?@127.0.0.1/kg",
        "postgresql://me:1/hunter2@127.0.0.1/kg",
        "postgres://me:a/hunter2@127.0.0.1/kg",
        "postgresql+psycopg://me:hunter2@127.0.0.1/kg",
        "me:hunter2@127.0.0.1/kg",
        "postgresql://127.0.0.1:hunter2/kg",
        "postgresql://me:hunter2\udc80@127.0.0.1/kg",
    ],
)
def test_a_dsn_that_cannot_be_meant_so_is_told_without_a_piece_of_its_password(dsn: str) -> None:
    with pytest.raises(KgError, match="dsn") as failure:
        asyncio.run(prepared(dsn, Options(dsn=dsn)))

    assert failure.value.code is Code.INVALID
    assert "hunter2" not in "".join(traceback.format_exception(failure.value))


@pytest.mark.parametrize(
    "dsn",
    [
        "",
        "host=@abstract dbname='of me@work'",
        "host=a,b port=5432,5433 options='-c geqo=off'",
        "postgresql:///kg?host=/run/postgresql&user=me@work",
        "postgresql://me%40work:p%40%2F%25@[::1]:5432,b:5433/kg",
        "postgres://me:p?#:1@localhost/of%40me",
    ],
)
def test_whatever_libpq_reads_as_it_is_meant_is_taken(dsn: str) -> None:
    check(dsn)
