"""Arrow and Feather: typed columns as they lie in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from crypsis.data.formats.binary import BinaryFormat


@dataclass(frozen=True, kw_only=True)
class Arrow(BinaryFormat):
    """An Arrow IPC file, which Feather is, too, or a stream."""

    name, label = "arrow", "Arrow"
    suffixes = (".arrow", ".feather", ".ipc")
    signatures = (b"ARROW1",)


def decode(source: Any) -> tuple[pl.DataFrame, dict[str, Any]]:
    """The table; run in the process with limits."""
    content = source.read()
    frame = pl.read_ipc(content, use_pyarrow=False) if content.startswith(b"ARROW1") else pl.read_ipc_stream(content)
    return frame, {}
