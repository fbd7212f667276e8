"""Shapes that cross the wire are dicts under their names there; those that the SDK makes are dataclasses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypedDict

Environment = Literal["sandbox", "production"]
Transport = Literal["phone", "webrtc", "chat", "msgapp"]
RegistrationState = Literal["pending", "ready", "refused"]


class Entry(TypedDict):
    """A fact of a call, as its log holds it. `ts` is epoch seconds."""

    seq: int
    ts: float
    call: str
    agent: str
    type: str
    ephemeral: bool
    data: dict[str, Any]


class EventPage(TypedDict):
    entries: list[Entry]
    next: int
    gap: dict[str, int] | None
    ended: bool


class Passage(TypedDict):
    """A piece of a document of a knowledge base."""

    chunk: str
    base: str
    document: str
    name: str
    heading: list[str]
    text: str
    score: float


class LineTurn(TypedDict):
    """What was said on a line before it handed the call over."""

    who: Literal["caller", "line"]
    text: str
    at: int
    role: Literal["user", "assistant"]
    content: str


class PreparedSet(TypedDict, total=False):
    """What a `call.preparing` handler may return: what it leaves out stays as it was."""

    prompt: str
    context: str
    metadata: dict[str, Any]


class _Agreed(TypedDict):
    kind: Literal["express", "written"]
    source: str


class Consent(_Agreed, total=False):
    """A consent that is sent with a dial."""

    text: str
    evidence: str | dict[str, Any]


DialledCall = TypedDict(
    "DialledCall",
    {
        "call": str,
        "agent": str,
        "to": str,
        "from": str,
        "env": Environment,
        "log_token": "str | None",
    },
)


@dataclass(frozen=True)
class Turn:
    """Something that was said in a conversation. `at` is epoch milliseconds."""

    who: Literal["contact", "agent", "supervisor"]
    text: str
    message_id: str
    at: int
    role: Literal["user", "assistant"]


@dataclass(frozen=True)
class Kept:
    """A message of a chat that the gateway has stored; `seq` is its place in the conversation."""

    message_id: str
    seq: int


@dataclass(frozen=True)
class ChatMessage(Kept):
    text: str


@dataclass(frozen=True)
class TransferOutcome:
    """`why` is the reason in a sentence if it failed: the caller is still in the call, unless it has ended."""

    ok: bool
    why: str | None = None


class AgentHolder(TypedDict):
    app: str
    processes: int


@dataclass(frozen=True)
class Holders:
    """The apps that hold an agent at this moment, the newest first, and where its new calls go."""

    holders: list[AgentHolder]
    new_calls: Literal["here", "elsewhere", "in turn"]


@dataclass(frozen=True)
class RouteOutcome:
    """`reason` is None if the call was routed; else the call stays with the line, or has ended.

    It is one of offline, unknown, no_phone_config, capacity, swap_failed, ended and refused.
    """

    routed: bool
    reason: str | None = None
