"""The seams are under control for all tests in this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .seams import controlled

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _controlled() -> Iterator[None]:
    with controlled():
        yield
