from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kg_server.searching.calls import sayable


def test_what_a_backend_says_of_itself_is_given_on() -> None:
    assert sayable({"items": 3, "lag": 0}) == {"items": 3, "lag": 0}


@pytest.mark.parametrize("said", [{"at": Path("here")}, {"items": float("nan")}, ["well"], None])
def test_what_is_no_json_is_refused_as_health_could_not_be_told_at_all(said: Any) -> None:
    with pytest.raises(TypeError, match="its health is"):
        sayable(said)
