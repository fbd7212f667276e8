from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import Any, cast
from urllib.parse import urlencode

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from .errors import SpeechError
from .speech_refusals import broke_off, closed_early, speech_refusal_in, unreachable
from .speech_shapes import StreamFrame

_OPEN_WITHIN_S = 10.0


async def open_stream(url: str, authorization: str, asked: Mapping[str, str]) -> TranscriptionStream:
    """The key is in a header: an address gets into logs."""
    base = f"ws{url.removeprefix('http')}" if url.startswith("http") else url
    address = f"{base}/v1/audio/transcriptions/stream?{urlencode(asked)}"
    try:
        socket = await connect(
            address,
            additional_headers={"authorization": authorization},
            compression=None,
            open_timeout=_OPEN_WITHIN_S,
        )
    except InvalidStatus as error:
        raise speech_refusal_in(error.response.status_code, error.response.body or b"") from None
    except Exception as error:
        raise unreachable(url) from error
    stream = TranscriptionStream(socket)
    try:
        await stream.opened()
    except BaseException:
        await stream.close()
        raise
    return stream


class TranscriptionStream:
    """Live audio to text: `send` audio, read what is heard with `async for`."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._frames: deque[StreamFrame] = deque()
        self._ready: dict[str, Any] | None = None
        self._done: StreamFrame | None = None
        self._failure: SpeechError | None = None
        self._is_closed = False
        self._is_leaving = False
        self._stirred = asyncio.Condition()
        self._reading = asyncio.get_running_loop().create_task(self._read())

    async def __aenter__(self) -> TranscriptionStream:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def ready(self) -> dict[str, Any]:
        """What the voice server said when it was ready: request_id, model, sample_rate, encoding, diarize."""
        return self._ready or {}

    async def send(self, audio: bytes) -> None:
        """Returns when more may be sent: audio can be read faster than it is transcribed."""
        await self._tell(audio)

    async def finalize(self) -> None:
        """Finalizes the transcript so far."""
        await self._tell('{"type":"finalize"}')

    async def stop(self) -> StreamFrame:
        """No more audio: returns `done` when all of it was heard. What was heard is still there to be read."""
        await self._tell('{"type":"stop"}')
        async with self._stirred:
            await self._stirred.wait_for(lambda: self._is_closed)
        if self._done is not None:
            return self._done
        raise self._failure or closed_early()

    async def close(self) -> None:
        """Closes at once and drops what was not transcribed yet."""
        self._is_leaving = True
        await self._socket.close()
        await asyncio.wait({self._reading})

    async def opened(self) -> None:
        """For `open_stream`."""
        async with self._stirred:
            await self._stirred.wait_for(lambda: self._ready is not None or self._is_closed)
        if self._ready is None:
            raise self._failure or closed_early()

    async def __aiter__(self) -> AsyncIterator[StreamFrame]:
        while True:
            async with self._stirred:
                await self._stirred.wait_for(lambda: self._frames or self._is_closed)
            if self._frames:
                yield self._frames.popleft()
            elif self._failure is not None:
                raise self._failure
            else:
                return

    async def _tell(self, data: str | bytes) -> None:
        if self._failure is not None:
            raise self._failure
        try:
            await self._socket.send(data)
        except ConnectionClosed:
            await asyncio.wait({self._reading})
            raise self._failure or closed_early() from None

    async def _read(self) -> None:
        code = 0
        try:
            while True:
                self._take(json.loads(await self._socket.recv()))
                await self._stir()
        except ConnectionClosed as error:
            code = error.rcvd.code if error.rcvd else 0
        except Exception:  # an unreadable frame ends the stream, not the process
            self._failure = self._failure or broke_off()
        if self._done is None and not self._is_leaving and self._failure is None:
            self._failure = closed_early() if code == 1000 else broke_off()
        self._is_closed = True
        await self._stir()
        await self._socket.close()

    def _take(self, frame: dict[str, Any]) -> None:
        if frame["type"] == "error":
            self._failure = self._failure or SpeechError(frame["code"], 0, frame["error"])
        elif frame["type"] == "ready":
            self._ready = frame
        else:
            if frame["type"] == "done":
                self._done = cast(StreamFrame, frame)
            self._frames.append(cast(StreamFrame, frame))

    async def _stir(self) -> None:
        async with self._stirred:
            self._stirred.notify_all()
