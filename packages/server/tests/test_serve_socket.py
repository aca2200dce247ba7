"""The listening socket."""

from __future__ import annotations

import asyncio
import socket

from kg_server.serve import bound


def test_a_reply_is_not_held_back_for_an_acknowledgement() -> None:
    async def main() -> int:
        seen: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def met(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            accepted = writer.get_extra_info("socket")
            seen.set_result(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listening = bound(0)
        async with await asyncio.start_server(met, sock=listening):
            _, client = await asyncio.open_connection(*listening.getsockname())
            found = await asyncio.wait_for(seen, 5)
            client.close()
            await client.wait_closed()
        return found

    assert asyncio.run(main()) != 0


def test_a_port_that_is_taken_gives_way_to_a_free_one() -> None:
    with bound(0) as first, bound(first.getsockname()[1]) as second:
        assert first.getsockname()[1] != second.getsockname()[1]
