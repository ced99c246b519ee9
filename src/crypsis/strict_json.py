"""JSON as the standard has it, read with limits. Python's own reader takes more than other programs can read.

Refused: a key that stands twice in an object, NaN and infinities, whole numbers beyond 64 bits, numbers of hundreds of
digits, half characters, nesting beyond a depth, files beyond a size. Everything that is refused raises
`JSONDecodeError`, a `ValueError`, and never tells the text itself: errors are shown and logged.
"""

from __future__ import annotations

import json
import math
import os
import stat
from json import JSONDecodeError
from pathlib import Path
from typing import Any

DEEPEST = 100
LONGEST_NUMBER = 400
LARGEST_FILE = 256 << 20
_LARGEST = 2**63


def parse_json(text: str | bytes, *, deepest: int = DEEPEST) -> Any:
    """The content of a text.

    >>> parse_json('{"k": 5}')
    {'k': 5}
    """
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise JSONDecodeError("not UTF-8", "", error.start) from None
    try:
        content = _DECODER.decode(text)
        deep = isinstance(content, (dict, list)) and _is_deep(content, deepest)
    except JSONDecodeError as error:
        raise JSONDecodeError(error.msg, "", error.pos) from None
    except RecursionError:
        deep = True
    if deep:
        raise JSONDecodeError(f"nested deeper than {deepest} levels", "", 0)
    if "\\u" in text:
        try:
            json.dumps(content, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise JSONDecodeError("a half of a surrogate pair", "", 0) from None
    return content


def read_json(path: str | Path, *, largest: int = LARGEST_FILE, deepest: int = DEEPEST) -> Any:
    """The content of a file of at most so many bytes; `OSError` where it cannot be opened or is no regular file."""
    with Path(path).open("rb") as stream:
        found = os.fstat(stream.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise OSError("not a regular file")
        if found.st_size > largest:
            raise JSONDecodeError(f"{found.st_size:,} bytes are more than the {largest:,} that are read", "", 0)
        return parse_json(stream.read(largest + 1), deepest=deepest)


def _is_deep(content: Any, deepest: int) -> bool:
    level = [content]
    for _ in range(deepest):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return False
    return True


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise JSONDecodeError("an object has a key twice", "", 0)
    return content


def _no_constant(name: str) -> Any:
    raise JSONDecodeError(f"{name} is no number of JSON", "", 0)


def _finite(text: str) -> float:
    if len(text) > LONGEST_NUMBER:
        raise JSONDecodeError(f"a number has more than {LONGEST_NUMBER} digits", "", 0)
    value = float(text)
    if not math.isfinite(value):
        raise JSONDecodeError("a number is too large", "", 0)
    return value


def _within_64_bits(text: str) -> int:
    if len(text) < 19:
        return int(text)
    value = int(text) if len(text) < 30 else _LARGEST
    if not -_LARGEST <= value < _LARGEST:
        raise JSONDecodeError("a whole number is too large", "", 0)
    return value


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_finite, parse_int=_within_64_bits
)
