"""Events of a CSV or NDJSON file; the position is a number of bytes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from crypsis.data.formats.compression import existing_file
from crypsis.errors import UnreadableFile
from crypsis.runtime.events import Batch, CsvLines, events_of_lines
from crypsis.runtime.sources.source import Source

_READ = 1 << 17


class FileSource(Source):
    """A file that is complete; its end is the end of the stream."""

    def __init__(self, path: Path, kind: str, attributes: Sequence[str] = ()) -> None:
        self.path, self.kind, self.attributes = existing_file(path), kind, attributes

    def batches(self, position: Any, stopped: threading.Event) -> Iterator[Batch]:
        with self.path.open("rb") as file:
            parse: Callable[[Sequence[bytes]], list[Any]] = events_of_lines
            start = 0
            if self.kind == "csv":
                header = file.readline()
                if not header.strip():
                    return
                parse, start = CsvLines(header, str(self.path), self.attributes), len(header)
            at = start if position is None else int(position)
            file.seek(0, 2)
            if at > file.tell():
                raise UnreadableFile(
                    f"The file ends before byte {at:,}, where the stream goes on: it is not the file of before.",
                    where=str(self.path),
                )
            file.seek(at)
            rest = b""
            while not stopped.is_set():
                block = file.read(_READ)
                text = rest + block
                lines = [line + b"\n" for line in text.split(b"\n")]
                rest = lines.pop()[:-1]
                if not block and rest:
                    lines, rest = [rest], b""
                ends = list(accumulate(map(len, lines), initial=at))[1:]
                if ends:
                    at = ends[-1]
                kept = [(line, end) for line, end in zip(lines, ends, strict=True) if not line.isspace()]
                if kept:
                    yield Batch(parse([line for line, _ in kept]), [end for _, end in kept])
                if not block:
                    return
