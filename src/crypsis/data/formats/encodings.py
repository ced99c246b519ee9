"""Text encodings: what a file begins with or was declared to be, else UTF-8, else the one that Windows writes.

UTF-8 and UTF-16 are told by their byte order mark, UTF-8 also by being valid. A text that has no valid UTF-8 sequence
at all is cp1252, or latin-1 where it has bytes that cp1252 lacks. One that has valid ones and others is damaged UTF-8.
"""

from __future__ import annotations

import codecs
import re

from crypsis.data.formats.source import line_place
from crypsis.errors import BadParameter, BadRow

UTF_8 = "utf-8"
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_WIDE = ("utf-16", "utf-32")
WESTERN = ("cp1252", "latin-1")  # which any bytes can be read as
_LOOKED_AT = 1 << 16
_ACCENTED = re.compile(r"\w*[^\W\d_a-zA-Z]\w*")
_LETTERS_OF_NONE = re.compile(r"\b[^\W\d_a-zA-Z]{3,}\b")
_REMEDY = "Save the file as UTF-8, or name its encoding (such as cp1252)."


def known_encoding(name: str) -> str:
    """The name of a text encoding as Python has it; `BadParameter` where there is none."""
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        found = None
    if found is None or not getattr(found, "_is_text_encoding", True):
        raise BadParameter(
            f"There is no text encoding {name!r}; usual ones are utf-8, utf-16, cp1252, latin-1.", parameter="encoding"
        )
    return found.name


def marked_encoding(beginning: bytes) -> str | None:
    """The encoding that a byte order mark tells, or most of every second byte being zero as in UTF-16 without one."""
    for mark, name in _MARKS.items():
        if beginning.startswith(mark):
            return name
    pairs = beginning[: len(beginning) // 2 * 2][:200]
    first, second = pairs[0::2], pairs[1::2]
    if all(first) and _is_mostly_zero(second):
        return "utf-16-le"
    return "utf-16-be" if all(second) and _is_mostly_zero(first) else None


def _is_mostly_zero(half: bytes) -> bool:
    """As the high bytes of Latin letters in UTF-16 are; a few may be others, as that of Ł."""
    return len(half) >= 2 and half.count(0) > len(half) / 2


def other_encoding_asked(content: bytes, encoding: str) -> tuple[str, ...]:
    """What is asked of a text that was taken for Western European, where most accented words have no plain letter."""
    if encoding not in WESTERN:
        return ()
    text = content[:_LOOKED_AT].decode(UTF_8, "replace")
    foreign = _LETTERS_OF_NONE.findall(text)
    if not foreign or len(foreign) < len(_ACCENTED.findall(text)) / 2:
        return ()
    return (f"Words like {foreign[0][:20]!r} may be text in another encoding; if so, name it, as in encoding='cp1251'",)


def is_wide(encoding: str) -> bool:
    """Whether a line feed is more than one byte."""
    return encoding.startswith(_WIDE)


def as_utf8(content: bytes, file: str, encoding: str | None = None) -> tuple[bytes, str]:
    """The text in UTF-8 without a mark, and the encoding that it had."""
    chosen = known_encoding(encoding) if encoding else marked_encoding(content[:1000])
    if chosen is None:
        if content.isascii():
            return content, UTF_8
        try:
            content.decode(UTF_8)
            return content, UTF_8
        except UnicodeDecodeError as error:
            if _has_valid_sequence(content):
                raise _not_utf8(content, error, file) from error
        chosen = "cp1252" if not any(byte in content for byte in b"\x81\x8d\x8f\x90\x9d") else "latin-1"
    if chosen in (UTF_8, "utf-8-sig"):
        content = content.removeprefix(codecs.BOM_UTF8)
        try:
            content.decode(UTF_8)
        except UnicodeDecodeError as error:
            raise _not_utf8(content, error, file) from error
        return content, UTF_8
    try:
        return content.decode(chosen).removeprefix("\ufeff").encode(UTF_8), chosen
    except UnicodeError as error:
        start = getattr(error, "start", 0)
        line = content.count(b"\n", 0, start) + 1
        raise BadRow(f"The text is not {chosen} (offset {start}). {_REMEDY}", **line_place(file, line)) from error


def _has_valid_sequence(content: bytes) -> bool:
    decoded = content.decode(UTF_8, errors="replace").replace("\ufffd", "")
    return not decoded.isascii()


def _not_utf8(content: bytes, error: UnicodeDecodeError, file: str) -> BadRow:
    return BadRow(
        f"The text is not UTF-8: byte 0x{content[error.start]:02x} at offset {error.start}. {_REMEDY}",
        **line_place(file, content.count(b"\n", 0, error.start) + 1),
        offset=error.start,
    )
