from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

_SEND_AFTER_S = 0.1
# The gateway's limit for one frame.
_MOST_AT_ONCE = 1000
_MOST_KNOWN = 10_000


@dataclass
class _Received:
    seq: int
    whole: int
    """The last entry of which every event came."""
    types: set[str] = field(default_factory=set)
    """The events of the entry `seq` that came: one entry may have two."""


class Acknowledgements:
    """What this process has received of each call: it tells the gateway, and recognises what comes again."""

    def __init__(self, send: Callable[[dict[str, Any]], object]) -> None:
        self._send = send
        self._received: dict[str, _Received] = {}
        """By call, the one that was silent longest first; also of calls that ended."""
        self._unsent: dict[str, None] = {}
        self._timer: asyncio.TimerHandle | None = None

    def is_repeated(self, call: str, seq: int, type: str, has_more: bool) -> bool:
        """Whether the event came before. Either way it is acknowledged soon: the gateway may not know."""
        before = self._received.get(call)
        self._unsent[call] = None
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_SEND_AFTER_S, self.flush)
        if before is not None and (seq < before.seq or (seq == before.seq and type in before.types)):
            return True
        if before is None or before.seq != seq:
            before = _Received(seq, before.whole if before else 0)
        before.types.add(type)
        if not has_more:
            before.whole = seq
        self._received.pop(call, None)
        self._received[call] = before
        while len(self._received) > _MOST_KNOWN:
            del self._received[next(iter(self._received))]
        return False

    def flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        known = [(call, self._received[call].whole) for call in self._unsent if call in self._received]
        self._unsent.clear()
        calls = [{"call": call, "seq": seq} for call, seq in known if seq > 0]
        for start in range(0, len(calls), _MOST_AT_ONCE):
            self._send({"type": "events.ack", "calls": calls[start : start + _MOST_AT_ONCE]})
