"""Any file that holds a table, as one frame: picks the format and tells where its rows stand.

A folder, an archive with several files, or a pattern such as `2024-*.csv`, is one table whose rows stand in several
files with the same columns.
"""

from __future__ import annotations

import glob
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import offsets_of
from crypsis.data.address import Address
from crypsis.data.formats import format_for, is_elsewhere
from crypsis.data.formats.by_record import ByRecord, Sets, united_sets
from crypsis.data.formats.columns import unknown_column
from crypsis.data.formats.compression import files_in_archive, is_document, readable_file, without_compression
from crypsis.data.formats.format import SEQUENCE, TABLE, TRACK, Format, Sequences
from crypsis.data.formats.source import SeveralFiles
from crypsis.errors import BadParameter, BadRow, CrypsisError, MissingFile, TooLarge, UnknownFormat

MOST_COLUMNS = 2_000  # each column is looked at by itself, which takes milliseconds
_TABLE = frozenset({TABLE})
_SEQUENCE = frozenset({SEQUENCE})


def files_of(path: str | Path, options: Mapping[str, Any] | None = None) -> list[Path]:
    """The files that a path stands for: itself, those of a folder or an archive, or those that fit a pattern.

    With the options of a database it may be the name of a table.
    """
    file = Path(path)
    if options and is_elsewhere(file, options):
        return [file]
    address = Address.within(path) if isinstance(path, Path) else Address.of(path)
    if address is not None:
        raise only_in_parts(str(address))
    try:
        if file.is_dir():
            found = _sorted_files(one for one in file.rglob("*") if not is_document(one.name))
            if not found:
                raise UnknownFormat(f"{file} is a folder without files; give one of files.", where=str(file))
            return found
        if not file.exists() and any(sign in file.name for sign in "*?["):
            fitting = glob.glob(str(file), recursive=True)  # noqa: PTH207 (the pattern may be absolute)
            found = _sorted_files(map(Path, fitting))
            if not found:
                raise MissingFile(f"No file fits {file}; check the pattern.", where=str(file))
            return found
        packed = files_in_archive(file)
        if len(packed) > 1:
            return packed
    except CrypsisError:
        raise
    except (OSError, ValueError):
        pass  # what is wrong with the name is said where it is opened
    return [readable_file(file)]


def _sorted_files(paths: Iterable[Path]) -> list[Path]:
    """Those of the paths that are files, in the order of their names. A link to nothing is a file that is missing."""
    listed = sorted(paths)
    for path in listed:
        if path.is_symlink() and not path.exists():
            raise MissingFile(
                f"{path.name} is a link to a file that is not there; restore the file, or remove the link.",
                where=str(path),
            )
    return [path for path in listed if path.is_file()]


def only_in_parts(address: str) -> BadParameter:
    """Files in a store are not read into memory."""
    return BadParameter(
        f"{address} is an address, and files in a store are read in parts only: scan them (crypsis.scan_table, or "
        "executor='serial'), or fetch them first.",
        parameter="path",
    )


def read_table_file(
    path: str | Path, *, format: str | None = None, columns: Sequence[str] | None = None, **options: Any
) -> tuple[pl.DataFrame, str]:
    """The wanted columns (or all) of a table, and its source for messages; `options` are those of its format."""
    parts = [_read_one(file, format, columns, options) for file in files_of(path, options)]
    if len(parts) == 1:
        return parts[0]
    first, source = parts[0]
    for frame, other in parts[1:]:
        if {*frame.columns} != {*first.columns}:
            raise BadRow(
                f"All files of {path} must have the columns {', '.join(first.columns)} of {source}, found "
                f"{', '.join(frame.columns)}. Name one of the files, such as {source}.",
                where=str(other),
            )
    frames, sources = zip(*parts, strict=True)
    ordered = [frame.select(first.columns) for frame in frames]
    return pl.concat(ordered, how="vertical_relaxed"), SeveralFiles.of(str(path), sources)


def read_published_table(path: Path | str) -> tuple[pl.DataFrame, str]:
    """A table of a release and its source. How releases write CSV is known, so its values never tell it."""
    if Path(path).suffix != ".csv":
        return read_table_file(path)
    return read_table_file(path, separator=",", encoding="utf-8", header=True, skip=0)


def read_coded_file(
    path: str | Path, *, format: str | None = None, **options: Any
) -> tuple[pl.DataFrame, pl.Schema, str]:
    """A whole table as `Format.read_coded_frame` gives it."""
    files = files_of(path, options)
    if len(files) > 1:
        frame, source = read_table_file(path, format=format, **options)
        return frame, frame.schema, source
    frame, schema, source = format_for(files[0], format, holding=_TABLE, **options).read_coded_frame(files[0])
    refuse_wide(frame, source)
    return frame, schema, source


