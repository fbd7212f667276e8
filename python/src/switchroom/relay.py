from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from typing import Any

from .agent import Agent
from .encoding import json_text

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]

_PING_EVERY_S = 15.0
_MOST_UNREAD = 1000
_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


class Relay:
    """An ASGI application that streams the events of this process's calls as server-sent events."""

    def __init__(self, agents: Iterable[Agent]) -> None:
        self._readers: set[asyncio.Queue[str | None]] = set()
        self._stops = [agent.witness(functools.partial(self._tell, agent.name)) for agent in agents]

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise NotImplementedError(f"a relay serves http, not {scope['type']}")
        queue: asyncio.Queue[str | None] = asyncio.Queue(_MOST_UNREAD)
        self._readers.add(queue)
        leaving = asyncio.ensure_future(_left(receive))
        writing = asyncio.ensure_future(_write(queue, send))
        try:
            await asyncio.wait({leaving, writing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._readers.discard(queue)
            for each in (leaving, writing):
                each.cancel()
            await asyncio.wait({leaving, writing})

    def close(self) -> None:
        """Ends every stream."""
        for stop in self._stops:
            stop()
        for queue in self._readers:
            _put(queue, None)

    def _tell(self, agent: str, event: str, call: str, payload: Mapping[str, Any]) -> None:
        text = json_text({**payload, "agent": agent, "call": call})
        for queue in self._readers:
            _put(queue, f"event: {event}\ndata: {text}\n\n")


def _put(queue: asyncio.Queue[str | None], text: str | None) -> None:
    """A reader that does not read is let go."""
    if queue.full():
        while not queue.empty():
            queue.get_nowait()
        text = None
    queue.put_nowait(text)


async def _write(queue: asyncio.Queue[str | None], send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
    text: str | None = ":ready\n\n"
    while text is not None:
        await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
        try:
            text = await asyncio.wait_for(queue.get(), _PING_EVERY_S)
        except asyncio.TimeoutError:
            text = ":ping\n\n"
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def relay(agents: Iterable[Agent]) -> Relay:
    """Streams what happens in the calls of these agents, live and without a replay: `follow_call` has both."""
    return Relay(agents)
