"""A service that embeds or reranks, and answers what it should not."""

from __future__ import annotations

import io

import pytest

from kg_search_pg.service import Service, ServiceFailed


@pytest.mark.parametrize("answer", [b"", b"<html>", b"\xff\xfe", b"[" * 100_000, b"9" * 5_000], ids=len)
def test_an_answer_that_is_no_json_is_told_as_one(monkeypatch: pytest.MonkeyPatch, answer: bytes) -> None:
    monkeypatch.setattr("urllib.request.urlopen", lambda *_, **__: io.BytesIO(answer))

    with pytest.raises(ServiceFailed, match="the endpoint answered with something that is no JSON"):
        Service("the endpoint", "http://127.0.0.1:1").post({}, 1.0)
