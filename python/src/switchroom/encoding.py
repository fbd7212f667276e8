from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import math
import re
import uuid
from collections.abc import Mapping
from typing import Any

from .errors import SwitchroomError

_LONGEST_BYTES = 256 * 1024
_SURROGATE = re.compile("[\ud800-\udfff]")


def encoded(frame: Mapping[str, object]) -> str:
    """Encodes a frame; the gateway refuses longer ones and those with a NUL."""
    text = json_text(frame)
    length = len(text.encode())
    if length > _LONGEST_BYTES:
        sentence = f"a frame is at most {_LONGEST_BYTES} bytes, and this one would be {length}"
        raise SwitchroomError("FRAME_TOO_LONG", sentence)
    return text


def json_text(value: object) -> str:
    """JSON that is always valid UTF-8: half of a surrogate pair, which has no UTF-8, is escaped."""
    text = json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def plain(value: Any) -> Any:
    """What JSON can hold of a value: without NUL, a number that is none as null, dataclasses as objects."""
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if isinstance(value, str):
        return value.replace("\0", "")
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {_key(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(each) for each in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (uuid.UUID, decimal.Decimal)):
        return str(value)
    dump = getattr(value, "model_dump", None)  # a pydantic model
    if callable(dump) and not isinstance(value, type):
        return plain(dump(mode="json"))
    raise TypeError(f"a {type(value).__name__} cannot be sent as JSON: return text, numbers, lists or dicts")


def _key(key: object) -> str:
    if isinstance(key, bool) or key is None or isinstance(key, (int, float)):
        return json.dumps(key)
    return str(plain(key))
