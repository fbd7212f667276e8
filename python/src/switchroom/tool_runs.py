from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .call import Call
from .encoding import encoded
from .errors import failure_of, message_of
from .handlers import Tasks

if TYPE_CHECKING:
    from .agent import Agent

_KEPT_FOR_S = 60 * 60
_MOST_KEPT = 10_000
_MOST_KEPT_CHARACTERS = 32 * 1024 * 1024
_LONGEST_ERROR = 2000

Key = tuple[str, str]


@dataclass
class _Done:
    outcome: str
    is_received: bool
    at: float


class ToolRuns:
    """The tool runs of this process, by call and id: each runs once, also if the gateway asks twice."""

    def __init__(self, send: Callable[[str], object], now: Callable[[], float] = time.monotonic) -> None:
        self._send = send
        self._now = now
        self._running: dict[Key, asyncio.Task[None]] = {}
        self._done: dict[Key, _Done] = {}
        """The longest done first."""
        self._unreceived: dict[Key, None] = {}
        self._kept_characters = 0
        self._tasks = Tasks()
        self._changed = asyncio.Event()

    def ask(self, agent: Agent, call: Call, asked: dict[str, Any]) -> None:
        """A running tool answers when it is done, a finished one answers again; another agent's tool is ignored."""
        key = (call.id, str(asked["id"]))
        done = self._done.get(key)
        if done is not None:
            self._answer(key, done.outcome)
        elif key not in self._running and agent.find_tool(asked["name"]) is not None:
            running = self._tasks.start(self._run(key, agent, call, asked["name"], asked["arguments"]))
            self._running[key] = running
            running.add_done_callback(lambda _: self._running.pop(key, None))

    def has(self, call: str, id: str) -> bool:
        """Whether it was asked for before."""
        return (call, id) in self._running or (call, id) in self._done

    def received(self, call: str, id: str) -> None:
        """The gateway has the outcome."""
        self._settle((call, id))
        self._changed.set()

    def send_again(self) -> None:
        """After the connection was lost: what was sent may not have arrived."""
        self._forget_old()
        for key in self._unreceived:
            self._send(self._done[key].outcome)

    def call_ended(self, call: str) -> None:
        """The outcomes of a call that ended are waited for no longer."""
        for key in [key for key in self._unreceived if key[0] == call]:
            self._settle(key)
        self._changed.set()

    async def drained(self) -> None:
        """Returns when nothing runs and every outcome has arrived."""
        if self._running:
            await asyncio.wait(set(self._running.values()))
        while self._unreceived:
            self._changed.clear()
            await self._changed.wait()

    async def _run(self, key: Key, agent: Agent, call: Call, name: str, arguments: str) -> None:
        frame: dict[str, object] = {"type": "tool.result", "call": call.id, "id": key[1]}
        tool = agent.find_tool(name)
        try:
            result = await tool.perform(arguments, call) if tool else None
            outcome = encoded({**frame, "result": result})
        except (Exception, asyncio.CancelledError) as cause:
            outcome = encoded({**frame, "error": message_of(cause)[:_LONGEST_ERROR]})
            agent.tell(failure_of(f"the tool {name}", cause))
        is_waited_for = call.reason is None
        self._done[key] = _Done(outcome, not is_waited_for, self._now())
        self._kept_characters += len(outcome)
        if is_waited_for:
            self._answer(key, outcome)
        self._forget_old()

    def _answer(self, key: Key, outcome: str) -> None:
        self._unreceived[key] = None
        self._send(outcome)

    def _settle(self, key: Key) -> None:
        if key in self._done:
            self._done[key].is_received = True
        self._unreceived.pop(key, None)

    def _forget_old(self) -> None:
        oldest = self._now() - _KEPT_FOR_S
        left, characters = len(self._done), self._kept_characters
        forgotten: list[Key] = []
        for key, done in self._done.items():
            is_too_much = left > _MOST_KEPT or characters > _MOST_KEPT_CHARACTERS
            if done.at > oldest and not is_too_much:
                break
            if done.at > oldest and not done.is_received:
                continue
            forgotten.append(key)
            left -= 1
            characters -= len(done.outcome)
        self._kept_characters = characters
        for key in forgotten:
            del self._done[key]
            self._unreceived.pop(key, None)
