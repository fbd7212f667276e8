from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast
from urllib.parse import quote

from .address import Address
from .shapes import Environment

NumberType = Literal["local", "mobile", "national", "toll-free"]
Fields = dict[str, Any]
Rows = list[Fields]


class NumbersClient:
    """The phone numbers of an org: searches, buys and releases them. Its key opens `numbers`."""

    def __init__(
        self, *, url: str | None = None, key: str | None = None, env: Environment | None = None
    ) -> None:
        self._address = Address(url, key, env)

    async def list(self) -> Rows:
        """The numbers of the environment, oldest first."""
        return cast(Rows, (await self._ask("GET", ""))["numbers"])

    async def search(
        self,
        country: str,
        *,
        type: NumberType | None = None,
        area_code: str | None = None,
        contains: str | None = None,
        address: str | None = None,
        limit: int | None = None,
    ) -> Rows:
        """Numbers for sale, to choose from. `limit` is 1 to 100, and 20 by default."""
        query = {
            "country": country,
            "type": type,
            "area_code": area_code,
            "contains": contains,
            "address": address,
            "limit": limit,
        }
        return cast(Rows, (await self._ask("GET", "/for-sale", query))["numbers"])

    async def requirements(self, country: str, *, type: NumberType | None = None) -> Fields:
        """The addresses and bundles that numbers of a country and a type can be bought with."""
        return cast(Fields, await self._ask("GET", "/requirements", {"country": country, "type": type}))

    async def buy(
        self,
        country: str,
        agent: str,
        *,
        number: str | None = None,
        type: NumberType | None = None,
        area_code: str | None = None,
        contains: str | None = None,
        address: str | None = None,
        bundle: str | None = None,
        dry_run: bool = False,
    ) -> Fields:
        """Buys the number that it names, or else the first that is found, and routes it to the agent.

        With `dry_run` it answers the steps and buys nothing.
        """
        body = {
            "country": country,
            "agent": agent,
            "number": number,
            "type": type,
            "area_code": area_code,
            "contains": contains,
            "address": address,
            "bundle": bundle,
        }
        stated = {name: value for name, value in body.items() if value is not None}
        query = {"dry_run": "true" if dry_run else None}
        return cast(Fields, await self._ask("POST", "/buy", query, stated))

    async def release(self, number: str, *, at_carrier: bool = False) -> None:
        """Removes the number from the org; with `at_carrier` the carrier may sell it to others."""
        query = {"at_carrier": "true" if at_carrier else None}
        await self._ask("DELETE", f"/{quote(number, safe='')}", query)

    async def _ask(
        self,
        method: str,
        path: str,
        query: Mapping[str, str | int | None] | None = None,
        body: Mapping[str, object] | None = None,
    ) -> Any:
        stated = {name: str(value) for name, value in (query or {}).items() if value is not None}
        return await self._address.ask(method, f"/v1/numbers{path}", body, stated)
