"""The texts of a PDF, as somebody who searches in it finds them."""

from __future__ import annotations

import re
import zlib


def texts_in_pdf(content: bytes) -> set[str]:
    """What the operators between BT and ET write, two bytes a letter, kerning left out."""
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", content, re.DOTALL)
    packed = (stream for stream in streams if stream.startswith(b"\x78"))
    operators = b"".join(zlib.decompressobj().decompress(stream) for stream in packed)  # the last byte may be cut off
    written = set()
    for block in re.findall(rb"BT(.*?)ET", operators, re.DOTALL):
        letters = b"".join(re.findall(rb"\(((?:\\.|[^\\()])*)\)", block, re.DOTALL))
        written.add(re.sub(rb"\\(.)", rb"\1", letters).replace(b"\x00", b"").decode("latin-1"))
    return written
