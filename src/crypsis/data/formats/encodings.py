"""Text encodings: what a file begins with or was declared to be, else UTF-8, else the one that Windows writes.

UTF-8, UTF-16 and UTF-32 are told by their byte order mark, UTF-8 also by being valid. Any other text is cp1252 unless
its words have letters that Western European words lack; then chardet tells which code page fits, and it is asked. Where
code pages of the Latin alphabet differ in a few letters, it is only asked. A text with UTF-8 among others is damaged.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection

from crypsis.data.formats.source import line_place
from crypsis.errors import BadParameter, BadRow

UTF_8 = "utf-8"
_MARKS = {  # the longer ones first
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_EAST_ASIAN = ("cp932", "gb18030", "cp949", "big5hkscs")
_OF_OTHER_LETTERS = ("cp1251", "cp1253", "cp1255", "cp1256", "cp874", *_EAST_ASIAN)
_OF_LATIN_LETTERS = ("cp1252", "cp1250", "cp1254", "cp1257", "mac-roman")
_LOOKED_AT = 1 << 16
_WORD = re.compile(r"\w+")
_ACCENTED = re.compile(r"[^\W\d_a-zA-Z]")
_LETTERS_OF_NONE = re.compile(r"\b[^\W\d_a-zA-Z]{3,}\b")
_SIGN_IN_WORD = re.compile(
    r"[^\W\d_][\u00a2-\u00bf\u0192\u2020-\u2026\u20ac][a-z]|\b[\u00a3\u00a5\u00af\u00bf][a-z]{2}"
)
_HIGH_PAIRS = re.compile(rb"[\x80-\xff]{2,}")
_ASCII = bytes(range(128))
_CONTROLS = bytes(range(128, 160))
_ICELANDIC_OR_TURKISH = re.compile("[\u00d0\u00dd\u00de\u00f0\u00fd\u00fe]")
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
    """What is asked of a text in UTF-8 whose encoding was guessed, where another one is as likely."""
    if encoding not in (*_OF_LATIN_LETTERS, *_OF_OTHER_LETTERS, "latin-1"):
        return ()
    text = _beginning(content).decode(UTF_8, "replace")
    words = _accented_words(text)
    if encoding not in ("cp1252", "latin-1"):
        shown = f" {words[0][:20]!r}" if words else ""
        return (f"The encoding {encoding} was guessed from the letters; if words like{shown} are wrong, name another",)
    other = _fitting_page(text.encode("cp1252", "ignore"), _OF_LATIN_LETTERS)
    for word in words:
        read = word.encode("cp1252", "ignore").decode(other, "replace")
        if read != word:
            return (f"If {word[:20]!r} should be {read[:20]!r}, name the encoding, as in encoding='{other}'",)
    return ()


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
            chosen = guess_code_page(content)
            if _has_valid_sequence(content, mostly=chosen in _OF_OTHER_LETTERS):
                raise _not_utf8(content, error, file) from error
    if chosen in (UTF_8, "utf-8-sig"):
        content = content.removeprefix(codecs.BOM_UTF8)
        if content.isascii():
            return content, UTF_8
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


def guess_code_page(content: bytes) -> str:
    """The encoding of a text that is not UTF-8: Western European, unless its words are of other letters."""
    beginning = _beginning(content)
    western = beginning.decode("cp1252", "replace")
    foreign = _LETTERS_OF_NONE.findall(western)
    high = beginning.translate(None, _ASCII)
    controls = len(high) - len(high.translate(None, _CONTROLS))  # which hardly occur in latin-1
    pairs = sum(map(len, _HIGH_PAIRS.findall(beginning)))
    odd = _SIGN_IN_WORD.search(western) is not None or ("\ufffd" in western and 2 * controls > len(high))
    found = "cp1252"
    if odd or 2 * pairs > len(high) or len(foreign) >= max(len(_accented_words(western)) / 2, 1):
        found = _fitting_page(beginning, (*_OF_OTHER_LETTERS, *_OF_LATIN_LETTERS))
        if found in _OF_LATIN_LETTERS and not odd:
            found = "cp1252"
    if found == "cp1252" and _ICELANDIC_OR_TURKISH.search(western):
        turkish = _fitting_page(beginning, _OF_LATIN_LETTERS) == "cp1254"
        found = "cp1254" if turkish else found
    for page in (found, "cp1252"):
        try:
            content.decode(page)
            return page
        except UnicodeDecodeError:
            continue
    return "latin-1"


def _accented_words(text: str) -> list[str]:
    """Words with a letter beyond ASCII, in time that grows with the text however long a word is."""
    return [word for word in _WORD.findall(text) if _ACCENTED.search(word)]


def _fitting_page(content: bytes, pages: Collection[str]) -> str:
    """The most likely of some encodings."""
    import chardet

    found = chardet.detect(content, include_encodings=pages, compat_names=False)["encoding"]
    return known_encoding(found or "cp1252")


def _beginning(content: bytes) -> bytes:
    """As many whole lines as are looked at."""
    return content if len(content) <= _LOOKED_AT else content[:_LOOKED_AT].rpartition(b"\n")[0] or content[:_LOOKED_AT]


def _has_valid_sequence(content: bytes, *, mostly: bool) -> bool:
    """Whether some of a text is UTF-8, or most of what is not ASCII."""
    decoded = content.decode(UTF_8, errors="replace")
    bad = decoded.count("\ufffd")
    valid = len(decoded.encode("ascii", "ignore")) + bad < len(decoded)
    return valid and (not mostly or len(decoded) - len(decoded.encode("ascii", "ignore")) >= 2 * bad)


def _not_utf8(content: bytes, error: UnicodeDecodeError, file: str) -> BadRow:
    return BadRow(
        f"The text is not UTF-8: byte 0x{content[error.start]:02x} at offset {error.start}. {_REMEDY}",
        **line_place(file, content.count(b"\n", 0, error.start) + 1),
        offset=error.start,
    )
