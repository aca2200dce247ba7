"""What may be secret in an option is in nothing that is told of it."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Any

import pytest

from kg_plugin_api import KgError
from kg_search_pg.opening import embedder_of
from kg_search_pg.options import Options

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "hunter2"


def told(failure: BaseException) -> str:
    return "".join(traceback.format_exception(failure))


@pytest.mark.parametrize("name", ["url", "reranker_url"])
@pytest.mark.parametrize("url", ["http://me:hunter2@localhost/v1", "http://localhost/v1?key=hunter2"])
def test_an_address_with_more_than_an_address_is_refused_and_not_shown(name: str, url: str) -> None:
    with pytest.raises(KgError, match=f"{name}: .*key_file") as failure:
        Options.parse({name: url})

    assert SECRET not in told(failure.value)


@pytest.mark.parametrize("url", ["", "http://localhost:11434/v1", "http://[::1]/a@b/v1", "localhost"])
def test_an_address_alone_is_taken(url: str) -> None:
    assert Options.parse({"url": url}).url == url


@pytest.mark.parametrize("held", [b"hunter2\nand more", "hunter2\u4e2d".encode(), b"hunter2\xff"])
def test_a_file_that_holds_no_key_that_can_be_sent_is_named(tmp_path: Path, held: bytes) -> None:
    (tmp_path / "key").write_bytes(held)
    given: dict[str, Any] = {"embedder": "openai", "url": "http://127.0.0.1:1", "model": "m"}

    with pytest.raises(KgError, match="key does not hold a key alone") as failure:
        embedder_of(Options(**given, key_file=str(tmp_path / "key")))

    assert SECRET not in told(failure.value)


def test_a_key_in_the_place_of_its_file_is_not_shown() -> None:
    given: dict[str, Any] = {"embedder": "openai", "url": "http://127.0.0.1:1", "model": "m"}

    with pytest.raises(KgError, match="file of a key cannot be read") as failure:
        embedder_of(Options(**given, key_file="sk-hunter2"))

    assert SECRET not in failure.value.sentence


def test_an_address_in_the_place_of_an_options_name_is_not_shown() -> None:
    with pytest.raises(KgError, match=r"there is no such option; there are .*dsn") as failure:
        Options.parse({"postgresql://me:hunter2@localhost/x?sslmode": "require"})

    assert SECRET not in failure.value.sentence
