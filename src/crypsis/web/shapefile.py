"""Shapefiles, zipped: the lines and borders in them. They are decoded by `pyogrio`, in a process of its own."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Float64s
from crypsis.data.formats.limited_reader import read_limited
from crypsis.errors import MissingExtra, UnreadableFile
from crypsis.translation import marked

_MAGIC = struct.pack(">i", 9994)  # with which every .shp file begins
_LARGEST = 1 << 30  # bytes of the shapes, once unpacked
_POINT, _LINE, _POLYGON = 1, 2, 3


def read_shapes(path: Path) -> tuple[list[Float64s], str | None]:
    """The lines of a zipped shapefile, each as rows of x and y, and their reference system if the file has one."""
    if find_spec("pyogrio") is None:
        raise MissingExtra("Reading a shapefile needs pyogrio; install it with: pip install 'crypsis[outlines]'")
    member = _shapes_in(path)
    with path.open("rb") as source:
        frame, told = read_limited(
            source,
            f"{__name__}:decode_shapes",
            {"member": member.filename},
            file=marked("This file"),
            label=marked("a zipped shapefile"),
            declared=member.file_size,
        )
    points = frame.select("x", "y").to_numpy()
    ends = np.flatnonzero(np.diff(frame["line"].to_numpy())) + 1
    return [*np.split(points, ends)] if len(points) else [], told["crs"]


def _shapes_in(path: Path) -> zipfile.ZipInfo:
    """The first .shp file of the archive; checked here, so that nothing else is ever opened in its name."""
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if member.filename.lower().endswith(".shp") and member.file_size <= _LARGEST:
                    with archive.open(member) as stream:
                        if stream.read(4) == _MAGIC:
                            return member
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError, EOFError) as error:
        raise UnreadableFile("This archive cannot be unpacked; zip the files of the shapefile again.") from error
    raise UnreadableFile(
        "There is no shapefile in this archive; zip its files together (.shp, .shx, .dbf and .prj), or give GeoJSON."
    )


def decode_shapes(source: Any, *, member: str) -> tuple[pl.DataFrame, dict[str, str | None]]:
    """Every line as rows (line, x, y); runs in the process that reads foreign files."""
    import pyogrio.raw

    archive = f"/vsizip/{{/dev/fd/{source.fileno()}}}/{member}"
    meta, _, geometries, _ = pyogrio.raw.read(archive, columns=[], force_2d=True)
    lines = [line for geometry in geometries if geometry is not None for line in _lines_of(memoryview(geometry))]
    points = np.concatenate(lines) if lines else np.empty((0, 2))
    number = np.repeat(np.arange(len(lines)), [len(line) for line in lines])
    return pl.DataFrame({"line": number, "x": points[:, 0], "y": points[:, 1]}), {"crs": meta["crs"]}


def _lines_of(geometry: memoryview) -> Iterator[Float64s]:
    """The lines and rings of a geometry in well-known binary form."""
    yield from _Binary(geometry).lines()


class _Binary:
    """Well-known binary: byte order, kind, then numbers; parts of a collection are geometries themselves."""

    def __init__(self, content: memoryview) -> None:
        self.content, self.at = content, 0

    def lines(self) -> Iterator[Float64s]:
        order = "<" if self.content[self.at] else ">"
        self.at += 1
        kind = self._count(order)
        if kind == _POINT:
            self.at += 16
        elif kind == _LINE:
            yield self._points(order)
        elif kind == _POLYGON:
            for _ in range(self._count(order)):
                yield self._points(order)
        else:
            for _ in range(self._count(order)):
                yield from self.lines()

    def _count(self, order: str) -> int:
        (count,) = struct.unpack_from(f"{order}I", self.content, self.at)
        self.at += 4
        return int(count)

    def _points(self, order: str) -> Float64s:
        count = self._count(order)
        points = np.frombuffer(self.content, f"{order}f8", 2 * count, self.at).reshape(count, 2)
        self.at += points.nbytes
        return points.astype(np.float64)
