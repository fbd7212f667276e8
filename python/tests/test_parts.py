from __future__ import annotations

import asyncio
import dataclasses
import datetime
import json
import os
import unittest
from collections.abc import MutableMapping
from typing import Any
from unittest import mock

from switchroom import Agent, Call, Entry, SwitchroomError, connect, relay
from switchroom.back_off import BackOff
from switchroom.bot_text import joined
from switchroom.encoding import encoded
from switchroom.errors import refusal_in
from switchroom.tool import Tool
from switchroom.tool_runs import ToolRuns


async def _no_entries(_: str) -> list[Entry]:
    return []


class PartsTest(unittest.TestCase):
    def test_pauses_double_up_to_fifteen_seconds_with_jitter(self) -> None:
        pauses = []
        for _ in range(50):
            back_off = BackOff()
            pauses.append([back_off.next_s() for _ in range(12)])
        for i, longest in enumerate((0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 15, 15)):
            those = [each[i] for each in pauses]
            self.assertTrue(all(longest / 2 <= pause <= longest for pause in those))
            self.assertGreater(len(set(those)), 10)
        back_off.reset()
        self.assertLessEqual(back_off.next_s(), 0.2)

    def test_a_frame_is_valid_utf_8_without_nul_and_what_json_has_no_word_for(self) -> None:
        @dataclasses.dataclass
        class Order:
            bread: str
            at: datetime.date

        frame = {
            "half": "\ud83d",
            "pair": "\ud83d\ude00",
            "nul": "a\0b",
            "nan": [float("nan"), float("inf")],
            "order": Order("語", datetime.date(2026, 1, 2)),
            7: {"a\0": (1, 2)},
        }
        text = encoded(frame)  # type: ignore[arg-type]
        text.encode()
        self.assertIn("語", text)
        self.assertEqual(
            json.loads(text),
            {
                "half": "\ud83d",
                "pair": "😀",
                "nul": "ab",
                "nan": [None, None],
                "order": {"bread": "語", "at": "2026-01-02"},
                "7": {"a": [1, 2]},
            },
        )
        with self.assertRaises(TypeError):
            encoded({"what": object()})
        with self.assertRaises(SwitchroomError) as raised:
            encoded({"text": "x" * 300_000})
        self.assertEqual(raised.exception.code, "FRAME_TOO_LONG")

    def test_words_are_joined_as_a_person_would_write_them(self) -> None:
        for words, written in (
            (["Good", "day", ",", "Ana", "."], "Good day, Ana."),
            (["(", "yes", ")"], "(yes)"),
            (["¿", "Qué", "?"], "¿Qué?"),
            (["你", "好", "。"], "你好。"),
            (["Hi ", "there"], "Hi there"),
        ):
            text = ""
            for word in words:
                text = joined(text, word)
            self.assertEqual(text, written)

    def test_a_refusal_has_the_gateways_sentence_and_code_and_a_proxys_answer_has_neither(self) -> None:
        refusal = refusal_in(409, b'{"detail": "another app has it", "code": "TAKEN"}')
        self.assertEqual((refusal.code, refusal.detail, refusal.status), ("TAKEN", "another app has it", 409))
        for code in (b"7", b"null"):
            self.assertEqual(refusal_in(409, b'{"detail": "taken", "code": ' + code + b"}").code, "HTTP_409")
        self.assertEqual(refusal_in(401, b'{"detail": "revoked"}').code, "UNAUTHORIZED")
        for body in (b"<html>", b"[]", b"\xff", b"[" * 100_000):
            detail = "the gateway answered 502 without a reason: check its address"
            self.assertEqual(refusal_in(502, body).detail, detail)

    def test_the_key_and_the_address_are_checked_before_anything_is_sent(self) -> None:
        async def connecting(**options: Any) -> None:
            connect(**options)

        with mock.patch.dict(os.environ, {"SVC_KEY": ""}), self.assertRaises(SwitchroomError) as raised:
            asyncio.run(connecting())
        self.assertEqual(raised.exception.detail, "no key: set SVC_KEY or pass `key`")
        with self.assertRaises(SwitchroomError) as raised:
            asyncio.run(connecting(key="x", url="gateway:8080"))
        sentence = "gateway:8080 is not an address: it must start with http:// or https://"
        self.assertEqual((raised.exception.code, raised.exception.detail), ("BAD_URL", sentence))


