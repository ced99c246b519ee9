"""File formats, one file each. To add one: write its file, then its line in FORMATS.

A *table* format has `read_frame(path, …) -> (frame, source)`: one row per record, visit or point.
A *sequence* format has `read_sequences(path, …)`: one record or trajectory per line.
A *track* format has `read_points(path)`: one row per position fix, in degrees or planar.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from crypsis.errors import UnknownFormat, did_you_mean


@dataclass(frozen=True)
class Format:
    """A file format: the suffixes it is known by, the file that reads it, and what it can hold."""

    name: str
    suffixes: tuple[str, ...]
    module: str
    holds: frozenset[str]


FORMATS: dict[str, Format] = {
    entry.name: entry
    for entry in (
        Format("csv", (".csv", ".tsv"), "crypsis.data.formats.csv", frozenset({"table"})),
        Format("parquet", (".parquet", ".pq"), "crypsis.data.formats.parquet", frozenset({"table"})),
        Format("jsonl", (".jsonl", ".ndjson"), "crypsis.data.formats.json_lines", frozenset({"table", "sequence"})),
        Format("fimi", (".dat", ".txt", ".fimi"), "crypsis.data.formats.spaced", frozenset({"sequence"})),
        Format("spmf", (".spmf",), "crypsis.data.formats.spaced", frozenset({"sequence"})),
        Format("gpx", (".gpx",), "crypsis.data.formats.gpx", frozenset({"track"})),
        Format("geojson", (".geojson",), "crypsis.data.formats.geojson", frozenset({"track"})),
        Format("plt", (".plt",), "crypsis.data.formats.plt", frozenset({"track"})),
        Format("brinkhoff", (".brinkhoff",), "crypsis.data.formats.brinkhoff", frozenset({"track"})),
    )
}


def format_of(path: Path, chosen: str | None = None, *, holding: frozenset[str] | None = None) -> Format:
    """The format that was chosen, or the one of the suffix (before .gz, .xz, .bz2 or .zst)."""
    from crypsis.data.formats.compression import without_compression

    fitting = {name: entry for name, entry in FORMATS.items() if holding is None or entry.holds & holding}
    if chosen is not None:
        if chosen in fitting:
            return fitting[chosen]
        raise UnknownFormat(
            f"Format {chosen!r} cannot be read here; known ones are {', '.join(fitting)}."
            f"{did_you_mean(chosen, fitting)}",
            where=str(path),
            known=sorted(fitting),
        )
    suffix = without_compression(path).suffix.lower()
    for entry in fitting.values():
        if suffix in entry.suffixes:
            return entry
    known = ", ".join(f"{'/'.join(entry.suffixes)} ({name})" for name, entry in fitting.items())
    raise UnknownFormat(
        f"The format of {path.name} cannot be told from its suffix {suffix or '(none)'!r}; known ones here are "
        f"{known}, each also with .gz, .xz, .bz2 or .zst. Rename the file or name the format.",
        where=str(path),
        known=sorted(fitting),
    )
