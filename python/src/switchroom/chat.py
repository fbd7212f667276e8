from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, overload
from urllib.parse import urlencode

from .address import Address
from .connection import Connection
from .encoding import encoded, json_text
from .errors import GatewayRefusal, SwitchroomError
from .events import CHAT_EVENTS
from .handlers import Handler, Handlers, HandlerT, Tasks
from .shapes import ChatMessage, Environment, Kept


class Chat:
    """A written conversation with an agent, from the contact's side."""

    def __init__(
        self,
        agent: str,
        *,
        contact: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        url: str | None = None,
        key: str | None = None,
        env: Environment | None = None,
    ) -> None:
        address = Address(url, key, env)
        self._agent = agent
        self._contact = contact
        self._metadata = None if metadata is None else json_text(metadata)
        self._handlers = Handlers("a chat", CHAT_EVENTS)
        self._tasks = Tasks()
        loop = asyncio.get_running_loop()
        self._started: asyncio.Future[str] = loop.create_future()
        self._started.add_done_callback(_retrieve)
        self._ended: asyncio.Future[None] = loop.create_future()
        self._unheard: dict[str, tuple[str, asyncio.Future[Kept]]] = {}
        """The frame and who waits, by id, in the order in which they were said."""
        self._call: str | None = None
        self._seq = 0
        self._connection = Connection(
            url=lambda: address.socket(f"/v1/chat?{self._query()}"),
            headers=address.headers,
            on_open=self._opened,
            on_frame=self._take,
            on_lost=lambda reason: void(self._handlers.run("disconnected", (reason,))),
            on_refused=self._refused,
            on_closed=lambda: not self._is_over,
        )

    async def __aenter__(self) -> Chat:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.end()

    @overload
    def on(self, event: str) -> Callable[[HandlerT], HandlerT]: ...
    @overload
    def on(self, event: str, handler: HandlerT) -> HandlerT: ...
    def on(self, event: str, handler: Handler | None = None) -> Any:
        """Adds a handler of `message`, `ended` (with the reason), `connected`, `disconnected` or `error`."""
        if handler is None:
            return lambda decorated: self.on(event, decorated)
        self._handlers.add(event, handler)
        return handler

    async def started(self) -> str:
        """The call's id, once the gateway has opened it; raises the gateway's reason if it refuses."""
        return await asyncio.shield(self._started)

    async def ended(self) -> None:
        """Returns when the conversation is over."""
        await asyncio.wait({self._ended})

    async def send(self, text: str) -> Kept:
        """Returns when the gateway has stored the message; it is sent again after a reconnect until then."""
        if self._is_over:
            raise _over()
        id = str(uuid.uuid4())
        frame = encoded({"type": "message", "text": text, "id": id})
        kept: asyncio.Future[Kept] = asyncio.get_running_loop().create_future()
        kept.add_done_callback(_retrieve)
        self._unheard[id] = (frame, kept)
        if self._call is not None:
            self._connection.send(frame)
        return await asyncio.shield(kept)

    async def end(self) -> None:
        """Ends the conversation."""
        self._connection.send(encoded({"type": "end"}))
        await self._connection.close()
        self._finish()

    @property
    def _is_over(self) -> bool:
        return self._ended.done()

    def _query(self) -> str:
        query = {"agent": self._agent}
        if self._contact is not None:
            query["contact"] = self._contact
        if self._call is None and self._metadata is not None:
            query["metadata"] = self._metadata
        if self._call is not None:
            query |= {"call": self._call, "after": str(self._seq)}
        return urlencode(query)

    def _opened(self) -> None:
        self._handlers.run("connected", ())
        if self._call is not None:
            self._send_unheard()

    def _send_unheard(self) -> None:
        for frame, _ in self._unheard.values():
            self._connection.send(frame)

    def _take(self, frame: dict[str, Any]) -> None:
        type = frame["type"]
        if type == "error":
            self._refuse_oldest(str(frame["detail"]))
            return
        seq = int(frame["seq"])
        if type == "started":
            self._begin(str(frame["call"]))
        if type == "heard":
            self._heard(str(frame["id"]), Kept(str(frame["messageId"]), seq))
        is_new = seq > self._seq
        self._seq = max(self._seq, seq)
        if type == "message" and is_new:
            message = ChatMessage(str(frame["messageId"]), seq, str(frame["text"]))
            self._handlers.run("message", (message,))
        if type == "ended" and not self._is_over:
            self._finish()
            self._handlers.run("ended", (frame["reason"],))
            self._tasks.start(self._connection.close())

    def _begin(self, call: str) -> None:
        if self._call is None:
            self._call = call
            self._started.set_result(call)
            self._send_unheard()

    def _heard(self, id: str, message: Kept) -> None:
        _, kept = self._unheard.pop(id, (None, None))
        if kept is not None and not kept.done():
            kept.set_result(message)

    def _refuse_oldest(self, detail: str) -> None:
        """Frames are handled in order, so a refusal is about the oldest unacknowledged one."""
        error = SwitchroomError("BAD_FRAME", detail)
        for id, (_, kept) in self._unheard.items():
            del self._unheard[id]
            kept.set_exception(error)
            return
        self._handlers.tell(error)

    def _refused(self, refusal: GatewayRefusal) -> bool:
        """A gateway that starts or is busy is tried again; any other refusal is final."""
        if refusal.status >= 500:
            return True
        if not self._started.done():
            self._started.set_exception(refusal)
        if self._call is not None:
            self._handlers.tell(refusal)
        self._finish()
        return False

    def _finish(self) -> None:
        if self._is_over:
            return
        self._ended.set_result(None)
        if not self._started.done():
            self._started.set_exception(_over())
        for _, kept in self._unheard.values():
            kept.set_exception(_over())
        self._unheard.clear()


def open_chat(
    agent: str,
    *,
    contact: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    url: str | None = None,
    key: str | None = None,
    env: Environment | None = None,
) -> Chat:
    """Opens a conversation with an agent; `contact` is the contact's number, such as +34911234567.

    The agent has `metadata` as `call.metadata`, at most 4096 bytes of JSON; `{{name}}` in its greeting and prompt
    reads it.
    """
    return Chat(agent, contact=contact, metadata=metadata, url=url, key=key, env=env)


def void(_: object) -> None:
    """For a callback whose result nobody reads."""


def _retrieve(future: asyncio.Future[Any]) -> None:
    """A failure that is not awaited is no error of the loop."""
    if not future.cancelled():
        future.exception()


def _over() -> SwitchroomError:
    return SwitchroomError("ENDED", "the conversation has ended: open another with open_chat")
