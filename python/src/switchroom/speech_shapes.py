"""What the voice server answers, under its names on the wire."""

from __future__ import annotations

from typing import Any, Literal, TypedDict


class Voice(TypedDict, total=False):
    """Name it as `provider/alias`, or by its id."""

    id: str
    name: str
    alias: str
    provider: str
    gender: str
    style: str
    languages: list[dict[str, str]]
    description: str
    previewUrl: str


class HeardWord(TypedDict, total=False):
    word: str
    start: float
    end: float
    speaker: int


class Transcript(TypedDict, total=False):
    """`duration` is seconds; `model`, `words` and `segments` come with `verbose_json`."""

    text: str
    language: str | None
    duration: float
    model: str
    words: list[HeardWord]
    segments: list[dict[str, Any]]


class SpeechEvent(TypedDict, total=False):
    """`type` says which of the others there are: `start`, `audio`, `word` or `done`."""

    type: Literal["start", "audio", "word", "done"]
    request_id: str
    format: str
    sample_rate: int
    data: bytes
    word: str
    start: float
    end: float
    characters: int
    audio_ms: int


class StreamFrame(TypedDict, total=False):
    """What a live transcription heard: `partial` may change, `final` stays; `done` is the last."""

    type: Literal["partial", "final", "done"]
    text: str
    start: float
    end: float
    language: str
    speaker: int
    words: list[HeardWord]
    request_id: str
    audio_seconds: float
    billed_minutes: float
