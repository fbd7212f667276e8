from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from .acknowledgements import Acknowledgements
from .agent import Agent
from .call import Call, MessagingSession, ReadEntries, Search, Send
from .encoding import encoded
from .errors import failure_of
from .handlers import Tasks
from .line import PhoneLine
from .tool_runs import ToolRuns

Held = Agent | PhoneLine
Frame = Mapping[str, Any]

# A call whose end never arrives, because another app has it now, is dropped after this many newer calls.
_MOST_KNOWN = 10_000
_CALL_ALONE = frozenset({"call", "call.started", "chat.started", "call.passed"})


class DrivenCalls:
    """Passes the events of this process's calls to their handlers and tools."""

    def __init__(
        self,
        *,
        agent: Callable[[str], Agent | None],
        line: Callable[[str], PhoneLine | None],
        send: Send,
        send_now: Callable[[str], object],
        read_entries: ReadEntries,
        search: Search,
    ) -> None:
        """`send` waits for a connection; `send_now` sends now or never."""
        self._agent = agent
        self._line = line
        self._send = send
        self._send_now = send_now
        self._read_entries = read_entries
        self._search = search
        self._calls: dict[str, Call] = {}
        """The least recently used first."""
        self._line_of: dict[str, PhoneLine] = {}
        """The line that has a call, by the call's id."""
        self._tasks = Tasks()
        self.tool_runs = ToolRuns(send_now)
        self.acknowledgements = Acknowledgements(lambda frame: send_now(encoded(frame)))

    def driver_of(self, call: str) -> Held | None:
        """The agent or line that handles a call here."""
        known = self._calls.get(call)
        return self._line_of.get(call) or (self._agent(known.agent) if known else None)

    def refused(self, call: str, request: str, why: str) -> None:
        """The gateway refused what a call had sent under this name."""
        known = self._calls.get(call)
        if known is not None:
            known.refused(request, why)

    def happened(self, frame: Frame) -> None:
        held = self._held_for(frame)
        if held is None:
            return
        if self._is_repeated(frame):
            self._repeated(frame, held)
            return
        # An agent's own `error` is about this process, so the log's entry goes by another name.
        event = "call.error" if frame["type"] == "error" else str(frame["type"])
        call = self._call_of(frame)
        payload = _payload_of(frame["data"])
        if call is not None:
            self._note(frame, call, payload)
        if isinstance(held, Agent):
            held.seen(event, str(frame["call"]), payload)
        answers = held.happened(event, _arguments_of(frame, payload, call))
        if event == "call.preparing":
            self._tasks.start(self._settle(held, frame, answers))
        if event == "llm.toolCall" and call is not None:
            self._ask_tools(held, call, payload)

    def _is_repeated(self, frame: Frame) -> bool:
        call, seq = str(frame["call"]), frame.get("seq")
        if isinstance(seq, int):
            return self.acknowledgements.is_repeated(call, seq, str(frame["type"]), frame.get("more") is True)
        if frame["type"] != "llm.toolCall":
            return False
        return all(self.tool_runs.has(call, str(asked["id"])) for asked in frame["data"]["toolCalls"])

    def _repeated(self, frame: Frame, held: Held) -> None:
        """No handler runs twice; a tool's result may be lost and is sent again."""
        call = self._call_of(frame) if frame["type"] == "llm.toolCall" else None
        if call is not None:
            self._ask_tools(held, call, frame["data"])
        if frame["type"] == "call.ended":
            self._calls.pop(str(frame["call"]), None)

    def _ask_tools(self, held: Held, call: Call, payload: Mapping[str, Any]) -> None:
        if isinstance(held, Agent):
            for asked in payload["toolCalls"]:
                self.tool_runs.ask(held, call, asked)

    def _held_for(self, frame: Frame) -> Held | None:
        """A line has its calls from `call` on until it handed them over or they ended."""
        type, call, number = frame["type"], str(frame["call"]), frame.get("line")
        if type in ("call", "call.passed"):
            self._give(call, number if number is not None else frame["data"].get("line"))
        if isinstance(number, str):
            return self._line(number)
        if type in ("call.routed", "call.started"):
            self._line_of.pop(call, None)
        return self._line_of.get(call) or self._agent(str(frame["agent"]))

    def _give(self, call: str, number: object) -> None:
        line = self._line(number) if isinstance(number, str) else None
        if line is not None:
            self._line_of[call] = line
            _keep_newest(self._line_of)

    def _call_of(self, frame: Frame) -> Call | None:
        """The call of a frame, updated by the frame; None if the frame names none."""
        id = frame["call"]
        if not id:
            return None
        call = self._calls.pop(id, None) or Call(id, frame["agent"], self._send, self._read_entries, self._search)
        fields = frame["data"].get("call")
        if isinstance(fields, dict):
            call.learn(fields)
        self._calls[id] = call
        _keep_newest(self._calls)
        return call

    def _note(self, frame: Frame, call: Call, payload: Mapping[str, Any]) -> None:
        type = frame["type"]
        if type == "bot.speaking":
            call.bot_begins(str(payload["messageId"]))
        elif type == "bot.word":
            call.bot_says(str(payload["messageId"]), str(payload["word"]))
        elif type == "call.transferred":
            call.transfer_settled(type, payload)
        elif type == "call.ended":
            self._line_of.pop(call.id, None)
            if "line" in frame and frame["data"].get("reason") == "routed":
                return  # the call continues with the agent
            call.transfer_settled(type, payload)
            self.tool_runs.call_ended(call.id)
            self._calls.pop(call.id, None)

    async def _settle(self, held: Held, frame: Frame, answers: asyncio.Task[list[Any]] | None) -> None:
        settled = {"type": "preparing.settled", "call": frame["call"], "turn": frame["data"]["turn"]}
        sets = await answers if answers is not None else []
        try:
            merged = {name: value for each in sets for name, value in dict(each).items()}
            self._send_now(encoded({**settled, "set": merged} if sets else settled))
        except Exception as cause:
            self._send_now(encoded(settled))
            held.tell(failure_of("what a handler of call.preparing set", cause))


def _payload_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """What an event carries beside the Call and the session themselves."""
    return {
        name: value
        for name, value in data.items()
        if name != "session" and (name != "call" or isinstance(value, str))
    }


def _arguments_of(frame: Frame, payload: Mapping[str, Any], call: Call | None) -> tuple[object, ...]:
    """What the handlers of an event are called with: `(event, call)` unless the documents say otherwise."""
    type, data = frame["type"], frame["data"]
    if type in _CALL_ALONE:
        return (call,)
    if type == "msgapp.started" and call is not None:
        session = data["session"]
        return (call, MessagingSession(call, session["contactPhone"], session["contactName"]))
    if type == "call.preparing":
        return (call, payload)
    if type == "call.ended":
        return (call, data.get("reason"))
    return (payload, call)


def _keep_newest(known: dict[str, Any]) -> None:
    while len(known) > _MOST_KNOWN:
        del known[next(iter(known))]
