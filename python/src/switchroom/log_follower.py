from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import cast
from urllib.parse import quote

import httpx

from .address import Address
from .back_off import BackOff
from .errors import GatewayRefusal, GatewayUnreachable, SwitchroomError, refusal_in
from .shapes import Entry, Environment, EventPage

_LONGEST_PAUSE_S = 5.0
# The gateway pings every 30 s: this is two missed pings and a moment.
_SILENT_S = 75.0


async def follow_call(
    call: str,
    *,
    after: int = 0,
    url: str | None = None,
    key: str | None = None,
    env: Environment | None = None,
    on_lost: Callable[[Exception, bool], None] | None = None,
) -> AsyncIterator[Entry]:
    """The entries of a call as they are written, each once, up to `call.ended`.

    After a lost connection it resumes after the last `seq`. It raises a GatewayRefusal that another try would not
    change. `on_lost` gets the reason and whether there was a connection before; what it raises ends the following.
    """
    address = Address(url, key, env)
    path = f"/v1/calls/{quote(call, safe='')}/events"
    back_off = BackOff(_LONGEST_PAUSE_S)
    seen, has_connected = after, False
    while True:
        try:
            async for entry in _events(address, path, seen):
                has_connected = True
                if entry is None or entry["seq"] <= seen:
                    continue
                back_off.reset()
                seen = entry["seq"]
                yield entry
                if entry["type"] == "call.ended":
                    return
            page = cast(EventPage, await address.ask("GET", path, query={"after": str(seen), "limit": "1"}))
            if page["ended"] and not page["entries"]:
                return
            lost: Exception = SwitchroomError("NETWORK_ERROR", "the gateway closed the stream")
        except (GatewayRefusal, GatewayUnreachable, httpx.TransportError) as error:
            if isinstance(error, GatewayRefusal) and not error.is_temporary:
                raise
            lost = error
        if on_lost is not None:
            on_lost(lost, has_connected)
        await asyncio.sleep(back_off.next_s())


async def _events(address: Address, path: str, after: int) -> AsyncIterator[Entry | None]:
    """Entries that the log keeps; None first, once the gateway has accepted."""
    headers = {**address.headers, "accept": "text/event-stream"}
    if after > 0:
        headers["last-event-id"] = str(after)
    timeout = httpx.Timeout(_SILENT_S)
    async with (
        httpx.AsyncClient(timeout=timeout) as client,
        client.stream("GET", address.url + path, headers=headers) as response,
    ):
        if response.status_code != 200:
            raise refusal_in(response.status_code, await response.aread())
        yield None
        id, data = "", ""
        async for line in response.aiter_lines():
            if line.startswith("id: "):
                id = line[4:]
            elif line.startswith("data: "):
                data = line[6:]
            elif line == "":
                if id and data:
                    yield cast(Entry, json.loads(data))
                id, data = "", ""
