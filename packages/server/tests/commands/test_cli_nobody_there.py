"""Commands whose standard input is closed, as where a service starts them: there is nobody to ask."""

from __future__ import annotations

import pytest

from kg_server.cli.consent import Consent


@pytest.fixture(autouse=True)
def closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)


def test_what_is_only_offered_is_not_done() -> None:
    assert Consent.of(yes=False) is Consent.NOBODY
    assert Consent.of(yes=True) is Consent.YES


def test_nothing_is_taken_out_unasked(kg) -> None:
    code, out, err = kg("uninstall")

    assert (code, out) == (2, "")
    assert "There is nobody to ask: add --yes" in err
