"""JSON as the standard has it. Python's reader takes more, and what it takes more of cannot be written back."""

from __future__ import annotations

import json
from json import JSONDecodeError
from typing import Any

DEEPEST = 64
_LARGEST = 2**63


def strict_json(body: bytes) -> Any:
    """The content of a body. Refused: NaN and infinities, integers beyond 64 bits, half characters, deep nesting."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise JSONDecodeError("not UTF-8", "", error.start) from None
    try:
        content = json.loads(text, parse_constant=_no_constant, parse_float=_finite, parse_int=_within_64_bits)
        deep = _is_deep(content)
    except JSONDecodeError as error:
        raise JSONDecodeError(error.msg, "", error.pos) from None  # without the body: errors are told and logged
    except RecursionError:
        deep = True
    if deep:
        raise JSONDecodeError(f"nested deeper than {DEEPEST} levels", "", 0)
    if "\\u" in text:
        try:
            json.dumps(content, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise JSONDecodeError("a half of a surrogate pair", "", 0) from None
    return content


def _is_deep(content: Any) -> bool:
    level = [content] if isinstance(content, (dict, list)) else []
    for _ in range(DEEPEST):
        level = [
            inner
            for one in level
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return False
    return True


def _no_constant(name: str) -> Any:
    raise JSONDecodeError(f"{name} is no number of JSON", "", 0)


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise JSONDecodeError("a number is too large", "", 0)
    return value


def _within_64_bits(text: str) -> int:
    value = int(text) if len(text) < 30 else _LARGEST
    if not -_LARGEST <= value < _LARGEST:
        raise JSONDecodeError("a whole number is too large", "", 0)
    return value
