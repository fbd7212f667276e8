from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .shapes import TransferOutcome


@dataclass(eq=False)
class _Begun:
    request: str
    to: str
    kind: str
    outcome: asyncio.Future[TransferOutcome]


class Transfers:
    """The transfers of a call that nothing is known of yet."""

    def __init__(self) -> None:
        self._begun: list[_Begun] = []
        self._is_over: str | None = None
        """Why none is begun any more."""

    def begin(self, to: str, kind: str) -> tuple[str, asyncio.Future[TransferOutcome]]:
        outcome: asyncio.Future[TransferOutcome] = asyncio.get_running_loop().create_future()
        begun = _Begun(str(uuid.uuid4()), to, kind, outcome)
        if self._is_over is None:
            self._begun.append(begun)
        else:
            outcome.set_result(TransferOutcome(False, self._is_over))
        return begun.request, outcome

    def happened(self, event: Mapping[str, Any]) -> None:
        """They are carried out in their order."""
        why = None if event.get("ok") is True else str(event.get("why") or "the reason is not known")
        for begun in self._begun:
            if (begun.to, begun.kind) == (event.get("to"), event.get("kind")):
                self._settle(begun, why)
                return

    def refused(self, request: str, why: str) -> None:
        for begun in self._begun:
            if begun.request == request:
                self._settle(begun, why)
                return

    def end_all(self, why: str) -> None:
        self._is_over = why
        for begun in list(self._begun):
            self._settle(begun, why)

    def _settle(self, begun: _Begun, why: str | None) -> None:
        self._begun.remove(begun)
        if not begun.outcome.done():  # who waited may have been cancelled
            begun.outcome.set_result(TransferOutcome(why is None, why))
