"""Printing to terminals that know fewer characters than we use, and of texts that hold more than characters.

Where the encoding of a stream lacks a character it becomes its nearest ASCII text, or an escape: output degrades and
never fails. Control characters of file names, labels and values are shown as escapes: a terminal would obey them.
"""

from __future__ import annotations

import codecs
import re
import sys

DEGRADED = "crypsis-degraded"
_NEAREST = {
    "✓": "+", "✗": "x", "–": "-", "—": "-", "−": "-", "…": "...", "·": "-", "•": "*", "×": "x", "±": "+-", "≥": ">=",
    "≤": "<=", "≠": "!=", "→": "->", "←": "<-", "█": "#", "░": ".", "’": "'", "‘": "'", "“": '"', "”": '"',
    "\N{NO-BREAK SPACE}": " ",
}  # fmt: skip
_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}"
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def degrade_output() -> None:
    """Let standard output and error take any text from now on."""
    codecs.register_error(DEGRADED, _nearest)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=DEGRADED)


def printable(text: str) -> str:
    """The text with what a terminal would obey as escapes; line breaks and tabs stay."""
    return _OBEYED.sub(lambda match: _escaped(match[0]), text)


def takes_every_character() -> bool:
    """Whether standard output is Unicode."""
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")


def _nearest(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_NEAREST.get(one, _escaped(one)) for one in error.object[error.start : error.end]), error.end


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
