from __future__ import annotations

from dataclasses import replace

import pytest

from kg_core.host.discovery import Unusable
from kg_core.host.offered import offered
from kg_plugin_api import Argument, Operation, SearchBackend, SearchBackendFactory


async def run(_: object) -> dict[str, object]:
    return {}


async def opened(_: object) -> SearchBackend:
    raise NotImplementedError


FACTORY = SearchBackendFactory(name="mine", open=opened)
OPERATION = Operation(name="docs", help="Shows.", arguments=(Argument(name="graph", help="Of which."),), run=run)


def test_what_fits_is_given_on_as_it_is() -> None:
    assert offered(iter([FACTORY]), "kg_search_backends", SearchBackendFactory) == (FACTORY,)
    assert offered([OPERATION], "kg_operations", Operation) == (OPERATION,)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (replace(OPERATION, help=None), "help is a NoneType instead of str"),
        (replace(OPERATION, arguments=("graph",)), r"arguments\[0\] is a str instead of Argument"),
        (replace(OPERATION, arguments=(Argument(name="a b", help=""),)), "whose name is none: 'a b'"),
        (replace(OPERATION, arguments=(Argument(name="json", help=""),)), "the argument json beside one of that name"),
        (replace(OPERATION, arguments=OPERATION.arguments * 2), "the argument graph beside one of that name"),
    ],
)
def test_an_operation_that_no_command_can_be_made_of_is_refused_with_what_is_wrong(wrong: Operation, said: str) -> None:
    with pytest.raises(Unusable, match=said):
        offered([wrong], "kg_operations", Operation)


def test_an_operation_below_another_is_refused_as_one_of_them_could_not_be_called() -> None:
    with pytest.raises(Unusable, match="offers docs and, below it, docs add"):
        offered([OPERATION, replace(OPERATION, name="docs add")], "kg_operations", Operation)


def test_the_name_of_the_built_in_index_is_refused() -> None:
    with pytest.raises(Unusable, match="offers builtin, as kg calls something of its own"):
        offered([replace(FACTORY, name="builtin")], "kg_search_backends", SearchBackendFactory)
