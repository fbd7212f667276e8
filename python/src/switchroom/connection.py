from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from .back_off import BackOff
from .errors import GatewayRefusal, logger, message_of, refusal_in

_OPEN_WITHIN_S = 10.0
_CLOSE_WITHIN_S = 2.0
# A gateway that is silent for a minute is gone: a ping after 20 s, and 40 s for its answer.
_PING_EVERY_S = 20.0
_PONG_WITHIN_S = 40.0
_GOOD_AFTER_S = 5.0
_LONGEST_FRAME_BYTES = 100 * 1024 * 1024


class Connection:
    """A WebSocket that reconnects with backoff until it is closed. Made inside a running event loop."""

    def __init__(
        self,
        *,
        url: Callable[[], str],
        headers: dict[str, str],
        on_open: Callable[[], None],
        on_frame: Callable[[dict[str, Any]], None],
        on_lost: Callable[[str], None],
        on_refused: Callable[[GatewayRefusal], bool],
        on_closed: Callable[[], bool] = lambda: True,
    ) -> None:
        """`url` is asked before each attempt; `on_refused` and `on_closed` return whether to try again."""
        self._url = url
        self._headers = headers
        self._on_open = on_open
        self._on_frame = on_frame
        self._on_lost = on_lost
        self._on_refused = on_refused
        self._on_closed = on_closed
        self._back_off = BackOff()
        self._outgoing: asyncio.Queue[str | None] | None = None
        self._is_closing = asyncio.Event()
        self._running = asyncio.get_running_loop().create_task(self._run())

    @property
    def is_open(self) -> bool:
        return self._outgoing is not None

    def send(self, text: str) -> bool:
        """Whether the text is on its way."""
        if self._outgoing is None:
            return False
        self._outgoing.put_nowait(text)
        return True

    async def close(self) -> None:
        """Closes for good. Returns when what was sent is out, and the other side has closed too or is gone."""
        self._is_closing.set()
        if self._outgoing is not None:
            self._outgoing.put_nowait(None)
        await asyncio.shield(self._running)

    async def _run(self) -> None:
        while not self._is_closing.is_set():
            why, is_worth_more = await self._hold_once()
            if not is_worth_more:
                self._is_closing.set()
            if self._is_closing.is_set():
                return
            self._call(self._on_lost, why)
            try:
                await asyncio.wait_for(self._is_closing.wait(), self._back_off.next_s())
            except asyncio.TimeoutError:
                pass

    async def _hold_once(self) -> tuple[str, bool]:
        """One attempt, until the socket is closed: why it ended, and whether another makes sense."""
        opening = asyncio.ensure_future(self._open())
        closing = asyncio.ensure_future(self._is_closing.wait())
        await asyncio.wait({opening, closing}, return_when=asyncio.FIRST_COMPLETED)
        closing.cancel()
        if not opening.done():
            opening.cancel()
            await asyncio.wait({opening})
            if opening.cancelled() or opening.exception() is not None:
                return "closed", False
        try:
            socket = opening.result()
        except InvalidStatus as error:
            response = error.response
            refusal = refusal_in(response.status_code, response.body or b"")
            return refusal.detail, self._on_refused(refusal)
        except Exception as error:  # a host name that is none, a broken proxy, no network: all are tried again
            return message_of(error), True
        return await self._serve(socket)

    async def _open(self) -> ClientConnection:
        return await connect(
            self._url(),
            additional_headers=self._headers,
            compression=None,
            open_timeout=_OPEN_WITHIN_S,
            close_timeout=_CLOSE_WITHIN_S,
            ping_interval=_PING_EVERY_S,
            ping_timeout=_PONG_WITHIN_S,
            max_size=_LONGEST_FRAME_BYTES,
            user_agent_header="switchroom-python",
        )

    async def _serve(self, socket: ClientConnection) -> tuple[str, bool]:
        loop = asyncio.get_running_loop()
        opened_at = loop.time()
        self._outgoing = asyncio.Queue()
        writing = loop.create_task(_write(socket, self._outgoing))
        self._call(self._on_open)
        if self._is_closing.is_set():
            self._outgoing.put_nowait(None)
        why = "closed"
        try:
            while True:
                self._read(await socket.recv())
        except ConnectionClosed as error:
            why = error.rcvd.reason or f"closed with {error.rcvd.code}" if error.rcvd else message_of(error)
        finally:
            self._outgoing = None
            writing.cancel()
            await asyncio.wait({writing})
            await socket.close()
        if loop.time() - opened_at > _GOOD_AFTER_S:
            self._back_off.reset()
        return why, self._on_closed()

    def _read(self, data: str | bytes) -> None:
        try:
            frame = json.loads(data)
            if not isinstance(frame, dict):
                raise ValueError("it is no object")
            self._on_frame(frame)
        except Exception as error:  # a frame that this version cannot read is no reason to end the process
            logger.warning("could not read a frame of the gateway: %s", message_of(error))

    def _call(self, hook: Callable[..., None], *args: object) -> None:
        try:
            hook(*args)
        except Exception:  # the connection must outlive it
            logger.exception("a connection could not report its state")


async def _write(socket: ClientConnection, outgoing: asyncio.Queue[str | None]) -> None:
    """One after the other, in their order; None closes the socket."""
    try:
        while (text := await outgoing.get()) is not None:
            await socket.send(text)
        await socket.close()
    except ConnectionClosed:
        pass  # the reader knows it too
