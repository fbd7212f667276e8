from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Literal, cast, overload
from urllib.parse import urlencode

import httpx

from .address import setting
from .encoding import json_text
from .errors import SpeechError
from .speech_refusals import broke_off, missing_key, speech_refusal_in, unreachable
from .speech_shapes import SpeechEvent, Transcript, Voice
from .speech_stream import TranscriptionStream, open_stream

_TIMEOUT = httpx.Timeout(60.0, read=300.0)

SpeechFormat = Literal["pcm", "wav", "mp3"]


class SpeechClient:
    """Speech with no agent and no call: text to audio, audio to text. Close it, or use `async with`."""

    def __init__(
        self, *, url: str | None = None, ws_url: str | None = None, key: str | None = None
    ) -> None:
        """`url` is SVC_VOICE_URL, else the address that `npm start` serves; `key` is SVC_KEY by default.

        Live transcriptions are opened at `ws_url`: by default at `url` if it is given, else at SVC_WS_URL, else at
        the voice server's address.
        """
        self._url = (url or setting("SVC_VOICE_URL") or "http://127.0.0.1:8081").rstrip("/")
        self._ws_url = (ws_url or url or setting("SVC_WS_URL") or self._url).rstrip("/")
        self._key = key if key is not None else setting("SVC_KEY")
        self._client = httpx.AsyncClient(timeout=_TIMEOUT)

    async def __aenter__(self) -> SpeechClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._client.aclose()

    async def speech(
        self,
        input: str,
        voice: str,
        *,
        model: str | None = None,
        language: str | None = None,
        response_format: SpeechFormat | None = None,
        sample_rate: Literal[16000, 24000] | None = None,
        speed: float | None = None,
    ) -> AsyncIterator[bytes]:
        """Audio piece by piece, as it is made: `async for piece in speech.speech(...)`."""
        asked = _asked(input, voice, model, language, response_format, sample_rate, speed)
        async with self._stream("POST", "/v1/audio/speech", "audio/*", asked) as response:
            async for piece in _pieces(response):
                yield piece

    async def speech_bytes(self, input: str, voice: str, **options: Any) -> bytes:
        """The same audio, whole; it takes the options of `speech`."""
        return b"".join([piece async for piece in self.speech(input, voice, **options)])

    async def speech_events(
        self,
        input: str,
        voice: str,
        *,
        model: str | None = None,
        language: str | None = None,
        response_format: SpeechFormat | None = None,
        sample_rate: Literal[16000, 24000] | None = None,
        speed: float | None = None,
    ) -> AsyncIterator[SpeechEvent]:
        """Audio with the times of its words: `start`, then `audio` and `word`, then `done`."""
        asked = _asked(input, voice, model, language, response_format, sample_rate, speed)
        asked["timestamps"] = True
        async with self._stream("POST", "/v1/audio/speech", "text/event-stream", asked) as response:
            async for data in _data_of(response):
                if data == "[DONE]":
                    return
                event = json.loads(data)
                if event["type"] == "error":
                    raise SpeechError(event["code"], response.status_code, event["error"])
                if event["type"] == "audio":
                    event["data"] = base64.b64decode(event["data"])
                yield cast(SpeechEvent, event)
        raise broke_off()

    async def voices(self, *, provider: str | None = None, language: str | None = None) -> list[Voice]:
        query = urlencode(_stated(provider=provider, language=language))
        answer = await self._ask("GET", f"/v1/audio/voices?{query}")
        return cast("list[Voice]", answer.json()["voices"])

    @overload
    async def transcribe(
        self,
        file: bytes,
        *,
        model: str | None = None,
        language: str | None = None,
        diarize: bool | None = None,
        response_format: Literal["json", "verbose_json"] | None = None,
    ) -> Transcript: ...
    @overload
    async def transcribe(
        self,
        file: bytes,
        *,
        model: str | None = None,
        language: str | None = None,
        diarize: bool | None = None,
        response_format: Literal["text"],
    ) -> str: ...
    async def transcribe(
        self,
        file: bytes,
        *,
        model: str | None = None,
        language: str | None = None,
        diarize: bool | None = None,
        response_format: Literal["json", "verbose_json", "text"] | None = None,
    ) -> Transcript | str:
        """`file` is the recording as it is in its file; `verbose_json` adds `model`, `words` and `segments`."""
        fields = _stated(model=model, language=language, diarize=diarize, response_format=response_format)
        accept = "text/plain" if response_format == "text" else "application/json"
        answer = await self._ask(
            "POST", "/v1/audio/transcriptions", accept, data=fields, files={"file": ("audio", file)}
        )
        return answer.text if response_format == "text" else cast(Transcript, answer.json())

    async def stream(
        self,
        *,
        model: str | None = None,
        language: str | None = None,
        sample_rate: Literal[8000, 16000, 24000, 48000] | None = None,
        encoding: Literal["linear16", "mulaw"] | None = None,
        diarize: bool | None = None,
    ) -> TranscriptionStream:
        """Returns when the voice server is ready for audio."""
        asked = _stated(
            model=model, language=language, sample_rate=sample_rate, encoding=encoding, diarize=diarize
        )
        return await open_stream(self._ws_url, self._authorization(), asked)

    def _authorization(self) -> str:
        if not self._key:
            raise missing_key()
        return f"Bearer {self._key}"

    async def _ask(
        self, method: str, path: str, accept: str = "application/json", **more: Any
    ) -> httpx.Response:
        headers = {"authorization": self._authorization(), "accept": accept}
        try:
            response = await self._client.request(method, self._url + path, headers=headers, **more)
        except httpx.TransportError as error:
            raise unreachable(self._url) from error
        if not response.is_success:
            raise speech_refusal_in(response.status_code, response.content)
        return response

    @asynccontextmanager
    async def _stream(
        self, method: str, path: str, accept: str, body: dict[str, Any]
    ) -> AsyncIterator[httpx.Response]:
        """A reader that stops early closes the connection, and the voice server stops."""
        headers = {"authorization": self._authorization(), "accept": accept, "content-type": "application/json"}
        request = self._client.build_request(
            method, self._url + path, headers=headers, content=json_text(body).encode()
        )
        try:
            response = await self._client.send(request, stream=True)
        except httpx.TransportError as error:
            raise unreachable(self._url) from error
        try:
            if not response.is_success:
                raise speech_refusal_in(response.status_code, await response.aread())
            yield response
        finally:
            await response.aclose()


def _asked(
    input: str,
    voice: str,
    model: str | None,
    language: str | None,
    response_format: str | None,
    sample_rate: int | None,
    speed: float | None,
) -> dict[str, Any]:
    asked = {
        "input": input,
        "voice": voice,
        "model": model,
        "language": language,
        "response_format": response_format,
        "sample_rate": sample_rate,
        "speed": speed,
    }
    return {name: value for name, value in asked.items() if value is not None}


def _stated(**options: str | int | bool | None) -> dict[str, str]:
    """Without None, and as queries and forms write it."""
    stated = {name: value for name, value in options.items() if value is not None}
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in stated.items()}


async def _pieces(response: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for piece in response.aiter_bytes():
            yield piece
    except httpx.TransportError as error:
        raise broke_off() from error


async def _data_of(response: httpx.Response) -> AsyncIterator[str]:
    try:
        async for line in response.aiter_lines():
            if line.startswith("data:"):
                yield line[5:].removeprefix(" ")
    except httpx.TransportError as error:
        raise broke_off() from error
