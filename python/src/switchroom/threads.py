from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict, cast
from urllib.parse import quote

from .address import Address
from .shapes import Environment


Threads = list[dict[str, Any]]


class ThreadPage(TypedDict):
    """`next` is the `after` of the next page, and None on the last."""

    threads: Threads
    next: str | None


class ThreadsClient:
    """Everything between agents and their contacts: read it, write as the agent, and send approved templates."""

    def __init__(
        self, *, url: str | None = None, key: str | None = None, env: Environment | None = None
    ) -> None:
        self._address = Address(url, key, env)

    async def list(
        self, agent: str, *, contact: str | None = None, turns: int | None = None
    ) -> Threads:
        """All of them, newest first; `page` reads some at a time. The key opens `calls`."""
        answer = await self._ask("GET", agent, "threads", query={"contact": contact, "turns": turns})
        return cast(Threads, answer["threads"])

    async def page(
        self, agent: str, *, after: str | None = None, limit: int = 50, turns: int | None = None
    ) -> ThreadPage:
        """A page of threads, newest first."""
        query = {"after": after, "limit": limit, "turns": turns}
        answer = await self._ask("GET", agent, "threads", query=query)
        return {"threads": answer["threads"], "next": answer.get("next")}

    async def write(self, agent: str, contact: str, text: str) -> dict[str, Any]:
        """Sends a text within 24 hours of what the contact last wrote. The key opens `talk`."""
        return await self._ask("POST", agent, "threads", contact, "messages", body={"text": text})

    async def templates(
        self, agent: str, *, number: str | None = None, contact: str | None = None
    ) -> dict[str, Any]:
        """The templates that the messaging platform approved. The key opens `talk`."""
        return await self._ask("GET", agent, "templates", query={"number": number, "contact": contact})

    async def send_template(self, agent: str, contact: str, template: Mapping[str, Any]) -> dict[str, Any]:
        """Sends a template, also later than 24 hours after the contact wrote. The key opens `talk`."""
        return await self._ask("POST", agent, "threads", contact, "templates", body=template)

    async def mark_read(self, agent: str, contact: str, up_to: int | None = None) -> dict[str, Any]:
        """Everything up to a turn is read, by the person whose key it is; the contact sees that too."""
        body = {} if up_to is None else {"up_to": up_to}
        return await self._ask("PUT", agent, "threads", contact, "read", body=body)

    async def _ask(
        self,
        method: str,
        *parts: str,
        query: Mapping[str, str | int | None] | None = None,
        body: Mapping[str, object] | None = None,
    ) -> dict[str, Any]:
        path = "/v1/agents/" + "/".join(quote(part, safe="") for part in parts)
        stated = {name: str(value) for name, value in (query or {}).items() if value is not None}
        return cast("dict[str, Any]", await self._address.ask(method, path, body, stated))
