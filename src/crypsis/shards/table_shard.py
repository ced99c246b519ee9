"""A part of a table as codes, in a file of its own."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.encrypted_files import load_array
from crypsis.executors.scratch import Scratch


@dataclass(frozen=True)
class TableShard:
    """One part as codes: `codes[r, c]` is the code of record `first + r` in published column c."""

    file: str
    first: int
    rows: int

    def codes(self) -> Int32s:
        """Mapped, not loaded."""
        codes: Int32s = load_array(self.file, mapped=self.rows > 0)
        return codes

    def numbers(self) -> Int64s:
        """The number that each record has in the input."""
        return np.arange(self.first, self.first + self.rows, dtype=np.int64)

    def persons(self) -> Int64s | None:
        """The person of each record; None where each record is one."""
        return None


def save_shard(scratch: Scratch, number: int, first: int, codes: Int32s) -> TableShard:
    """Write the codes of a part."""
    return TableShard(save_codes(scratch, f"shard-{number:06d}.npy", codes), first, len(codes))


def save_codes(scratch: Scratch, name: str, codes: Int32s) -> str:
    """Write codes to scratch and return their file."""
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(codes))
    return scratch.write(name, buffer.getvalue())