class RelayTest(unittest.IsolatedAsyncioTestCase):
    async def test_a_relay_streams_events_to_each_reader_until_it_leaves_or_the_relay_is_closed(self) -> None:
        desk = Agent("desk")
        relayed = relay([desk])
        sent: list[bytes] = []
        left = asyncio.Event()

        async def receive() -> dict[str, Any]:
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message.get("body", b"") or str(message.get("status", "end")).encode())

        leaving = asyncio.ensure_future(relayed({"type": "http"}, receive, send))
        staying = asyncio.ensure_future(relayed({"type": "http"}, asyncio.Event().wait, send))  # type: ignore[arg-type]
        while len(sent) < 4:
            await asyncio.sleep(0)
        self.assertEqual(sorted(sent), [b"200", b"200", b":ready\n\n", b":ready\n\n"])
        desk.seen("user.message", "call_1", {"text": "語"})
        event = 'event: user.message\ndata: {"text":"語","agent":"desk","call":"call_1"}\n\n'.encode()
        while sent.count(event) < 2:
            await asyncio.sleep(0)
        left.set()
        await leaving
        relayed.close()
        await staying
        self.assertEqual(sent[-1], b"end")
        desk.seen("user.message", "call_1", {})
        self.assertEqual(sent.count(event), 2)
        with self.assertRaises(NotImplementedError):
            await relayed({"type": "lifespan"}, receive, send)


class ToolRunsTest(unittest.IsolatedAsyncioTestCase):
    @mock.patch("switchroom.tool_runs._MOST_KEPT", 100)
    async def test_a_result_is_forgotten_after_an_hour_or_when_there_are_too_many_but_only_once_it_was_received(self) -> None:
        now = 0.0
        sent: list[str] = []
        runs = ToolRuns(sent.append, lambda: now)
        ran: list[int] = []
        agent = Agent("desk", tools=[Tool(lambda: ran.append(1), name="count", description="")])
        call = Call("call_1", "desk", lambda _: None, _no_entries)

        async def ask(id: str) -> None:
            runs.ask(agent, call, {"id": id, "name": "count", "arguments": "{}"})
            for _ in range(5):
                await asyncio.sleep(0)

        await ask("first")
        await ask("first")
        self.assertEqual((len(ran), len(sent)), (1, 2))
        now = 3700.0
        await ask("second")
        await ask("first")
        self.assertEqual(len(ran), 3)
        for i in range(105):
            await ask(str(i))
            runs.received("call_1", str(i))
        before = len(ran)
        await ask("second")
        self.assertEqual(len(ran), before)  # it was never received, and so is kept
        runs.received("call_1", "second")
        await ask("another")
        await ask("second")
        self.assertEqual(len(ran), before + 2)

    async def test_a_drain_waits_for_what_runs_and_for_what_was_not_received(self) -> None:
        gate: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        async def slow() -> str:
            return await gate

        runs = ToolRuns(lambda _: None)
        agent = Agent("desk", tools=[Tool(slow)])
        call = Call("call_1", "desk", lambda _: None, _no_entries)
        runs.ask(agent, call, {"id": "a", "name": "slow", "arguments": ""})
        draining = asyncio.ensure_future(runs.drained())
        for _ in range(5):
            await asyncio.sleep(0)
        gate.set_result("done")
        for _ in range(5):
            await asyncio.sleep(0)
        self.assertFalse(draining.done())
        runs.received("call_1", "a")
        await draining


if __name__ == "__main__":
    unittest.main()
