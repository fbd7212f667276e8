from __future__ import annotations

import json
import logging

logger = logging.getLogger("switchroom")


class SwitchroomError(Exception):
    """Something the gateway refused, or that a handler or tool raised: a code for programs, a sentence for people."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


class GatewayRefusal(SwitchroomError):
    """A request that the gateway, or a proxy in front of it, answered with an HTTP status other than 2xx."""

    def __init__(self, status: int, detail: str, code: str | None = None) -> None:
        """Without a `code` of the gateway's own, it is made of the status."""
        super().__init__(code or ("UNAUTHORIZED" if status == 401 else f"HTTP_{status}"), detail)
        self.status = status

    @property
    def is_temporary(self) -> bool:
        """Whether the same request may succeed later: the gateway starts, is busy or at a limit."""
        return self.status >= 500 or self.status in (408, 429)


class GatewayUnreachable(SwitchroomError):
    """No answer came from the gateway."""

    def __init__(self, url: str) -> None:
        detail = f"the gateway at {url} cannot be reached: check its address and that it is running"
        super().__init__("NETWORK_ERROR", detail)


class SpeechError(SwitchroomError):
    """A refusal of the voice server; `status` is 0 if no answer came."""

    def __init__(self, code: str, status: int, detail: str) -> None:
        super().__init__(code, detail)
        self.status = status


def fields_of(body: bytes | bytearray | str) -> dict[str, object]:
    """The fields of a JSON object; none if it is something else, such as a proxy's page."""
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}


def refusal_in(status: int, body: bytes | bytearray | str) -> GatewayRefusal:
    """The gateway's sentence and code; a proxy's answer has neither."""
    fields = fields_of(body)
    detail, code = fields.get("detail"), fields.get("code")
    if not isinstance(detail, str):
        return GatewayRefusal(status, f"the gateway answered {status} without a reason: check its address")
    return GatewayRefusal(status, detail, code if isinstance(code, str) else None)


def failure_of(doing: str, cause: BaseException) -> SwitchroomError:
    """An error of the author's own code, with what it was doing."""
    error = SwitchroomError("HANDLER_FAILED", f"{doing} failed: {message_of(cause)}")
    error.__cause__ = cause
    return error


def message_of(raised: BaseException) -> str:
    """Any exception, also one whose text cannot be made."""
    try:
        return str(raised) or type(raised).__name__
    except Exception:
        return "what was raised has no words"


def warn_of(error: SwitchroomError) -> None:
    """Logged by the logger `switchroom`, with where it was raised."""
    logger.warning("%s: %s", error.code, error.detail, exc_info=error.__cause__)
