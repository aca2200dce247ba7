"""Numbers of things in sentences."""

from __future__ import annotations

import pytest

from kg_server.counting import counted


@pytest.mark.parametrize(("count", "said"), [(0, "0 lessons"), (1, "1 lesson"), (2, "2 lessons")])
def test_one_thing_is_not_told_in_the_plural(count: int, said: str) -> None:
    assert counted(count, "lesson") == said
