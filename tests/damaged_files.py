"""Files that are damaged on purpose."""

from __future__ import annotations

import io

import polars as pl


def aborting_parquet() -> bytes:
    """A page that declares -64 values: polars asks for 2^64 bytes or so and aborts the process it runs in."""
    content = io.BytesIO()
    pl.DataFrame({"id": [1, 2, 3], "label": ["a", "b", None]}).write_parquet(content, compression="uncompressed")
    header = bytes.fromhex("150015141514 2c1506 1510")  # a data page of 10 bytes with 3 values, dictionary-encoded
    assert content.getvalue().count(header) == 1
    return content.getvalue().replace(header, header.replace(b"\x2c\x15\x06", b"\x2c\x15\x7f"))
