"""A lesson that a person adds while another write is on its way to the same id."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from kg_server.service import Service

LONG = ["a note that takes a while to look through " * 100] * 10
"""So much is looked through for secrets in several turns of the loop."""


@pytest.mark.parametrize("notes", [[], ["a short note"]])
def test_of_two_lessons_of_one_id_added_at_once_one_is_kept_and_the_other_refused(server, notes: list[str]) -> None:
    async def both(service: Service) -> list[object]:
        slow = service.keeping.additions.add("/", "", {"id": "one", "gist": "The slow claim.", "notes": LONG})
        quick = service.keeping.additions.add("/", "", {"id": "one", "gist": "The quick claim.", "notes": notes})
        return list(await asyncio.gather(slow, quick, return_exceptions=True))

    done = server.do(both)

    refusals = [each for each in done if isinstance(each, KgError)]
    assert [refusal.code for refusal in refusals] == [Code.CONFLICT], done
    kept = "The quick claim." if done.index(refusals[0]) == 0 else "The slow claim."
    assert server.graph("user").nodes["one"].gist == kept
