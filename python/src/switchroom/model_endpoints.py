from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import quote

from .address import Address
from .shapes import Environment

Fields = dict[str, Any]
Rows = list[Fields]


class ModelEndpoints:
    """The org's own model endpoints of one environment, which agents use as `custom/<name>`. The key opens `providers`."""

    def __init__(
        self, *, url: str | None = None, key: str | None = None, env: Environment | None = None
    ) -> None:
        self._address = Address(url, key, env)

    async def list(self) -> Rows:
        return cast(Rows, (await self._ask("GET"))["endpoints"])

    async def read(self, name: str) -> Fields:
        return cast(Fields, await self._ask("GET", name))

    async def create(self, endpoint: Mapping[str, object]) -> Fields:
        """Raises what the endpoint answered if it refuses the one request that tries it."""
        return cast(Fields, await self._ask("POST", body=endpoint))

    async def change(self, name: str, change: Mapping[str, object]) -> Fields:
        """What is not named stays as it is. Tried like a new one."""
        return cast(Fields, await self._ask("PATCH", name, body=change))

    async def try_(self, name: str) -> Fields:
        """Asks for one word, and answers how long it took."""
        return cast(Fields, await self._ask("POST", name, "try"))

    async def delete(self, name: str) -> None:
        """Raises while an agent uses it."""
        await self._ask("DELETE", name)

    async def _ask(self, method: str, *parts: str, body: Mapping[str, object] | None = None) -> Any:
        path = "/".join(["/v1/model-endpoints", *(quote(part, safe="") for part in parts)])
        return await self._address.ask(method, path, body)
