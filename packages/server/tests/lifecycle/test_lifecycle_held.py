from __future__ import annotations

from time import monotonic, sleep
from typing import TYPE_CHECKING

from kg_core.host import Plugins
from kg_plugin_api import Event, EventKind
from kg_server.lifecycle.held import watched

if TYPE_CHECKING:
    import pytest


def test_a_plug_in_that_does_not_come_back_is_named_in_the_log_while_everybody_waits_for_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def hangs(_: Event) -> None:
        end = monotonic() + 10
        while not caplog.messages and monotonic() < end:
            sleep(0.001)

    plugins = Plugins.of(event_observers=[hangs])
    with watched(plugins, long=0.0, look=0.001):
        plugins.seen(Event(kind=EventKind.PROMPT, native="Prompt", session="s"))

    (said,) = caplog.messages
    assert "The plug-in observer 0 does not come back from its observer of events" in said