def refuse_wide(frame: pl.DataFrame, source: str) -> None:
    """Tables of more columns than anybody describes are mostly read with the wrong separator."""
    if frame.width > MOST_COLUMNS:
        raise TooLarge(
            f"The table has {frame.width:,} columns; up to {MOST_COLUMNS:,} are read. Name the separator if "
            "another one stands between the cells, or leave out the columns that are not published.",
            where=str(source),
        )


def _read_one(
    file: Path, format: str | None, columns: Sequence[str] | None, options: dict[str, Any]
) -> tuple[pl.DataFrame, str]:
    chosen = format_for(file, format, holding=_TABLE, **options)
    frame, source = chosen.read_frame(file, columns)
    if columns is None:
        refuse_wide(frame, source)
        return frame, source
    for name in columns:
        if name not in frame.columns:
            raise unknown_column(name, frame.columns, source)
    return frame.select(list(dict.fromkeys(columns))), source


def read_rows(
    path: str | Path,
    columns: Sequence[str] | None = None,
    *,
    lists: Collection[str] = (),
    format: str | None = None,
    **options: Any,
) -> tuple[pl.DataFrame, ByRecord]:
    """The named columns (or all of the header) of a table as text, each record read by itself, null where no cell is.

    Those of `lists` hold lists of labels where the format has such.
    """
    parts = [
        format_for(file, format, holding=_TABLE, **options).read_records(file, columns, lists)
        for file in files_of(path, options)
    ]
    if len(parts) == 1:
        return parts[0]
    whole = pl.concat([frame for frame, _ in parts], how="vertical_relaxed")
    return whole, ByRecord(sum(mark.left_out for _, mark in parts))


def read_sets(path: str | Path, *, format: str | None = None, **options: Any) -> Sets:
    """Records of items, each read by itself. Text is SPMF if its suffix or `format` says so, else FIMI."""
    return united_sets(
        [format_for(file, format, holding=_SEQUENCE, **options).read_sets(file) for file in files_of(path, options)]
    )


def read_sequences(path: str | Path, *, format: str | None = None, **options: Any) -> Sequences:
    """Records of labels; those of several files follow each other."""
    parts = [
        format_for(file, format, holding=_SEQUENCE, **options).read_sequences(file) for file in files_of(path, options)
    ]
    if len(parts) == 1:
        return parts[0]
    itemsets = None
    if any(part.itemsets is not None for part in parts):
        itemsets = np.concatenate(
            [np.arange(len(part.labels)) if part.itemsets is None else part.itemsets for part in parts]
        )
    return Sequences(
        offsets_of(np.concatenate([np.diff(part.offsets) for part in parts])),
        pl.concat([part.labels for part in parts]),
        SeveralFiles.of(str(path), [part.source for part in parts]),
        itemsets,
    )


def read_points(files: Sequence[Path], formats: Sequence[Format]) -> list[tuple[pl.DataFrame, str]]:
    """The position fixes of files, one a row, and their names for messages.

    Where tracks are named by their file alone (GPX, KML), those of one name in two files are two tracks.
    """
    parts = [
        chosen.read_points(file) if TRACK in chosen.holds else chosen.read_frame(file)
        for file, chosen in zip(files, formats, strict=True)
    ]
    names = [
        part["tid"].unique() if chosen.names_tracks_by_file else None
        for (part, _), chosen in zip(parts, formats, strict=True)
    ]
    known = [name for name in names if name is not None]
    if len(known) < 2 or not pl.concat(known).is_duplicated().any():
        return parts
    stems = different_stems(files)
    return [
        (part if own is None else part.with_columns(tid=pl.concat_str(pl.lit(f"{stem}: "), "tid")), source)
        for (part, source), own, stem in zip(parts, names, stems, strict=True)
    ]


def different_stems(files: Sequence[Path]) -> list[str]:
    """What files are called without their suffixes; with their folders where two are called alike."""
    stems = [without_compression(file).stem for file in files]
    if len({*stems}) == len(stems):
        return stems
    return [str(without_compression(file).with_suffix("")) for file in files]


def header_of(path: str | Path, *, format: str | None = None, **options: Any) -> list[str] | None:
    """The names of the columns of a table, without a look at its records; None where only these would tell."""
    file = files_of(path, options)[0]
    return format_for(file, format, holding=_TABLE, **options).names_by_record(file)
