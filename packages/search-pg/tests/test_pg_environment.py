"""What the environment says of somebody's own Postgres means nothing to the private one."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import psycopg
import pytest

from kg_search_pg.embedded import EmbeddedServer, Places
from kg_search_pg.embedded import server as embedded
from kg_search_pg.embedded.programs import Programs

if TYPE_CHECKING:
    from pathlib import Path

THEIRS = {
    "PGPORT": "6543",
    "PGHOSTADDR": "127.0.0.1",
    "PGOPTIONS": "-c default_transaction_read_only=on",
    "PGTARGETSESSIONATTRS": "standby",
    "PGREQUIREAUTH": "scram-sha-256",
    "PGREQUIREPEER": "alice",
    "PGGSSENCMODE": "require",
    "PGSSLMODE": "verify-full",
    "PGCHANNELBINDING": "require",
    "PGSERVICE": "theirs",
}


@pytest.mark.slow  # each starts a server of its own
@pytest.mark.parametrize("theirs", [THEIRS, {"PGSERVICE": "theirs"}, {"PGMINPROTOCOLVERSION": "3.0"}], ids=len)
def test_a_private_server_is_made_started_and_reached_whatever_the_environment_says_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, theirs: dict[str, str]
) -> None:
    service = "[theirs]\nhostaddr=127.0.0.1\nrequire_auth=md5\nport=6543\nuser=me\nsslmode=require\n"
    (tmp_path / "services").write_text(service, encoding="utf-8")
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    for name, value in theirs.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(embedded, "_START_SECONDS", 3.0)
    tmp_path.chmod(0o700)
    places = Places(tmp_path / "state" / "pg")
    server = EmbeddedServer(places, Programs.find())

    async def main() -> None:
        try:
            await server.start()
            assert places.socket.is_socket()
            assert places.socket_lock.exists()
        finally:
            await server.stop()

    asyncio.run(main())


@pytest.mark.parametrize("name", THEIRS.keys() - {"PGSERVICE"})
def test_the_dsn_of_a_private_server_takes_nothing_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, THEIRS[name])
    taken = psycopg.pq.Conninfo.parse(EmbeddedServer(Places(tmp_path), Programs.find()).dsn.encode())

    (option,) = (each for each in psycopg.pq.Conninfo.get_defaults() if each.envvar == name.encode())
    (found,) = (each for each in taken if each.keyword == option.keyword)
    assert found.val is not None
    assert found.val.decode() != THEIRS[name]
