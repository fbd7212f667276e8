from __future__ import annotations

import asyncio
import dataclasses
import enum
import unittest
from typing import Annotated, Any, Literal, Optional, TypedDict

from switchroom import Agent, Call, SwitchroomError, Tool, tool


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


@dataclasses.dataclass
class Guest:
    name: str
    age: int = 0


class Wish(TypedDict):
    text: str


def call_of() -> Call:
    async def entries(_: str) -> list[Any]:
        return []

    return Call("call_1", "desk", lambda _: None, entries)


def performed(tested: Tool, arguments: str) -> Any:
    return asyncio.run(tested.perform(arguments, call_of()))


class ToolsTest(unittest.TestCase):
    def test_the_schema_comes_from_the_hints_and_the_description_from_the_docstring(self) -> None:
        @tool
        async def book(
            people: Annotated[int, "how many come", {"minimum": 1}],
            when: Literal["noon", "night"],
            call: Call,
            names: list[str],
            guest: Guest,
            wishes: Optional[list[Wish]] = None,
            size: Size = Size.SMALL,
            more: dict[str, float] | None = None,
            at: tuple[int, int] = (0, 0),
            quiet: bool = False,
        ) -> str:
            """Books a table.

            At once.
            """
            return "done"

        self.assertEqual(book.name, "book")
        self.assertEqual(book.description, "Books a table.\n\nAt once.")
        text = {"type": "string"}
        wish = {
            "type": "object",
            "properties": {"text": text},
            "additionalProperties": False,
            "required": ["text"],
        }
        self.assertEqual(
            book.parameters,
            {
                "type": "object",
                "properties": {
                    "people": {"type": "integer", "description": "how many come", "minimum": 1},
                    "when": {"enum": ["noon", "night"]},
                    "names": {"type": "array", "items": text},
                    "guest": {
                        "type": "object",
                        "properties": {"name": text, "age": {"type": "integer", "default": 0}},
                        "additionalProperties": False,
                        "required": ["name"],
                    },
                    "wishes": {"anyOf": [{"type": "array", "items": wish}, {"type": "null"}], "default": None},
                    "size": {"enum": ["small", "large"]},
                    "more": {
                        "anyOf": [
                            {"type": "object", "additionalProperties": {"type": "number"}},
                            {"type": "null"},
                        ],
                        "default": None,
                    },
                    "at": {
                        "type": "array",
                        "prefixItems": [{"type": "integer"}, {"type": "integer"}],
                        "minItems": 2,
                        "maxItems": 2,
                    },
                    "quiet": {"type": "boolean", "default": False},
                },
                "additionalProperties": False,
                "required": ["people", "when", "names", "guest"],
            },
        )

    def test_arguments_are_converted_as_the_hints_say(self) -> None:
        @tool
        def seat(guest: Guest, size: Size, people: int, at: tuple[int, ...], call: Call) -> Any:
            return [guest, size, people, at, call.id]

        arguments = '{"guest": {"name": "Ana"}, "size": "large", "people": 2.0, "at": [1, 2, 3]}'
        self.assertEqual(performed(seat, arguments), [Guest("Ana"), Size.LARGE, 2, (1, 2, 3), "call_1"])

    def test_arguments_that_do_not_fit_are_a_sentence_for_the_model(self) -> None:
        @tool
        def seat(people: int, when: Literal["noon"] = "noon", wish: str | None = None) -> None:
            raise AssertionError("it ran")

        for arguments, why in (
            ("", "the arguments do not fit: /people is required"),
            ("[]", "the arguments do not fit: they must be an object"),
            ("{", "the arguments are not JSON"),
            ("[" * 100_000, "the arguments are not JSON"),
            ('{"people": true}', "the arguments do not fit: /people must be a whole number"),
            ('{"people": 1.5}', "the arguments do not fit: /people must be a whole number"),
            ('{"people": 1e999}', "the arguments do not fit: /people must be a whole number"),
            ('{"people": NaN}', "the arguments do not fit: /people must be a whole number"),
            ('{"people": 1, "when": 7}', "the arguments do not fit: /when must be one of noon"),
            ('{"people": 1, "wish": 7}', "the arguments do not fit: /wish must be text or /wish must be null"),
            ('{"people": 1, "child": 2}', "the arguments do not fit: /child is not known"),
        ):
            with self.subTest(arguments[:30]), self.assertRaises(ValueError) as raised:
                performed(seat, arguments)
            self.assertEqual(str(raised.exception), why)

    def test_a_hint_without_a_schema_raises_where_the_tool_is_made(self) -> None:
        with self.assertRaises(SwitchroomError) as raised:

            @tool
            def bad(what: object, how: complex) -> None: ...

        self.assertEqual(raised.exception.code, "BAD_TOOL")
        self.assertIn("the tool bad: <class 'complex'> has no JSON schema", raised.exception.detail)

    def test_an_agent_needs_a_name_and_has_no_two_tools_of_one_name(self) -> None:
        with self.assertRaises(SwitchroomError) as raised:
            Agent("")
        self.assertEqual(raised.exception.detail, "an agent needs a name: Agent('desk')")
        agent = Agent("desk")
        agent.tool(name="menu")(lambda: 1)
        with self.assertRaises(SwitchroomError):
            agent.tool(name="menu")(lambda: 2)

    def test_an_unknown_event_raises_with_the_nearest_name(self) -> None:
        agent = Agent("desk")
        for add_or_remove in (agent.on, agent.off):
            with self.assertRaises(SwitchroomError) as raised:
                add_or_remove("user.mesage", print)
            sentence = "an agent has no event `user.mesage`: did you mean `user.message`?"
            self.assertEqual((raised.exception.code, raised.exception.detail), ("UNKNOWN_EVENT", sentence))
        with self.assertRaises(SwitchroomError) as raised:
            agent.on("zzz")(print)
        self.assertIn("an agent has no event `zzz`: it has agent.message, audio.metrics", raised.exception.detail)


if __name__ == "__main__":
    unittest.main()
