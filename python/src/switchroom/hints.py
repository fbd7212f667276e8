"""JSON schemas from type hints, and values that fit them."""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union

_SIMPLE: dict[object, tuple[str, str]] = {
    str: ("string", "must be text"),
    bool: ("boolean", "must be true or false"),
    int: ("integer", "must be a whole number"),
    float: ("number", "must be a number"),
    type(None): ("null", "must be null"),
}
_LISTS = (list, Sequence, set, frozenset)
_DICTS = (dict, Mapping)


class Misfit(ValueError):
    """A value that does not fit its hint: where, and why."""


def schema_of(hint: Any) -> dict[str, Any]:
    """Raises TypeError for a hint that JSON cannot hold."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:  # whose notes may have no hash
        return {**schema_of(args[0]), **_notes_of(args[1:])}
    if hint is Any or hint is object:
        return {}
    if hint in _SIMPLE:
        return {"type": _SIMPLE[hint][0]}
    if hint in _LISTS:
        return {"type": "array"}
    if hint in _DICTS:
        return {"type": "object"}
    if origin is Literal:
        return {"enum": [each.value if isinstance(each, enum.Enum) else each for each in args]}
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(each) for each in args]}
    if origin in _LISTS:
        return {"type": "array", "items": schema_of(args[0])}
    if origin is tuple:
        return _tuple_schema(args)
    if origin in _DICTS:
        return {"type": "object", "additionalProperties": schema_of(args[1])}
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return {"enum": [each.value for each in hint]}
    if _has_fields(hint):
        return _object_schema(hint)
    raise TypeError(f"{hint!r} has no JSON schema: use text, numbers, lists, dicts, Literal, an Enum or a dataclass")


def fitting(hint: Any, value: Any, path: str) -> Any:
    """The value as its hint says, such as a dataclass for an object; raises Misfit."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return fitting(args[0], value, path)
    if hint is Any or hint is object:
        return value
    if hint in _SIMPLE:
        return _simple(hint, value, path)
    if origin is Literal:
        return _one_of({each.value if isinstance(each, enum.Enum) else each: each for each in args}, value, path)
    if origin in (Union, types.UnionType):
        return _first_fitting(args, value, path)
    if hint in _LISTS or origin in _LISTS:
        kind = origin or hint
        items = [fitting(args[0] if args else Any, each, f"{path}/{i}") for i, each in enumerate(_list(value, path))]
        return kind(items) if kind in (set, frozenset) else items
    if origin is tuple:
        return _tuple(args, _list(value, path), path)
    if hint in _DICTS or origin in _DICTS:
        return {name: fitting(args[1] if args else Any, each, f"{path}/{name}") for name, each in _dict(value, path).items()}
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return _one_of({each.value: each for each in hint}, value, path)
    fields = fitting_fields(_fields_of(hint), _dict(value, path), path)
    return fields if typing.is_typeddict(hint) else hint(**fields)


@dataclasses.dataclass(frozen=True)
class Field:
    hint: Any
    is_required: bool
    default: Any = ...


def object_schema(fields: Mapping[str, Field]) -> dict[str, Any]:
    properties = {}
    for name, field in fields.items():
        properties[name] = schema_of(field.hint)
        if field.default is None or isinstance(field.default, (str, bool, int, float)):
            properties[name]["default"] = field.default
    required = [name for name, field in fields.items() if field.is_required]
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def fitting_fields(fields: Mapping[str, Field], given: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    problems: list[str] = []
    for name, field in fields.items():
        if field.is_required and name not in given:
            problems.append(f"{path}/{name} is required")
    problems += [f"{path}/{name} is not known" for name in given if name not in fields]
    fit: dict[str, Any] = {}
    for name in (name for name in given if name in fields):
        try:
            fit[name] = fitting(fields[name].hint, given[name], f"{path}/{name}")
        except Misfit as problem:
            problems.append(str(problem))
    if problems:
        raise Misfit("; ".join(problems))
    return fit


def _notes_of(notes: Sequence[Any]) -> dict[str, Any]:
    """Text is a description; a dict is more of the schema, such as {"minimum": 1}."""
    schema: dict[str, Any] = {}
    for note in notes:
        if isinstance(note, str):
            schema["description"] = note
        elif isinstance(note, dict):
            schema.update(note)
    return schema


def _tuple_schema(args: tuple[Any, ...]) -> dict[str, Any]:
    if len(args) == 2 and args[1] is Ellipsis:
        return {"type": "array", "items": schema_of(args[0])}
    items = [schema_of(each) for each in args]
    return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}


def _has_fields(hint: Any) -> bool:
    return typing.is_typeddict(hint) or (isinstance(hint, type) and dataclasses.is_dataclass(hint))


def _fields_of(hint: Any) -> dict[str, Field]:
    hints = typing.get_type_hints(hint, include_extras=True)
    if typing.is_typeddict(hint):
        return {name: Field(each, name in hint.__required_keys__) for name, each in hints.items()}
    return {
        field.name: Field(
            hints[field.name],
            field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING,
            field.default,
        )
        for field in dataclasses.fields(hint)
        if field.init
    }


def _object_schema(hint: Any) -> dict[str, Any]:
    return object_schema(_fields_of(hint))


def _simple(hint: Any, value: Any, path: str) -> Any:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is float and is_number:
        return value
    if hint is int and is_number and value == value // 1 and abs(value) != float("inf"):
        return int(value)
    if hint not in (int, float) and type(value) is hint:
        return value
    raise Misfit(f"{path} {_SIMPLE[hint][1]}")


def _list(value: Any, path: str) -> list[Any]:
    if not isinstance(value, list):
        raise Misfit(f"{path} must be a list")
    return value


def _dict(value: Any, path: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Misfit(f"{path} must be an object")
    return value


def _tuple(args: tuple[Any, ...], value: list[Any], path: str) -> tuple[Any, ...]:
    if len(args) == 2 and args[1] is Ellipsis:
        return tuple(fitting(args[0], each, f"{path}/{i}") for i, each in enumerate(value))
    if len(value) != len(args):
        raise Misfit(f"{path} must have {len(args)} items")
    return tuple(fitting(hint, each, f"{path}/{i}") for i, (hint, each) in enumerate(zip(args, value)))


def _one_of(allowed: Mapping[Any, Any], value: Any, path: str) -> Any:
    for known, meant in allowed.items():
        if type(known) is type(value) and known == value:
            return meant
    raise Misfit(f"{path} must be one of {', '.join(str(known) for known in allowed)}")


def _first_fitting(hints: tuple[Any, ...], value: Any, path: str) -> Any:
    problems = []
    for hint in hints:
        try:
            return fitting(hint, value, path)
        except Misfit as problem:
            problems.append(str(problem))
    raise Misfit(" or ".join(dict.fromkeys(problems)))
