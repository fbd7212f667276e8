from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

from .errors import SwitchroomError
from .events import AGENT_EVENTS
from .handlers import Handler, Handlers, HandlerT
from .holders import HoldersWatch, holders_of
from .registration import Registration
from .shapes import RegistrationState
from .tool import Tool, tool

Witness = Callable[[str, str, Mapping[str, Any]], object]
"""Receives every event of an agent, with its call and what it carries."""

_NO_SETTINGS: Mapping[str, Any] = {}


class Agent:
    """An agent as its code declares it, and what happens in the calls that this process drives for it.

    `settings` are set in code: they override saved settings, and the console shows them so. `preparing` is the
    longest time in milliseconds that a turn waits for `call.preparing` handlers: 1 to 10000, or True for 1500.
    Without it calls wait 150, and chats do not ask.
    """

    def __init__(
        self,
        name: str,
        *,
        prompt: str | None = None,
        tools: Sequence[Tool] = (),
        settings: Mapping[str, Any] = _NO_SETTINGS,
        preparing: bool | int = False,
        audio_metrics: bool = False,
    ) -> None:
        if not isinstance(name, str) or name == "":
            raise SwitchroomError("NO_NAME", "an agent needs a name: Agent('desk')")
        self.name = name
        self._prompt = prompt
        self._tools: dict[str, Tool] = {}
        self._settings = dict(settings)
        self._preparing = preparing
        self._audio_metrics = audio_metrics
        self._handlers = Handlers("an agent", AGENT_EVENTS)
        self._registration = Registration()
        self._holders = HoldersWatch()
        self._witnesses: list[Witness] = []
        for each in tools:
            self._add(each)

    @property
    def state(self) -> RegistrationState:
        return self._registration.state

    async def ready(self) -> None:
        """Returns when the gateway has registered the agent; raises the gateway's reason if it refuses."""
        await self._registration.settled()

    @overload
    def on(self, event: str) -> Callable[[HandlerT], HandlerT]: ...
    @overload
    def on(self, event: str, handler: HandlerT) -> HandlerT: ...
    def on(self, event: str, handler: Handler | None = None) -> Any:
        """Adds a handler, also as a decorator: `@agent.on("user.message")`."""
        if handler is None:
            return lambda decorated: self.on(event, decorated)
        self._handlers.add(event, handler)
        return handler

    def off(self, event: str, handler: Handler) -> None:
        self._handlers.remove(event, handler)

    @overload
    def tool(self, function: Callable[..., Any]) -> Tool: ...
    @overload
    def tool(
        self,
        *,
        name: str | None = None,
        description: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        timeout_s: float | None = None,
        while_: str | None = None,
    ) -> Callable[[Callable[..., Any]], Tool]: ...
    def tool(self, function: Callable[..., Any] | None = None, **options: Any) -> Any:
        """Makes a tool of a function, as `tool` does, and gives it to this agent."""
        if function is None:
            return lambda decorated: self._add(tool(**options)(decorated))
        return self._add(tool(function))

    def _add(self, added: Tool) -> Tool:
        if added.name in self._tools:
            raise SwitchroomError("BAD_TOOL", f"two tools of {self.name} are called {added.name}")
        self._tools[added.name] = added
        return added

    def witness(self, witness: Witness) -> Callable[[], None]:
        """Passes every event from now on to the witness, until the returned function is called."""
        self._witnesses.append(witness)
        return lambda: self._witnesses.remove(witness) if witness in self._witnesses else None

    def find_tool(self, name: str) -> Tool | None:
        return self._tools.get(name)

    def frame(self, app: str | None, instance: str, held: Mapping[str, bool] = {}) -> dict[str, object]:
        """For the connection: the frame that registers the agent."""
        frame: dict[str, object] = {"type": "agent.register", "agent": self.name, "instance": instance}
        if app is not None:
            frame["app"] = app
        if self._prompt is not None:
            frame["prompt"] = self._prompt
        if self._settings:
            frame["declares"] = self._settings
        frame["tools"] = [each.declaration for each in self._tools.values()]
        if self._preparing is not False:
            frame["preparing"] = True if self._preparing is True else {"timeoutMs": self._preparing}
        if self._audio_metrics:
            frame["analysis"] = {"send_audio_metrics": True}
        frame |= {"acknowledges": True, "holders": True}
        return {**frame, **{name: True for name, is_so in held.items() if is_so}}

    def settled(self) -> asyncio.Future[None]:
        """For the connection."""
        return self._registration.settled()

    def awaits_gateway(self) -> None:
        """For the connection."""
        self._registration.wait()

    def accepted(self) -> None:
        """For the connection."""
        self._registration.accept()
        self._handlers.run("ready", ())

    def refused(self, error: SwitchroomError) -> None:
        """For the connection."""
        self._registration.refuse(error)
        self.tell(error)

    def shared_with(self, frame: Mapping[str, Any]) -> None:
        """For the connection: another app or process may have begun or ceased to hold the agent."""
        if self._holders.is_news(frame) and self._handlers.run("holders", (holders_of(frame),)) is None:
            self._holders.warn(frame)

    def tell(self, error: SwitchroomError) -> None:
        """For the connection: reports an error about this agent."""
        self._handlers.tell(error)

    def happened(self, event: str, args: tuple[object, ...]) -> asyncio.Task[list[Any]] | None:
        """For the connection: runs the handlers of an event; the task has their results."""
        return self._handlers.run(event, args)

    def seen(self, event: str, call: str, payload: Mapping[str, Any]) -> None:
        """For the connection: called before the handlers."""
        for witness in list(self._witnesses):
            witness(event, call, payload)
