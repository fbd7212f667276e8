from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, overload

from .agent import Agent
from .call import Call
from .errors import SwitchroomError
from .events import LINE_EVENTS
from .handlers import Handler, Handlers, HandlerT
from .registration import Registration
from .shapes import RegistrationState, RouteOutcome


class PhoneLine:
    """A phone number whose calls come to this process first, before any agent gets them.

    `extension_ms` is how long digits dialled after the number are taken for an extension: 0 to 10000.
    """

    def __init__(self, number: str, *, extension_ms: int | None = None) -> None:
        self.number = number
        self._extension_ms = extension_ms
        self._handlers = Handlers("a line", LINE_EVENTS)
        self._registration = Registration()
        self._routes: dict[str, tuple[str, asyncio.Future[RouteOutcome]]] = {}
        """Routes that the gateway has not answered yet: the agent and who waits, by call."""
        self._send: Callable[[str, str], object] | None = None

    @property
    def state(self) -> RegistrationState:
        return self._registration.state

    async def ready(self) -> None:
        """Returns when the gateway has registered the line; raises the gateway's reason if it refuses."""
        await self._registration.settled()

    @overload
    def on(self, event: str) -> Callable[[HandlerT], HandlerT]: ...
    @overload
    def on(self, event: str, handler: HandlerT) -> HandlerT: ...
    def on(self, event: str, handler: Handler | None = None) -> Any:
        """Adds a handler, also as a decorator: `@line.on("call")`."""
        if handler is None:
            return lambda decorated: self.on(event, decorated)
        self._handlers.add(event, handler)
        return handler

    def off(self, event: str, handler: Handler) -> None:
        self._handlers.remove(event, handler)

    async def route(self, call: Call, agent: Agent | str) -> RouteOutcome:
        """Hands the call to an agent. Never fails: a call that was not handed over stays with the line."""
        if self._send is None:
            raise SwitchroomError("NOT_HELD", f"the line {self.number} is not connected: call hold() with it first")
        name = agent if isinstance(agent, str) else agent.name
        _, outcome = self._routes.get(call.id) or (name, asyncio.get_running_loop().create_future())
        self._routes[call.id] = (name, outcome)
        if self.state == "ready":
            self._send(call.id, name)
        return await asyncio.shield(outcome)

    def frame(self) -> dict[str, object]:
        """For the connection: the frame that registers the line."""
        frame: dict[str, object] = {"type": "line.register", "number": self.number, "acknowledges": True}
        return frame if self._extension_ms is None else {**frame, "extensionMs": self._extension_ms}

    def routes_by(self, send: Callable[[str, str], object]) -> None:
        """For the connection: sets how a route is sent."""
        self._send = send

    def settled(self) -> asyncio.Future[None]:
        """For the connection."""
        return self._registration.settled()

    def awaits_gateway(self) -> None:
        """For the connection."""
        self._registration.wait()

    def accepted(self) -> None:
        """For the connection."""
        self._registration.accept()
        for call, (agent, _) in self._routes.items():
            if self._send is not None:
                self._send(call, agent)  # the answer may have been lost
        self._handlers.run("ready", ())

    def refused(self, error: SwitchroomError) -> None:
        """For the connection."""
        self._registration.refuse(error)
        self.tell(error)

    def route_refused(self, call: str) -> None:
        """For the connection: the gateway refused to route the call."""
        self._settle(call, RouteOutcome(False, "refused"))

    def tell(self, error: SwitchroomError) -> None:
        """For the connection: reports an error about this line."""
        self._handlers.tell(error)

    def happened(self, event: str, args: tuple[Any, ...]) -> asyncio.Task[list[Any]] | None:
        """For the connection: runs the handlers of an event; the task has their results."""
        if event == "call.routed":
            self._settle(args[1].id, RouteOutcome(True))
        elif event == "call.route_failed":
            self._settle(args[1].id, RouteOutcome(False, args[0]["reason"]))
        elif event == "call.ended":
            self._settle(args[0].id, RouteOutcome(False, "ended"))
        return self._handlers.run(event, args)

    def _settle(self, call: str, outcome: RouteOutcome) -> None:
        _, waiting = self._routes.pop(call, (None, None))
        if waiting is not None and not waiting.done():
            waiting.set_result(outcome)
