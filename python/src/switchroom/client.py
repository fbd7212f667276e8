from __future__ import annotations

import asyncio
import uuid
from collections import deque
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, overload

from .address import Address
from .agent import Agent
from .back_off import BackOff
from .connection import Connection
from .driven_calls import DrivenCalls, Held
from .encoding import encoded
from .errors import GatewayRefusal, SwitchroomError, logger, message_of
from .events import CONNECTION_EVENTS
from .handlers import Handler, Handlers, HandlerT
from .line import PhoneLine
from .shapes import Environment

# Temporary refusals: another process still has the line or the agent, or the gateway could not check.
_PASSING = frozenset({"INTERNAL_ERROR", "LINE_CONFLICT", "AGENT_HELD"})
_DRAINS_WITHIN_S = 10.0
_MOST_WAITING = 1000


class Switchroom:
    """The connection of this process to the gateway: its agents and lines, and their calls."""

    def __init__(
        self,
        *,
        url: str | None = None,
        key: str | None = None,
        env: Environment | None = None,
        app: str | None = None,
    ) -> None:
        address = Address(url, key, env)
        self.url = address.url
        self._app = app
        self._instance = str(uuid.uuid4())
        self._handlers = Handlers("a connection", CONNECTION_EVENTS)
        self._agents: dict[str, Agent] = {}
        self._lines: dict[str, PhoneLine] = {}
        self._hold_options: dict[str, dict[str, bool]] = {}
        self._outbox: deque[str] = deque(maxlen=_MOST_WAITING)
        """Frames that wait for a connection."""
        self._asking_again: dict[Held, tuple[BackOff, asyncio.TimerHandle]] = {}
        """The next attempt after a temporary refusal."""
        self._closed = asyncio.get_running_loop().create_future()
        self._closing: asyncio.Task[None] | None = None
        self._is_told_of_loss = False
        self._calls = DrivenCalls(
            agent=self._agents.get,
            line=self._lines.get,
            send=self._post,
            send_now=lambda text: self._connection.send(text),
            read_entries=address.entries,
            search=address.search,
        )
        self._connection = Connection(
            url=lambda: address.socket("/v1/apps"),
            headers=address.headers,
            on_open=self._opened,
            on_frame=self._take,
            on_lost=self._lost,
            on_refused=self._turned_away,
        )

    async def __aenter__(self) -> Switchroom:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def is_connected(self) -> bool:
        return self._connection.is_open

    async def hold(self, *held: Held, exclusive: bool = False, balance: bool = False) -> None:
        """Registers agents and lines, again after every reconnect.

        Returns when the gateway has accepted all; raises if it refuses one. `exclusive` agents are refused while
        another app holds them; with `balance` new calls go in turn to the processes of this app that say so.
        """
        if self._closing is not None:
            raise _closed()
        for each in held:
            if isinstance(each, Agent):
                self._agents[each.name] = each
                self._hold_options[each.name] = {"exclusive": exclusive, "balance": balance}
            else:
                self._lines[each.number] = each
                each.routes_by(self._route)
            if self.is_connected:
                self._register(each)
        settled = asyncio.gather(*(each.settled() for each in held))
        await asyncio.wait({settled, self._closed}, return_when=asyncio.FIRST_COMPLETED)
        if not settled.done():
            settled.cancel()
            raise _closed()
        settled.result()

    def release(self, agent: Agent) -> None:
        """Unregisters the agent. Its calls pass to another connected app of the agent."""
        if self._agents.pop(agent.name, None) is not None:
            self._unregister(agent)
        agent.awaits_gateway()

    @overload
    def on(self, event: str) -> Callable[[HandlerT], HandlerT]: ...
    @overload
    def on(self, event: str, handler: HandlerT) -> HandlerT: ...
    def on(self, event: str, handler: Handler | None = None) -> Any:
        """Adds a handler of `connected`, `disconnected` (with the reason) or `error`."""
        if handler is None:
            return lambda decorated: self.on(event, decorated)
        self._handlers.add(event, handler)
        return handler

    def off(self, event: str, handler: Handler) -> None:
        self._handlers.remove(event, handler)

    async def closed(self) -> None:
        """Returns when it was closed: the last line of a program that runs until then."""
        await asyncio.wait({self._closed})
        if self._closing is not None:
            await asyncio.shield(self._closing)

    async def close(self) -> None:
        """Accepts nothing new, waits until running tools are done and their results have arrived, and closes."""
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_task(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        self._closed.set_result(None)
        for _, timer in self._asking_again.values():
            timer.cancel()
        for agent in self._agents.values():
            self._unregister(agent)
        if self.is_connected:
            try:
                await asyncio.wait_for(self._calls.tool_runs.drained(), _DRAINS_WITHIN_S)
            except asyncio.TimeoutError:
                logger.warning("closed before the results of all tools had arrived")
            self._calls.acknowledgements.flush()
        await self._connection.close()
        for held in self._held():
            held.awaits_gateway()

    def _held(self) -> list[Held]:
        return [*self._agents.values(), *self._lines.values()]

    def _opened(self) -> None:
        self._is_told_of_loss = False
        if self._closing is None:
            for held in self._held():
                self._register(held)
        self._calls.tool_runs.send_again()
        while self._outbox:
            self._connection.send(self._outbox.popleft())
        self._handlers.run("connected", ())

    def _lost(self, reason: str) -> None:
        for held in self._held():
            if held.state == "ready":
                held.awaits_gateway()
        if self._handlers.run("disconnected", (reason,)) is None and not self._is_told_of_loss:
            self._is_told_of_loss = True
            logger.warning("no connection to %s (%s): reconnecting", self.url, reason)

    def _turned_away(self, refusal: GatewayRefusal) -> bool:
        """A refused key is reported once to each agent and line, and tried again: the key may become valid."""
        if refusal.status >= 500 or refusal.status == 429:
            return True  # a gateway that starts or is busy
        untold = [held for held in self._held() if held.state != "refused"]
        for held in untold:
            held.refused(refusal)
        if not untold and not self._is_told_of_loss:
            self._handlers.tell(refusal)
        self._is_told_of_loss = True
        return True

    def _register(self, held: Held) -> None:
        held.awaits_gateway()
        try:
            if isinstance(held, Agent):
                frame = held.frame(self._app, self._instance, self._hold_options.get(held.name, {}))
            else:
                frame = held.frame()
            self._connection.send(encoded(frame))
        except SwitchroomError as error:
            held.refused(error)
        except Exception as error:
            held.refused(SwitchroomError("BAD_FRAME", message_of(error)))

    def _unregister(self, agent: Agent) -> None:
        self._connection.send(encoded({"type": "agent.unregister", "agent": agent.name}))

    def _route(self, call: str, agent: str) -> None:
        self._connection.send(encoded({"type": "call.route", "call": call, "agent": agent}))

    def _post(self, frame: Mapping[str, object]) -> None:
        """Sent now, or as soon as there is a connection."""
        text = encoded(frame)
        if not self._connection.send(text):
            self._outbox.append(text)

    def _take(self, frame: dict[str, Any]) -> None:
        type = frame.get("type")
        if type == "agent.registered":
            self._registered(frame)
        elif type == "ready":
            self._accepted(self._lines.get(str(frame.get("number"))))
        elif type == "agent.holders":
            self._shared(frame)
        elif type == "tool.received":
            self._calls.tool_runs.received(str(frame.get("call")), str(frame.get("id")))
        elif isinstance(frame.get("data"), dict):
            self._calls.happened(frame)  # an `error` with data is an entry of the call's log
        elif type == "error":
            self._refused(frame)

    def _registered(self, frame: dict[str, Any]) -> None:
        """The gateway's warnings come as errors of the agent, which is registered all the same."""
        agent = self._agents.get(str(frame.get("agent")))
        self._accepted(agent)
        for warning in frame.get("warnings", []):
            if agent is not None:
                agent.tell(SwitchroomError("PROVIDER_KEY_REQUIRED", str(warning)))

    def _shared(self, frame: dict[str, Any]) -> None:
        agent = self._agents.get(str(frame.get("agent")))
        if agent is not None:
            agent.shared_with(frame)

    def _refused(self, frame: dict[str, Any]) -> None:
        error = SwitchroomError(str(frame.get("code")), str(frame.get("detail")))
        call, agent, request = frame.get("call"), frame.get("agent"), frame.get("request")
        if isinstance(request, str):
            self._calls.refused(str(call), request, error.detail)
        held = self._lines.get(str(frame.get("number"))) or self._agents.get(str(agent))
        if held is not None and call is None:
            self._registration_refused(held, error)
            return
        # among frames about a call, only the one that routes it names an agent
        if agent is not None and isinstance(call, str):
            for line in self._lines.values():
                line.route_refused(call)
        concerned = self._calls.driver_of(str(call)) or held
        if concerned is not None:
            concerned.tell(error)
        else:
            self._handlers.tell(error)

    def _accepted(self, held: Held | None) -> None:
        if held is None:
            return
        self._asking_again.pop(held, None)
        held.accepted()

    def _registration_refused(self, held: Held, error: SwitchroomError) -> None:
        held.refused(error)
        if error.code not in _PASSING or self._closing is not None:
            return
        back_off, before = self._asking_again.get(held, (BackOff(), None))
        if before is not None:
            before.cancel()  # it was asked for since, at a reconnect
        timer = asyncio.get_running_loop().call_later(back_off.next_s(), self._ask_again, held)
        self._asking_again[held] = (back_off, timer)

    def _ask_again(self, held: Held) -> None:
        if held.state == "refused" and self.is_connected:
            self._register(held)


def _closed() -> SwitchroomError:
    return SwitchroomError("CLOSED", "the connection was closed by close(): connect again")


def connect(
    *, url: str | None = None, key: str | None = None, env: Environment | None = None, app: str | None = None
) -> Switchroom:
    """Connects this process to a gateway: one socket for all the agents and lines it holds.

    `url`, `key` and `env` are SVC_URL, SVC_KEY and SVC_ENV by default; `app` is the name of this process in lists.
    """
    return Switchroom(url=url, key=key, env=env, app=app)
