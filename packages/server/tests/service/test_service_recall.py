"""What prompts bring to mind in a session that knows some of it already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Live = Callable[[Callable[[Any], Any]], None]

OLD = "The gateway answers ssh on port 22 behind the walrus bastion."
SHORT = "Remote shells go to 49222 now."
NEW = SHORT + " " + "Nothing else of theirs has moved. " * 20


async def fill(writer: Any) -> None:
    """So many others that a preload leaves out what was written before."""
    for number in range(40):
        await writer.put(
            f"filler-note-{number}", f"Filler {number}. {'It says a lot about nothing in particular. ' * 20}"
        )


def test_a_correction_that_the_old_words_brought_up_is_not_repeated(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2", harness="narrow")
        await writer.put("walrus-ssh-old", OLD)
        await writer.put("shell-port-new", NEW.strip())
        await writer.call("kg_put_edge", level="project", from_="shell-port-new", to="walrus-ssh-old", rel="supersedes")
        await fill(writer)
        assert SHORT not in await reader.start()
        assert SHORT in await reader.prompt("ssh behind the walrus bastion of the gateway")
        assert SHORT not in await reader.prompt("again: ssh behind the walrus bastion of the gateway")

    live(scenario)
