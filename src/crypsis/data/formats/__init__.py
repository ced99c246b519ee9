"""File formats, one file each. To add one: write its file (see `format.py`), then its line in FORMATS."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crypsis.data.formats.arrow import Arrow
from crypsis.data.formats.brinkhoff import Brinkhoff
from crypsis.data.formats.compression import read_beginning, without_compression
from crypsis.data.formats.csv import Csv
from crypsis.data.formats.excel import Excel
from crypsis.data.formats.format import Format
from crypsis.data.formats.geojson import GeoJson
from crypsis.data.formats.gpx import Gpx
from crypsis.data.formats.json_array import Json
from crypsis.data.formats.json_lines import JsonLines
from crypsis.data.formats.kml import Kml
from crypsis.data.formats.parquet import Parquet
from crypsis.data.formats.plt import Plt
from crypsis.data.formats.spaced import Fimi, Spmf
from crypsis.data.formats.sql_file import Sql
from crypsis.data.formats.sqlite import Sqlite
from crypsis.data.formats.statistics import Sas, Spss, Stata
from crypsis.errors import CrypsisError, OptionWithoutEffect, UnknownFormat, UnreadableFile, did_you_mean
from crypsis.parameters import Parameter, parameters_of

FORMATS: dict[str, type[Format]] = {
    format.name: format
    for format in (
        Csv,
        Parquet,
        JsonLines,
        Json,
        Arrow,
        Excel,
        Sqlite,
        Sql,
        Spss,
        Stata,
        Sas,
        Fimi,
        Spmf,
        Gpx,
        GeoJson,
        Kml,
        Plt,
        Brinkhoff,
    )
}

_NO_DATA = {  # how files begin in which no data are looked for
    b"%PDF": "PDF",
    b"\x89PNG": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"GIF8": "GIF",
    b"{\\rtf": "RTF",
    b"Rar!": "RAR",
    b"7z\xbc\xaf": "7z",
}
_WEB_PAGE = (b"<html", b"<!doctype html", b"<table", b"<meta", b"<head")


def format_options() -> dict[str, Parameter]:
    """Every option of every format by its name; formats that share one declare it alike."""
    return {option.name: option for format in reversed(FORMATS.values()) for option in parameters_of(format)}


def known_suffixes() -> frozenset[str]:
    """The suffixes of all formats."""
    return frozenset(suffix for format in FORMATS.values() for suffix in format.suffixes)


def is_elsewhere(path: Path, options: Mapping[str, Any]) -> bool:
    """Whether, with these options, a path names what no file holds."""
    return any(format.is_elsewhere(path, options) for format in FORMATS.values())


def format_of(
    path: Path,
    chosen: str | None = None,
    *,
    holding: frozenset[str] | None = None,
    options: Mapping[str, Any] | None = None,
) -> type[Format]:
    """The format that was chosen, or the one of the suffix (before .gz, .zip and the like), or of the first bytes."""
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
    for entry in fitting.values():
        if entry.is_elsewhere(path, options or {}):
            return entry
    suffix = without_compression(path).suffix.lower()
    beginning = _beginning(path)
    if suffix in (".tar", ".tgz") or beginning[257:262] == b"ustar":
        raise UnreadableFile(f"{path.name} is an archive (tar), which is not read; unpack it first.", where=str(path))
    for entry in fitting.values():
        if suffix in entry.also_under and entry.sniff(beginning):
            return entry
    for entry in fitting.values():
        if suffix in entry.suffixes:
            _refuse_disguised(path, entry, beginning)
            return entry
    for entry in fitting.values() if suffix not in known_suffixes() or suffix == ".txt" else ():
        if beginning and entry.sniff(beginning):
            return entry
    known = ", ".join(f"{'/'.join(entry.suffixes)} ({name})" for name, entry in fitting.items())
    raise UnknownFormat(
        f"The format of {path.name} does not follow from its suffix {suffix or '(none)'!r}; known ones here are "
        f"{known}, each also with .gz, .xz, .bz2, .zst or .zip. Rename the file or name the format.",
        where=str(path),
        known=sorted(fitting),
    )


def format_for(
    path: Path, chosen: str | None = None, *, holding: frozenset[str] | None = None, **options: Any
) -> Format:
    """The format of a file with its options; one that it does not have is refused (`OptionWithoutEffect`)."""
    format = format_of(path, chosen, holding=holding, options=options)
    given = {name: value for name, value in options.items() if value is not None}
    known = [option.name for option in parameters_of(format)]
    for name in given:
        if name not in known:
            words = f"{format.label.partition(':')[0]} is read " + (f"with {', '.join(known)}" if known else "as it is")
            raise OptionWithoutEffect(
                f"`{name}` has no effect here: {words}. Leave it out.", where=str(path), option=name, parameter=name
            )
    made = format(**given)
    object.__setattr__(made, "named", chosen is not None)
    return made


def _beginning(path: Path) -> bytes:
    try:
        return read_beginning(path, 1 << 14)
    except (CrypsisError, OSError, ValueError):
        return b""


def _refuse_disguised(path: Path, format: type[Format], beginning: bytes) -> None:
    """A spreadsheet called .csv, or a text called .xls, is read as what it is only if somebody says so."""
    found = next((known for begins, known in _NO_DATA.items() if beginning.startswith(begins)), None)
    if found is not None:
        raise UnreadableFile(
            f"By its first bytes {path.name} is {found}, which is not read; export the data as .csv or .xlsx.",
            where=str(path),
        )
    if not beginning or (format.signatures and beginning.startswith(format.signatures)):
        return
    if format.may_be_text and beginning.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_WEB_PAGE):
        raise UnreadableFile(
            f"{path.name} is a web page, as some programs export tables. Open it in a spreadsheet program and save it "
            "as .xlsx or .csv.",
            where=str(path),
        )
    binary = (other for other in FORMATS.values() if other.signatures and beginning.startswith(other.signatures))
    is_text = format.may_be_text and Csv.sniff(beginning)
    other = Csv if is_text else None if format.signatures else next(binary, None)
    if other is not None:
        raise UnreadableFile(
            f"{path.name} is no {format.name} file; by its first {'lines' if is_text else 'bytes'} it is "
            f"{other.label}. Rename it, or name the format {other.name}.",
            where=str(path),
        )
