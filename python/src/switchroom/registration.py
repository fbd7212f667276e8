from __future__ import annotations

import asyncio

from .errors import SwitchroomError
from .shapes import RegistrationState


class Registration:
    """The state of a registration at the gateway: pending again whenever the connection is lost."""

    def __init__(self) -> None:
        self._state: RegistrationState = "pending"
        self._refusal: SwitchroomError | None = None
        self._waiters: list[asyncio.Future[None]] = []

    @property
    def state(self) -> RegistrationState:
        return self._state

    def settled(self) -> asyncio.Future[None]:
        """Settles with the gateway's answer, or at once if it has answered."""
        waiter = asyncio.get_running_loop().create_future()
        waiter.add_done_callback(_retrieve)
        if self._state == "ready":
            waiter.set_result(None)
        elif self._refusal is not None:
            waiter.set_exception(self._refusal)
        else:
            self._waiters.append(waiter)
        return waiter

    def wait(self) -> None:
        self._state = "pending"
        self._refusal = None

    def accept(self) -> None:
        self._state = "ready"
        self._refusal = None
        for waiter in self._take_waiters():
            waiter.set_result(None)

    def refuse(self, error: SwitchroomError) -> None:
        self._state = "refused"
        self._refusal = error
        for waiter in self._take_waiters():
            waiter.set_exception(error)

    def _take_waiters(self) -> list[asyncio.Future[None]]:
        waiters, self._waiters = self._waiters, []
        return [waiter for waiter in waiters if not waiter.done()]


def _retrieve(waiter: asyncio.Future[None]) -> None:
    """A refusal that is not awaited is no error of the loop: the `error` event has it."""
    if not waiter.cancelled():
        waiter.exception()
