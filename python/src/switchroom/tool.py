from __future__ import annotations

import inspect
import json
import typing
from collections.abc import Callable, Mapping
from typing import Any, overload

from .call import Call
from .errors import SwitchroomError
from .hints import Field, Misfit, fitting_fields, object_schema


class Tool:
    """What a model may ask this process to do. The model reads what it returns, or as an error what it raises.

    `timeout_s` is how long it may take: after that the model reads that it failed. Default: 30 s, as the deployment
    sets it. `while_` is said to the caller if it takes longer than a second, such as `One moment, please.`
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        timeout_s: float | None = None,
        while_: str | None = None,
    ) -> None:
        self.function = function
        self.name: str = name or str(getattr(function, "__name__", ""))
        self.description = description if description is not None else inspect.getdoc(function) or ""
        self._call_argument, self._fields = _fields_of(self.name, function)
        self._timeout_s = timeout_s
        self._while = while_
        self._is_raw = parameters is not None
        self.parameters = dict(parameters) if parameters is not None else _schema_of(self.name, self._fields)

    @property
    def declaration(self) -> dict[str, object]:
        declared: dict[str, object] = {
            "name": self.name,
            "description": self.description,
            "parameters": self.parameters,
        }
        if self._timeout_s is not None:
            declared["timeoutMs"] = round(self._timeout_s * 1000)
        if self._while is not None:
            declared["while"] = self._while
        return declared

    async def perform(self, text: str, call: Call) -> Any:
        """Runs it with the arguments as the model wrote them, once they fit the hints."""
        given = _read(text)
        try:
            arguments = given if self._is_raw else fitting_fields(self._fields, given)
        except Misfit as problem:
            raise ValueError(f"the arguments do not fit: {problem}") from None
        if self._call_argument is not None:
            arguments = {**arguments, self._call_argument: call}
        answer = self.function(**arguments)
        return await answer if inspect.isawaitable(answer) else answer

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function itself, for tests of it."""
        return self.function(*args, **kwargs)


@overload
def tool(function: Callable[..., Any]) -> Tool: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    timeout_s: float | None = None,
    while_: str | None = None,
) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Makes a tool of a function: its docstring is the description, its type hints are the schema.

    A parameter with the hint `Call` gets the call and is not shown to the model. With `parameters`, a JSON schema,
    the function gets the model's arguments by name and unchecked. `Tool` says what `timeout_s` and `while_` are.
    """
    if function is None:
        return lambda decorated: Tool(decorated, **options)
    return Tool(function)


def _fields_of(name: str, function: Callable[..., Any]) -> tuple[str | None, dict[str, Field]]:
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except NameError as error:
        raise _bad(name, f"its hints cannot be read: {error}") from error
    call_argument: str | None = None
    fields: dict[str, Field] = {}
    for each, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            raise _bad(name, f"`{each}` cannot be given by name")
        if hints.get(each) is Call:
            call_argument = each
        elif parameter.kind is not parameter.VAR_KEYWORD:
            is_required = parameter.default is parameter.empty
            fields[each] = Field(hints.get(each, Any), is_required, parameter.default)
    return call_argument, fields


def _schema_of(name: str, fields: Mapping[str, Field]) -> dict[str, Any]:
    try:
        return object_schema(fields)
    except (TypeError, NameError) as error:
        raise _bad(name, str(error)) from error


def _bad(name: str, why: str) -> SwitchroomError:
    return SwitchroomError("BAD_TOOL", f"the tool {name}: {why}")


def _read(text: str) -> dict[str, Any]:
    try:
        given = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        raise ValueError("the arguments are not JSON") from None
    if not isinstance(given, dict):
        raise ValueError("the arguments do not fit: they must be an object")
    return given
