from __future__ import annotations

import asyncio
import signal

from .client import connect
from .driven_calls import Held
from .shapes import Environment


def run(
    *held: Held,
    url: str | None = None,
    key: str | None = None,
    env: Environment | None = None,
    app: str | None = None,
) -> None:
    """Holds agents and lines until the process gets SIGINT or SIGTERM: a whole program in one call."""
    asyncio.run(_run(held, url, key, env, app))


async def _run(
    held: tuple[Held, ...], url: str | None, key: str | None, env: Environment | None, app: str | None
) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for each in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(each, stopped.set)
        except NotImplementedError:  # on Windows an interrupt ends asyncio.run
            pass
    async with connect(url=url, key=key, env=env, app=app) as switchroom:
        holding = asyncio.ensure_future(switchroom.hold(*held))
        stopping = asyncio.ensure_future(stopped.wait())
        await asyncio.wait({holding, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if holding.done():
            holding.result()
            await stopping
        else:
            holding.cancel()
        stopping.cancel()
