from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from .errors import logger
from .shapes import Holders

_PLACES: Mapping[str, Literal["here", "elsewhere", "in turn"]] = {
    "yours": "here",
    "others": "elsewhere",
    "shared": "in turn",
}


def holders_of(frame: Mapping[str, Any]) -> Holders:
    return Holders(frame["holders"], _PLACES[frame["calls"]])


class HoldersWatch:
    """Whom this process shares an agent with, as far as it knows: at first nobody."""

    def __init__(self) -> None:
        self._known = ""

    def is_news(self, frame: Mapping[str, Any]) -> bool:
        """The gateway tells at every registration, also what is known."""
        told = json.dumps([frame["holders"], frame["calls"]]) if _processes_in(frame) > 1 else ""
        is_news, self._known = told != self._known, told
        return is_news

    def warn(self, frame: Mapping[str, Any]) -> None:
        """Taking turns is what the author asked for."""
        if _processes_in(frame) <= 1 or frame["calls"] == "shared":
            return
        names = [
            f"{each['app']} ({each['processes']})" if each["processes"] > 1 else each["app"]
            for each in frame["holders"]
        ]
        where = "come to this one" if frame["calls"] == "yours" else "go to another one"
        logger.warning(
            "several processes hold %s: %s. New calls %s: hold it with balance=True or exclusive=True",
            frame["agent"],
            ", ".join(names),
            where,
        )


def _processes_in(frame: Mapping[str, Any]) -> int:
    return sum(int(each["processes"]) for each in frame["holders"])
