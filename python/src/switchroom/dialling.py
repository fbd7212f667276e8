from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import quote

from .address import Address
from .shapes import Consent, DialledCall, Environment


class DialClient:
    """Has an agent call people. Its key opens `talk`."""

    def __init__(
        self, *, url: str | None = None, key: str | None = None, env: Environment | None = None
    ) -> None:
        self._address = Address(url, key, env)

    async def dial(
        self,
        agent: str,
        to: str | None = None,
        *,
        extension: str | None = None,
        account: str | None = None,
        from_: str | None = None,
        log: bool | int = False,
        consent: Consent | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> DialledCall:
        """Has the agent call a number, or an extension of a SIP account; answered before anything rings.

        How it goes is in the call's log. With `log`, the answer has a `log_token` that opens this log alone: until an
        hour after the call, or for as many seconds as `log` says. The agent has `metadata` as `call.metadata`.
        """
        wanted: bool | dict[str, int] | None = log if isinstance(log, bool) else {"ttl_s": log}
        body = {
            "to": to,
            "extension": extension,
            "account": account,
            "from": from_,
            "log": wanted or None,
            "consent": consent,
            "metadata": metadata,
        }
        stated = {name: value for name, value in body.items() if value is not None}
        return cast(DialledCall, await self._address.ask("POST", f"{_path_of(agent)}/dial", stated))

    async def explain(self, agent: str, to: str, *, from_: str | None = None) -> dict[str, Any]:
        """What a dial would be answered now, and why: `would`, `reason`, `detail` and each guard."""
        query = {"to": to} if from_ is None else {"to": to, "from": from_}
        answer = await self._address.ask("GET", f"{_path_of(agent)}/dial/explain", query=query)
        return cast("dict[str, Any]", answer)


def _path_of(agent: str) -> str:
    return f"/v1/agents/{quote(agent, safe='')}"
