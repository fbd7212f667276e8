from __future__ import annotations

import random

_FIRST_S = 0.2


class BackOff:
    """How long to wait before the next try: about twice as long each time, with jitter."""

    def __init__(self, longest_s: float = 15.0) -> None:
        self._longest_s = longest_s
        self._tries = 0

    def next_s(self) -> float:
        whole_s = min(self._longest_s, _FIRST_S * 2.0 ** min(self._tries, 30))
        self._tries += 1
        return whole_s * random.uniform(0.5, 1)

    def reset(self) -> None:
        self._tries = 0
