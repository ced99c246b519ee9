"""Tracks written as XML: the points are collected while the file is read, whatever its elements are called."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar
from xml.parsers import expat

import polars as pl

from crypsis.data.formats.compression import read_bytes, readable_file
from crypsis.data.formats.format import TrackFormat
from crypsis.data.formats.source import NumberedRows, line_place
from crypsis.errors import UnreadableFile

MEMORY_PER_BYTE = 6.0
_COLUMNS = ("tid", "lat", "lng", "datetime")


class TrackXml(TrackFormat):
    """A format that a reader of its own collects points from."""

    names_tracks_by_file = True

    reader: ClassVar[type[TrackReader]]

    def read_points(self, file: Path) -> tuple[pl.DataFrame, NumberedRows]:
        return self.reader(file).read()


class TrackReader(ABC):
    """Reads one file. A file that declares entities is refused, so nothing can be expanded into a bomb."""

    format: ClassVar[str]

    def __init__(self, path: str | Path) -> None:
        self.file = readable_file(path)
        self.path: list[str] = []  # names of the open elements
        self.names: set[str] = set()  # of tracks
        self.number = 0  # of the current track
        self._points: list[tuple[str, str, str, str]] = []
        self._lines: list[int] = []
        self._text: list[str] = []
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text.append
        self._parser.EntityDeclHandler = self._refuse_entity

    def read(self) -> tuple[pl.DataFrame, NumberedRows]:
        """Columns tid, lat, lng, datetime (text): one row per point."""
        try:
            self._parser.Parse(read_bytes(self.file, MEMORY_PER_BYTE), True)
        except expat.ExpatError as error:
            raise UnreadableFile(
                f"{self.file} cannot be read as {self.format}: {expat.errors.messages[error.code]}. It is truncated or "
                f"no {self.format} file.",
                **line_place(str(self.file), error.lineno),
            ) from error
        frame = pl.DataFrame(self._points, schema=dict.fromkeys(_COLUMNS, pl.String), orient="row")
        return frame, NumberedRows.of(str(self.file), self._lines)

    @abstractmethod
    def begin(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins; `path` ends with it."""

    @abstractmethod
    def finish(self, name: str, text: str) -> None:
        """An element ends, with its own text; `path` ends with the element around it."""

    @property
    def line(self) -> int:
        return self._parser.CurrentLineNumber

    def place(self, line: int | None = None) -> dict[str, Any]:
        """Where an error lies: on this line, or on the current one."""
        return line_place(str(self.file), self.line if line is None else line)

    def name_track(self, name: str) -> str:
        """The name of a new track. Two tracks may share a name and are two tracks all the same."""
        unique = name if name and name not in self.names else f"{name} ({self.number})".strip()
        self.names.add(unique)
        return unique

    def add_point(self, track: str, latitude: str, longitude: str, moment: str, line: int) -> None:
        self._points.append((track, latitude, longitude, moment))
        self._lines.append(line)

    def _start(self, qualified: str, attributes: dict[str, str]) -> None:
        name = qualified.rpartition(" ")[2]
        self.path.append(name)
        self._text.clear()
        self.begin(name, attributes)

    def _end(self, _: str) -> None:
        name, text = self.path.pop(), "".join(self._text).strip()
        self._text.clear()
        self.finish(name, text)

    def _refuse_entity(self, *_: Any) -> None:
        raise UnreadableFile(
            f"{self.file} declares XML entities, which no {self.format} file needs; remove them.", **self.place()
        )
