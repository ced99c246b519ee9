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
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from json import JSONDecodeError
from json.encoder import encode_basestring
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    import polars as pl

DEEPEST = 100
LONGEST_NUMBER = 400
LARGEST_FILE = 256 << 20
_LARGEST = 2**63
_ESCAPED = r'[\x00-\x1f\\"]'
_DIGITS = bytes.maketrans(b"123456789E", b"000000000e")
_OTHER_BYTES = bytes(byte for byte in range(256) if byte not in b'"[]{}')
_QUOTE = 2
_STEPS = bytes.maketrans(b'[{]}"', bytes([1, 1, 255, 255, _QUOTE]))


def parse_json(text: str | bytes, *, deepest: int = DEEPEST) -> Any:
    """The content of a text.

    >>> parse_json('{"k": 5}')
    {'k': 5}
    """
    try:
        text = text.decode("utf-8-sig") if isinstance(text, bytes) else text
        written = text.encode("utf-8")
    except UnicodeError as error:
        raise JSONDecodeError("not UTF-8", "", getattr(error, "start", 0)) from None
    if nested_deeper(written, deepest):
        raise JSONDecodeError(f"nested deeper than {deepest} levels", "", 0)
    digits = written.translate(_DIGITS, b"+")
    decoder = _CAREFUL_DECODER if b"0" * 19 in digits or b"e000" in digits else _DECODER
    try:
        content = decoder.decode(text)
    except JSONDecodeError as error:
        raise JSONDecodeError(error.msg, "", error.pos) from None
    except RecursionError:
        raise JSONDecodeError("nested too deep", "", 0) from None
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


def nested_deeper(content: bytes, deepest: int = DEEPEST) -> bool:
    """Whether arrays and objects stand in each other more often than that; brackets inside of texts do not count."""
    if content.count(b"[") + content.count(b"{") <= deepest:
        return False
    if b"\\" in content:
        content = content.replace(b"\\\\", b"").replace(b'\\"', b"")
    structure = content.translate(None, _OTHER_BYTES).replace(b'""', b"")  # texts without a bracket in them
    codes = np.frombuffer(structure.translate(_STEPS), np.int8)
    steps = codes % 2 * codes
    if b'"' in structure:
        steps[np.cumsum(codes == _QUOTE, dtype=np.int32) % 2 == 1] = 0
    return int(np.cumsum(steps, dtype=np.int32).max(initial=0)) > deepest


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise JSONDecodeError("an object has a key twice", "", 0)
    return content


def _no_constant(name: str) -> Any:
    raise JSONDecodeError(f"{name} is no JSON number", "", 0)


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


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant)
_CAREFUL_DECODER = json.JSONDecoder(  # looks at every number, which takes time, so only where one may be too large
    object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_finite, parse_int=_within_64_bits
)


def quoted(text: str) -> str:
    """A text as JSON writes it."""
    return encode_basestring(text)


def quoted_texts(texts: pl.Series) -> pl.Series:
    """Every text of a column as JSON writes it."""
    special = texts.str.contains(_ESCAPED)
    plain = '"' + texts + '"'
    return plain.scatter(special.arg_true(), list(map(quoted, texts.filter(special)))) if special.any() else plain


def indented_json(content: Any, depth: int = 1) -> str:
    """What `json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)` gives, several times as fast.

    Python indents one value after another; here everything that holds no other container goes to the encoder in C.
    """
    return "".join(indented_parts(content, depth))


def indented_parts(value: Any, depth: int = 1) -> Iterator[str]:
    """The same part by part, so that what is large is not put together in memory."""
    if hasattr(value, "indented"):
        own: OwnJson = value
        yield from own.indented(depth)
        return
    between, end = ",\n" + " " * depth, "\n" + " " * (depth - 1)
    held = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    if not held:
        yield _flat_encoder(",").encode(value)
        return
    if not any(map(_holds_others, set(map(type, held)))):
        flat = _flat_encoder(between).encode(value)
        yield flat[0] + between[1:] + flat[1:-1] + end + flat[-1]
        return
    named = isinstance(value, dict)
    before = ("{" if named else "[") + between[1:]
    for key, below in value.items() if named else enumerate(value):
        yield before + (f"{_key(key)}: " if named else "")
        yield from indented_parts(below, depth + 1)
        before = between
    yield end + ("}" if named else "]")


class OwnJson(Protocol):
    """What writes itself, because it is large and would be slow as Python's objects."""

    def indented(self, depth: int) -> Iterator[str]:
        """As `indented_parts` gives it at this depth."""


@dataclass(frozen=True, eq=False)
class WholeNumbers:
    """A long list of whole numbers, which writes itself."""

    numbers: np.ndarray[Any, np.dtype[np.int64]]

    def indented(self, depth: int) -> Iterator[str]:
        if not len(self.numbers):
            yield "[]"
            return
        import polars as pl

        yield "[\n" + " " * depth
        yield pl.Series(self.numbers).cast(pl.String).str.join(",\n" + " " * depth).item()
        yield "\n" + " " * (depth - 1) + "]"


def _holds_others(kind: type) -> bool:
    return issubclass(kind, (dict, list, tuple)) or hasattr(kind, "indented")


@cache
def _flat_encoder(between: str) -> json.JSONEncoder:
    return json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(between, ": "))


def _key(key: Any) -> str:
    return (
        encode_basestring(key) if isinstance(key, str) else _flat_encoder(",").encode({key: None})[1 : -len(": null}")]
    )
