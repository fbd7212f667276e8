from __future__ import annotations

import asyncio
import difflib
import inspect
from collections.abc import Callable, Collection, Coroutine
from typing import Any, TypeVar

from .errors import SwitchroomError, failure_of, warn_of

Handler = Callable[..., Any]
"""A function or a coroutine function."""

HandlerT = TypeVar("HandlerT", bound=Handler)


class Tasks:
    """Background tasks: asyncio alone keeps only a weak reference to them."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task


class Handlers:
    """The handlers by event. A handler that raises is reported as an error and does not stop the others."""

    def __init__(self, whose: str, events: Collection[str]) -> None:
        self._whose = whose
        self._events = events
        self._handlers: dict[str, list[Handler]] = {}
        self._tasks = Tasks()

    def add(self, event: str, handler: Handler) -> None:
        self._refuse_unknown(event)
        known = self._handlers.setdefault(event, [])
        if handler not in known:
            known.append(handler)

    def remove(self, event: str, handler: Handler) -> None:
        self._refuse_unknown(event)
        known = self._handlers.get(event, [])
        if handler in known:
            known.remove(handler)

    def run(self, event: str, args: tuple[object, ...]) -> asyncio.Task[list[Any]] | None:
        """Starts all handlers at once; the task has what they returned. None if there are none."""
        handlers = list(self._handlers.get(event, ()))
        if not handlers:
            return None
        begun = [self._begin(event, handler, args) for handler in handlers]
        return self._tasks.start(_all(begun))

    def tell(self, error: SwitchroomError) -> None:
        """Without an `error` handler, it is logged."""
        if self.run("error", (error,)) is None:
            warn_of(error)

    def _refuse_unknown(self, event: str) -> None:
        if event in self._events:
            return
        near = difflib.get_close_matches(event.lower(), self._events, n=1)
        advice = f"did you mean `{near[0]}`?" if near else f"it has {', '.join(sorted(self._events))}"
        raise SwitchroomError("UNKNOWN_EVENT", f"{self._whose} has no event `{event}`: {advice}")

    def _begin(self, event: str, handler: Handler, args: tuple[object, ...]) -> Any:
        """What a function returned, or the task of a coroutine, which starts in the order of the events."""
        try:
            answer = handler(*args)
        except Exception as cause:
            self._failed(event, cause)
            return None
        return self._tasks.start(self._finish(event, answer)) if inspect.isawaitable(answer) else answer

    async def _finish(self, event: str, answer: Any) -> Any:
        try:
            return await answer
        except Exception as cause:
            self._failed(event, cause)
            return None

    def _failed(self, event: str, cause: Exception) -> None:
        failure = failure_of(f"a handler of {event}", cause)
        if event == "error":
            warn_of(failure)
        else:
            self.tell(failure)


async def _all(begun: list[Any]) -> list[Any]:
    answers = [await each if isinstance(each, asyncio.Task) else each for each in begun]
    return [answer for answer in answers if answer is not None]
