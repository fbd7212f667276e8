from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import quote

import httpx

from .encoding import json_text
from .errors import GatewayUnreachable, SwitchroomError, refusal_in
from .shapes import Entry, EventPage, Passage

_PAGE_SIZE = 1000
_TIMEOUT_S = 60.0


def setting(name: str) -> str | None:
    """An empty value is the same as unset."""
    return os.environ.get(name) or None


class Address:
    """The address of a gateway and the headers that authenticate a request."""

    def __init__(self, url: str | None, key: str | None, env: str | None) -> None:
        opener = key if key is not None else setting("SVC_KEY")
        if opener is None:
            raise SwitchroomError("NO_KEY", "no key: set SVC_KEY or pass `key`")
        environment = env if env is not None else setting("SVC_ENV")
        self.url = (url or setting("SVC_URL") or "http://127.0.0.1:8080").rstrip("/")
        self.headers = {"authorization": f"Bearer {opener}"}
        if environment is not None:
            self.headers["svc-env"] = environment
        if not re.match(r"https?://[^/]", self.url):
            sentence = f"{self.url} is not an address: it must start with http:// or https://"
            raise SwitchroomError("BAD_URL", sentence)

    def socket(self, path: str) -> str:
        return "ws" + self.url.removeprefix("http") + path

    async def entries(self, call: str) -> list[Entry]:
        """All entries of a call's log."""
        entries: list[Entry] = []
        while True:
            after = entries[-1]["seq"] if entries else 0
            path = f"/v1/calls/{quote(call, safe='')}/events"
            query = {"after": str(after), "limit": str(_PAGE_SIZE)}
            page = cast(EventPage, await self.ask("GET", path, query=query))
            entries += page["entries"]
            if len(page["entries"]) < _PAGE_SIZE:
                return entries

    async def search(self, call: str, asked: Mapping[str, object]) -> list[Passage]:
        """What a call's app searches for."""
        answer = await self.ask("POST", f"/v1/calls/{quote(call, safe='')}/search", asked)
        return cast(list[Passage], answer["passages"])

    async def ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> Any:
        """None for an answer without a body."""
        headers = {**self.headers, "accept": "application/json"}
        if body is not None:
            headers["content-type"] = "application/json"
        try:
            async with httpx.AsyncClient(timeout=_TIMEOUT_S) as client:
                response = await client.request(
                    method,
                    self.url + path,
                    params=query,
                    headers=headers,
                    content=None if body is None else json_text(body).encode(),
                )
        except httpx.TransportError as error:
            raise GatewayUnreachable(self.url) from error
        if not response.is_success:
            raise refusal_in(response.status_code, response.content)
        return response.json() if response.content else None
