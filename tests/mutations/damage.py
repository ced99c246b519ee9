"""Ways to damage bytes: flips, cuts, splices, lengths, nesting, numbers, NULs, bytes that are no UTF-8, long lines."""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Callable

Damage = Callable[[bytes, random.Random], bytes]

NUMBERS = (
    b"0",
    b"-1",
    b"1e999",
    b"-1e999",
    b"1e-999",
    b"NaN",
    b"Infinity",
    b"-Infinity",
    b"9223372036854775807",
    b"9223372036854775808",
    b"-9223372036854775809",
    b"18446744073709551616",
    b"9" * 400,
    b"9" * 5000,
    b"0x10",
    b"1_000",
    b"1e99999999",
    b"0." + b"0" * 400 + b"1",
    b"2147483648",
    b"1/0",
    b"1/3",
    b"\xd9\xa3",
    b"00",
    b"+1",
    b"-0",
    b"1.5",
)
TOKENS = (
    b"",
    b'"',
    b'""',
    b"'",
    b",",
    b";",
    b"\t",
    b"|",
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n\n",
    b"\0",
    b"\xff",
    b"\xfe\xff",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"\xc0\x80",
    b"\xf4\x90\x80\x80",
    b"\\ud800",
    b"\\u0000",
    b"\\",
    b"[",
    b"]",
    b"{",
    b"}",
    b"[[",
    b"{}",
    b"[]",
    b"null",
    b"true",
    b"~",
    b"*",
    b"?",
    b"..",
    b"../../etc/passwd",
    b"/dev/zero",
    b"$(id)",
    b"-1",
    b"-2",
    b"#",
    b"@ITEM=",
    b"=",
    b":",
    b"9999-99-99",
    b"0000-01-01T00:00:00Z",
    b"2020-02-30",
    b"+25:00",
    b"\xe2\x80\xae",
    b"\xf0\x9f\x98\x80",
    b" " * 50,
    b"a" * 3000,
    b"<!ENTITY a 'b'>",
    b"&a;",
    b"<![CDATA[",
    b"%s%n",
    b"{0}",
    b"\x1b[2J",
)
LENGTHS = (0, 1, 0x7F, 0x80, 0xFF, 0xFFFF, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1)


def flip(content: bytes, draw: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(draw.choice((1, 1, 1, 2, 8))):
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def overwrite(content: bytes, draw: random.Random) -> bytes:
    changed = bytearray(content)
    changed[draw.randrange(len(changed))] = draw.choice((0, 0xFF, 0x7F, 0x80, draw.randrange(256)))
    return bytes(changed)


def cut(content: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(content))
    return draw.choice((content[:at], content[at:], content[:at] + content[draw.randrange(at, len(content)) :]))


def splice(content: bytes, draw: random.Random) -> bytes:
    start = draw.randrange(len(content))
    part = content[start : start + draw.choice((1, 4, 16, 200))]
    at = draw.randrange(len(content))
    return content[:at] + part * draw.choice((1, 1, 2, 50)) + content[at:]


def length(content: bytes, draw: random.Random) -> bytes:
    form = draw.choice(("<I", "<Q", ">I", ">Q", "<H", "varint"))
    value = draw.choice(LENGTHS)
    if form == "varint":
        written = b""
        while value >= 0x80:
            written += bytes([value & 0x7F | 0x80])
            value >>= 7
        written += bytes([value])
    else:
        written = struct.pack(form, value % (1 << 8 * struct.calcsize(form)))
    at = draw.randrange(len(content))
    return content[:at] + written + content[at + draw.choice((len(written), 1, 0)) :]


def token(content: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(content))
    return content[:at] + draw.choice(TOKENS) + content[at + draw.choice((0, 0, 1, 5)) :]


def number(content: bytes, draw: random.Random) -> bytes:
    found = list(re.finditer(rb"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", content))
    if not found:
        return token(content, draw)
    chosen = draw.choice(found)
    return content[: chosen.start()] + draw.choice(NUMBERS) + content[chosen.end() :]


def nest(content: bytes, draw: random.Random) -> bytes:
    opening, closing = draw.choice(
        ((b"[", b"]"), (b'{"a":', b"}"), (b"<a>", b"</a>"), (b'[{"a":', b"}]"), (b"(", b")"))
    )
    levels = draw.choice((5, 30, 99, 101, 500, 2_000, 50_000))
    at = draw.randrange(len(content))
    return content[:at] + opening * levels + draw.choice((b"", b"1" + closing * levels)) + content[at:]


def long_line(content: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(content))
    return content[:at] + draw.choice((b"x", b",", b" ", b'"', b"1", b";a")) * draw.choice((300, 70_000)) + content[at:]


def lines(content: bytes, draw: random.Random) -> bytes:
    listed = content.split(b"\n")
    chosen = draw.randrange(len(listed))
    way = draw.choice(("drop", "repeat", "shuffle", "many", "blank"))
    if way == "drop":
        del listed[chosen]
    elif way == "repeat":
        listed.insert(chosen, listed[chosen])
    elif way == "shuffle":
        draw.shuffle(listed)
    elif way == "many":
        listed[chosen:chosen] = [listed[chosen]] * 300
    else:
        listed[chosen] = b""
    return b"\n".join(listed)


def words(content: bytes, draw: random.Random) -> bytes:
    """Two words of the file change places, or one takes the place of the other."""
    found = list(re.finditer(rb"[A-Za-z_]\w*", content))
    if len(found) < 2:
        return token(content, draw)
    one, other = sorted(draw.sample(found, 2), key=lambda match: match.start())
    back = draw.choice((one[0], other[0], b""))
    return content[: one.start()] + other[0] + content[one.end() : other.start()] + back + content[other.end() :]


WAYS: tuple[Damage, ...] = (
    flip,
    overwrite,
    cut,
    splice,
    length,
    token,
    token,
    number,
    number,
    nest,
    long_line,
    lines,
    words,
)
BINARY: tuple[Damage, ...] = (flip, flip, overwrite, overwrite, cut, splice, length, length)


def damaged(content: bytes, draw: random.Random, *, binary: bool, pack: Callable[[bytes], bytes] | None) -> bytes:
    """The content, damaged up to four times; what is compressed is damaged inside or outside."""
    inside = pack is None or draw.random() < 0.6
    if pack is not None and not inside:
        content = pack(content)
    for _ in range(draw.choice((0, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4))):
        if content:
            content = draw.choice(BINARY if binary or not inside else WAYS)(content, draw)
    return pack(content) if pack is not None and inside else content
