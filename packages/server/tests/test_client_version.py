"""A command whose server is of another kg."""

from __future__ import annotations

import json

import pytest

from kg_plugin_api import Code, KgError
from kg_server.carrier.version import VERSION
from kg_server.client import Client


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("0.0.1", "The server is kg 0.0.1 and does not know what this one, kg {}, asks. Replace it with"),
        ("99.0.0", "The server is kg 99.0.0 and does not know what this one, kg {}, asks. Use the newer `kg`, or"),
        (VERSION, "The server is another kg and does not know what this one, kg {}, asks. Replace it with"),
    ],
)
def test_a_server_that_does_not_know_what_is_asked_is_said_to_be_another_and_how_it_is_replaced(
    served, version: str, said: str
) -> None:
    where = json.loads(served.home.server_file.read_text(encoding="utf-8"))
    served.home.server_file.write_text(json.dumps({**where, "version": version}), encoding="utf-8")
    with Client(served.home) as client:
        for asked in (lambda: client.post("/api/v1/of-a-later-kg", {}), lambda: client.get("/api/v1/stop")):
            with pytest.raises(KgError) as raised:
                asked()

            assert raised.value.code == Code.UNAVAILABLE
            assert raised.value.sentence.startswith(said.format(VERSION))
            assert raised.value.sentence.endswith("`kg restart`.")


def test_what_is_not_found_is_no_sign_of_another_version(served, monkeypatch: pytest.MonkeyPatch) -> None:
    async def nowhere(*_: object, **__: object) -> None:
        raise KgError(Code.NOT_FOUND, "There is no harness of that name.")

    monkeypatch.setattr(served.memory, "preview", nowhere)
    with Client(served.home) as client, pytest.raises(KgError, match="no harness") as raised:
        client.get("/api/v1/preview", {"harness": "nobody", "cwd": "/"})

    assert raised.value.code == Code.NOT_FOUND
