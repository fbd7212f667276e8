from __future__ import annotations

from .errors import SpeechError, fields_of


def missing_key() -> SpeechError:
    return SpeechError("MISSING_KEY", 0, "no key: set SVC_KEY or pass `key`")


def unreachable(url: str) -> SpeechError:
    sentence = f"the voice server at {url} cannot be reached: check its address and that it is running"
    return SpeechError("NETWORK_ERROR", 0, sentence)


def broke_off() -> SpeechError:
    sentence = "the voice server closed the connection before the end of the answer: try again"
    return SpeechError("NETWORK_ERROR", 0, sentence)


def closed_early() -> SpeechError:
    return SpeechError("CLOSED", 0, "the voice server closed the stream before the end: open another")


def speech_refusal_in(status: int, body: bytes | bytearray | str) -> SpeechError:
    """A refusal in the voice server's shape; a proxy's answer has another."""
    fields = fields_of(body)
    code, error = fields.get("code"), fields.get("error")
    return SpeechError(
        code if isinstance(code, str) else f"HTTP_{status}",
        status,
        error if isinstance(error, str) else f"the voice server answered {status}",
    )
