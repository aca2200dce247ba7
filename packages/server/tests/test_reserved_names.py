from __future__ import annotations

from dataclasses import replace

import pytest

from kg_core.host.discovery import Unusable
from kg_core.host.offered import offered
from kg_plugin_api import Harness, SearchBackendFactory
from kg_server.generic import GENERIC
from kg_server.searching import BUILTIN
from kg_server.setup.connection import SEARCH, SERVICE_NAME, SHARED


@pytest.mark.parametrize("name", [GENERIC.name, SEARCH, SERVICE_NAME, f"{SHARED}app"])
def test_no_plug_in_can_take_the_place_of_a_harness_or_a_record_of_kg_itself(name: str) -> None:
    assert offered([replace(GENERIC, name="mine")], "kg_harnesses", Harness)
    with pytest.raises(Unusable, match="as kg calls something of its own"):
        offered([replace(GENERIC, name=name)], "kg_harnesses", Harness)


def test_no_plug_in_can_take_the_place_of_the_built_in_index() -> None:
    async def opened(_: object) -> None:
        raise NotImplementedError

    with pytest.raises(Unusable, match="as kg calls something of its own"):
        offered([SearchBackendFactory(name=BUILTIN, open=opened)], "kg_search_backends", SearchBackendFactory)  # type: ignore[arg-type]
