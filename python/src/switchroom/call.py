from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal

from .bot_text import joined
from .shapes import Entry, LineTurn, Passage, TransferOutcome, Transport, Turn
from .transfers import Transfers

Send = Callable[[Mapping[str, object]], None]
ReadEntries = Callable[[str], Awaitable[list[Entry]]]
Search = Callable[[str, Mapping[str, object]], Awaitable[list[Passage]]]

_ATTRIBUTES = {
    "agent": "agent",
    "from": "from_",
    "to": "to",
    "direction": "direction",
    "transport": "transport",
    "metadata": "metadata",
    "language": "language",
    "extension": "extension",
    "routedFrom": "routed_from",
    "lineTranscript": "line_transcript",
    "startedAt": "started_at",
    "endedAt": "ended_at",
    "duration": "duration",
    "reason": "reason",
    "test": "test",
}


class Call:
    """A call that an agent or a line of this process drives. Instants are epoch milliseconds, `duration` is seconds."""

    def __init__(
        self, id: str, agent: str, send: Send, read_entries: ReadEntries, search: Search | None = None
    ) -> None:
        self.id = id
        self.agent = agent
        self.from_: str | None = None
        self.to: str | None = None
        self.direction: Literal["inbound", "outbound"] = "inbound"
        self.transport: Transport = "chat"
        self.metadata: dict[str, Any] = {}
        self.language: str | None = None
        self.extension: str | None = None
        """What was dialled after the number."""
        self.routed_from: str | None = None
        """The line that handed the call over."""
        self.line_transcript: list[LineTurn] = []
        self.started_at = 0
        self.ended_at: int | None = None
        self.duration: float | None = None
        self.reason: str | None = None
        self.test = False
        """Whether a run of scenarios made it, and no caller."""
        self.bot_text = ""
        """What the bot has said so far of the reply that it is giving, or gave last."""
        self._bot_message: str | None = None
        self._transfers = Transfers()
        self._send = send
        self._read_entries = read_entries
        self._search = search

    def say(self, text: str) -> None:
        """Said to the contact as it is, without asking the model."""
        self._send({"type": "call.say", "call": self.id, "text": text})

    def end(self) -> None:
        self._send({"type": "call.end", "call": self.id})

    def callback(self, number: str, *, when: str | None = None, note: str | None = None) -> None:
        """Records a callback request; dials nothing. `when` is in the person's own words."""
        frame = {"type": "call.callback", "call": self.id, "number": number}
        self._send({**frame, **{name: text for name, text in (("when", when), ("note", note)) if text is not None}})

    def opt_out(self) -> None:
        """Puts the contact on the do-not-call list."""
        self._send({"type": "call.opt_out", "call": self.id})

    def transfer(
        self, to: str, *, kind: Literal["warm", "cold"] = "warm"
    ) -> asyncio.Future[TransferOutcome]:
        """Transfers the caller, on the phone or in a browser. Await it for what happened; it never raises.

        `warm` brings the other person into the call, `cold` has the carrier dial them and leaves the call.
        """
        request, outcome = self._transfers.begin(to, kind)
        self._send({"type": "call.transfer", "call": self.id, "to": to, "kind": kind, "request": request})
        return outcome

    def send_tones(self, digits: str) -> None:
        """Presses keys down the line of a phone call: 0 to 9, *, #, A to D, up to 32 of them."""
        self._send({"type": "call.tones", "call": self.id, "digits": digits})

    async def search(
        self, base: str, query: str, *, k: int | None = None, min_score: float | None = None
    ) -> list[Passage]:
        """Searches a knowledge base that the settings of the call name, or any with a key that opens `knowledge`.

        The passages, best first; the call's log says what was found.
        """
        if self._search is None:
            raise RuntimeError("this call has no connection to search with")
        asked: dict[str, object] = {"base": base, "query": query}
        if k is not None:
            asked["k"] = k
        if min_score is not None:
            asked["min_score"] = min_score
        return await self._search(self.id, asked)

    async def history(self) -> list[Turn]:
        """What was said so far, oldest first."""
        return [turn for entry in await self.entries() for turn in _turns_of(entry)]

    async def entries(self) -> list[Entry]:
        """The call's whole log."""
        return await self._read_entries(self.id)

    def learn(self, fields: Mapping[str, Any]) -> None:
        """For the connection: updates the call's fields."""
        for name, attribute in _ATTRIBUTES.items():
            if name in fields:
                setattr(self, attribute, fields[name])

    def transfer_settled(self, event: str, payload: Mapping[str, Any]) -> None:
        """For the connection: what became of a transfer, or the end of the call."""
        if event == "call.transferred":
            self._transfers.happened(payload)
        elif event == "call.ended":
            self._transfers.end_all("the call has ended")

    def refused(self, request: str, why: str) -> None:
        """For the connection: the gateway refused what was sent under this name."""
        self._transfers.refused(request, why)

    def bot_begins(self, message_id: str) -> None:
        """For the connection: the bot begins a reply."""
        if self._bot_message != message_id:
            self._bot_message = message_id
            self.bot_text = ""

    def bot_says(self, message_id: str, word: str) -> None:
        """For the connection: the bot said another word."""
        self.bot_begins(message_id)
        self.bot_text = joined(self.bot_text, word)

    def __repr__(self) -> str:
        return f"<Call {self.id} of {self.agent}>"


def _turns_of(entry: Entry) -> list[Turn]:
    data, at = entry["data"], round(entry["ts"] * 1000)
    if entry["type"] == "user.message":
        return [Turn("contact", data["text"], data["messageId"], at, "user")]
    if entry["type"] != "agent.message":
        return []
    who: Literal["agent", "supervisor"] = "supervisor" if data.get("source") == "human" else "agent"
    return [Turn(who, data["text"], data["messageId"], at, "assistant")]


class MessagingSession:
    """A conversation on the messaging channel; `id` is the call's."""

    def __init__(self, call: Call, contact_phone: str, contact_name: str | None) -> None:
        self.id = call.id
        self.contact_phone = contact_phone
        self.contact_name = contact_name
        self._call = call

    async def history(self) -> list[Turn]:
        """What was said so far, oldest first."""
        return await self._call.history()

    async def entries(self) -> list[Entry]:
        """The conversation's whole log."""
        return await self._call.entries()
