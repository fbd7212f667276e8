"""Does with this SDK what e2e/src/wire/wire-driver.ts asks; sdk/testing/wire-driver.ts does the same with the other."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from switchroom import Agent, Call, Chat, DialClient, GatewayRefusal, Holders, ModelEndpoints, NumbersClient
from switchroom import PhoneLine, Switchroom, SwitchroomError, ThreadsClient, Tool
from switchroom import connect, follow_call, open_chat

Asked = dict[str, Any]

apps: dict[str, Switchroom] = {}
agents: dict[str, Agent] = {}
chats: dict[str, Chat] = {}
calls: dict[str, Call] = {}
gates: dict[str, asyncio.Future[Any]] = {}

EVENTS = (
    "chat.started",
    "call.passed",
    "call.started",
    "call.ended",
    "user.message",
    "agent.message",
    "callback.requested",
    "call.error",
    "call.transferred",
    "llm.toolCall",
)


def tell(report: Asked) -> None:
    sys.stdout.write(json.dumps(report) + "\n")
    sys.stdout.flush()


def tell_error(of: Asked) -> Any:
    return lambda error: tell({"event": "error", **of, "code": error.code, "detail": error.detail})


def tool_of(asked: Asked) -> Tool:
    """A tool that reports each run, and does what the test says."""
    name = asked["name"]

    async def run(call: Call, **arguments: Any) -> Any:
        tell({"event": "tool", "name": name, "arguments": arguments, "call": call.id})
        if "raises" in asked:
            raise ValueError(asked["raises"])
        if "repeats" in asked:
            return asked["repeats"]["text"] * asked["repeats"]["times"]
        if "waits" not in asked:
            return asked.get("returns")
        gates[asked["waits"]] = asyncio.get_running_loop().create_future()
        return await gates[asked["waits"]]

    return Tool(
        run,
        name=name,
        description=f"the tool {name}",
        parameters=asked.get("parameters", {"type": "object"}),
        timeout_s=asked["timeoutMs"] / 1000 if "timeoutMs" in asked else None,
        while_=asked.get("while"),
    )


def agent_of(asked: Asked) -> Agent:
    name = asked["agent"]
    preparing = asked.get("preparing", False)
    agent = Agent(
        name,
        prompt=asked.get("prompt"),
        tools=[tool_of(each) for each in asked.get("tools", [])],
        settings=asked.get("settings", {}),
        preparing=preparing if preparing is True or preparing is False else preparing["timeoutMs"],
    )
    agent.on("ready", lambda: tell({"event": "ready", "agent": name}))
    agent.on("error", tell_error({"agent": name}))

    @agent.on("holders")
    def shared(now: Holders) -> None:
        told = {"apps": [dict(each) for each in now.holders], "newCalls": now.new_calls}
        tell({"event": "holders", "agent": name, **told})

    def report(event: str) -> None:
        @agent.on(event)
        def happened(*given: Any) -> None:
            call = next(each for each in given if isinstance(each, Call))
            calls[call.id] = call
            more = {"reason": given[1]} if len(given) > 1 else {}
            data = more if given[0] is call else given[0]
            of = {"agent": name, "call": call.id, "from": call.from_, "transport": call.transport}
            of |= {"metadata": call.metadata}
            tell({"event": event, **of, "data": data})

    for event in EVENTS:
        report(event)

    @agent.on("call.preparing")
    async def prepare(call: Call, turn: Asked) -> Asked | None:
        tell({"event": "call.preparing", "agent": name, "call": call.id, "turn": turn["turn"]})
        return {"context": f"turn {turn['turn']}"} if preparing else None

    agents[name] = agent
    return agent


class Doing:
    """What a test may ask, by name."""

    async def connect(self, asked: Asked) -> None:
        app = asked["app"]
        switchroom = connect(url=asked["url"], key=asked["key"], app=asked.get("name"))
        switchroom.on("connected", lambda: tell({"event": "connected", "app": app}))
        switchroom.on("disconnected", lambda why: tell({"event": "disconnected", "app": app, "reason": why}))
        switchroom.on("error", tell_error({"app": app}))
        apps[app] = switchroom

    async def hold(self, asked: Asked) -> None:
        how = {name: asked.get(name, False) for name in ("exclusive", "balance")}
        await apps[asked["app"]].hold(agent_of(asked), **how)

    async def holdLine(self, asked: Asked) -> None:
        number = asked["number"]
        line = PhoneLine(number)
        line.on("error", tell_error({"line": number}))

        @line.on("call")
        async def rang(call: Call) -> None:
            tell({"event": "line.call", "line": number, "call": call.id, "extension": call.extension})
            outcome = await line.route(call, asked["agent"])
            why = {} if outcome.routed else {"reason": outcome.reason}
            tell({"event": "line.outcome", "line": number, "routed": outcome.routed, **why})

        await apps[asked["app"]].hold(line)

    async def release(self, asked: Asked) -> None:
        apps[asked["app"]].release(agents[asked["agent"]])

    async def state(self, asked: Asked) -> str:
        return agents[asked["agent"]].state

    async def close(self, asked: Asked) -> None:
        await apps[asked["app"]].close()

    async def open(self, asked: Asked) -> None:
        gates[asked["gate"]].set_result(asked["value"])

    async def say(self, asked: Asked) -> None:
        calls[asked["call"]].say(asked["text"])

    async def end(self, asked: Asked) -> None:
        calls[asked["call"]].end()

    async def callback(self, asked: Asked) -> None:
        calls[asked["call"]].callback(asked["number"], when=asked.get("when"), note=asked.get("note"))

    async def optOut(self, asked: Asked) -> None:
        calls[asked["call"]].opt_out()

    async def transfer(self, asked: Asked) -> Asked:
        outcome = await calls[asked["call"]].transfer(asked["to"], kind=asked["kind"])
        return {"ok": True} if outcome.ok else {"ok": False, "why": outcome.why}

    async def sendTones(self, asked: Asked) -> None:
        calls[asked["call"]].send_tones(asked["digits"])

    async def history(self, asked: Asked) -> list[Asked]:
        turns = await calls[asked["call"]].history()
        return [{"who": turn.who, "text": turn.text, "role": turn.role} for turn in turns]

    async def entries(self, asked: Asked) -> list[Asked]:
        return [{"seq": each["seq"], "type": each["type"]} for each in await calls[asked["call"]].entries()]

    async def follow(self, asked: Asked) -> list[int]:
        seqs: list[int] = []
        call, after = asked["call"], asked.get("after", 0)
        async for entry in follow_call(call, after=after, url=asked["url"], key=asked["key"]):
            seqs.append(entry["seq"])
            tell({"event": "followed", "call": call, "seq": entry["seq"]})
        return seqs

    async def openChat(self, asked: Asked) -> str:
        name = asked["chat"]
        about = {"contact": asked.get("contact"), "metadata": asked.get("metadata")}
        chat = open_chat(asked["agent"], **about, url=asked["url"], key=asked["key"])
        chats[name] = chat
        chat.on("message", lambda came: tell({"event": "chat.message", "chat": name, "text": came.text, "seq": came.seq}))
        chat.on("ended", lambda reason: tell({"event": "chat.ended", "chat": name, "reason": reason}))
        chat.on("error", tell_error({"chat": name}))
        return await chat.started()

    async def dial(self, asked: Asked) -> Asked:
        client = DialClient(url=asked["url"], key=asked["key"])
        return dict(await client.dial(asked["agent"], asked["to"], metadata=asked.get("metadata")))

    async def explain(self, asked: Asked) -> Asked:
        return await DialClient(url=asked["url"], key=asked["key"]).explain(asked["agent"], asked["to"])

    async def numbers(self, asked: Asked) -> list[Asked]:
        return await NumbersClient(url=asked["url"], key=asked["key"]).list()

    async def releaseNumber(self, asked: Asked) -> None:
        await NumbersClient(url=asked["url"], key=asked["key"]).release(asked["number"])

    async def threads(self, asked: Asked) -> Asked:
        page = await ThreadsClient(url=asked["url"], key=asked["key"]).page(asked["agent"], limit=10)
        return dict(page)

    async def writeThread(self, asked: Asked) -> Asked:
        client = ThreadsClient(url=asked["url"], key=asked["key"])
        return await client.write(asked["agent"], asked["contact"], asked["text"])

    async def endpoints(self, asked: Asked) -> list[Asked]:
        return await ModelEndpoints(url=asked["url"], key=asked["key"]).list()

    async def readEndpoint(self, asked: Asked) -> Asked:
        return await ModelEndpoints(url=asked["url"], key=asked["key"]).read(asked["name"])

    async def send(self, asked: Asked) -> int:
        return (await chats[asked["chat"]].send(asked["text"])).seq

    async def endChat(self, asked: Asked) -> None:
        await chats[asked["chat"]].end()


async def act(asked: Asked) -> None:
    id = asked["id"]
    try:
        tell({"id": id, "value": await getattr(Doing(), asked["do"])(asked)})
    except SwitchroomError as error:
        status = {"status": error.status} if isinstance(error, GatewayRefusal) else {}
        tell({"id": id, "error": {"code": error.code, "detail": error.detail, **status}})
    except Exception as error:
        tell({"id": id, "error": {"code": "OTHER", "detail": f"{type(error).__name__}: {error}"}})


async def main() -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=64 * 1024 * 1024)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    acting: set[asyncio.Task[None]] = set()
    while line := await reader.readline():
        task = loop.create_task(act(json.loads(line)))
        acting.add(task)
        task.add_done_callback(acting.discard)


asyncio.run(main())
