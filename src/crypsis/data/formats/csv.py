"""CSV with any separator: UTF-8, quoted fields, one header line. Every cell is read as text, an empty one as ''.

Polars reads the file. Where it stumbles, or where the number of separators shows that some row is short
(polars would fill it up silently), a slow second pass finds the line. No row is ever dropped.
"""

from __future__ import annotations

import codecs
import csv
import io
import threading
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from crypsis.data.formats.compression import existing_file, read_bytes
from crypsis.data.formats.failures import POLARS_FAILURES
from crypsis.data.formats.source import Source, line_place
from crypsis.errors import BadParameter, BadRow, UnreadableFile

SEPARATORS = (",", ";", "\t", "|")
MEMORY_PER_BYTE = 5.0  # the content, its columns of text, and one column being converted
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SNIFFED = 1 << 16
_ONE_LIMIT = threading.Lock()


class CsvSource(Source):
    """A CSV file; where quoted fields hold line breaks, lines are looked up in the file."""

    separator: str
    has_quotes: bool

    def line_of(self, row: int) -> int:
        if not self.has_quotes:
            return super().line_of(row)
        text = _decoded(_content(Path(self)), str(self), self.separator)
        for number, (line, _) in enumerate(_records(text, self.separator, str(self))):
            if number == row + (self.first_line > 1):
                return line
        return super().line_of(row)


def read_frame(
    path: str | Path, *, separator: str | None = None, header: bool = True
) -> tuple[pl.DataFrame, CsvSource]:
    """All columns as text. Without a header line columns are called column_1, column_2, …"""
    file = existing_file(path)
    if separator is not None and (len(separator) != 1 or not separator.isascii()):
        raise BadParameter(f"A CSV separator is one ASCII character, got {separator!r}.", parameter="separator")
    content = _content(file)
    separator = separator or sniff_separator(content)
    names = _column_names(content, separator, header, str(file))

    source = CsvSource(str(file), 2 if header else 1)
    source.separator = separator
    source.has_quotes = b'"' in content
    frame = None
    if b"\n" in content or b"\r" not in content:  # polars does not know lines that end with a lone CR
        frame = _read_fast(content, separator, header, names)
    if frame is None:
        frame = _read_slowly(content, separator, header, names, str(file))
    return frame, source


def sniff_separator(content: bytes) -> str:
    """The separator that stands most often in the first record, and as often in the second."""
    beginning = content[:SNIFFED].decode("utf-8", errors="replace")
    best, best_score = ",", (False, 0)
    for candidate in SEPARATORS:
        records = csv.reader(io.StringIO(beginning, newline=""), delimiter=candidate)
        first = len(next(records, []))
        second = len(next(records, [])) or first
        score = (first == second, first)
        if first > 1 and score > best_score:
            best, best_score = candidate, score
    return best


def _content(file: Path) -> bytes:
    content = read_bytes(file, MEMORY_PER_BYTE)
    if content.startswith(BYTE_ORDER_MARK):
        content = content[len(BYTE_ORDER_MARK) :]
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise UnreadableFile(f"{file} is UTF-16; save it as UTF-8.", where=str(file))
    if b"\0" in content:
        line = content.count(b"\n", 0, content.index(b"\0")) + 1
        raise BadRow("A NUL byte stands in the file; it is damaged or no CSV.", **line_place(str(file), line))
    if not content or content.isspace():
        raise UnreadableFile(f"{file} is empty; a header line with column names is needed.", where=str(file))
    if content.endswith((b"\n\n", b"\n\r\n")):  # blank lines at the end are no rows
        content = content.rstrip(b"\r\n") + b"\n"
    return content


def _column_names(content: bytes, separator: str, header: bool, file: str) -> list[str]:
    first = _first_record(content, separator, file)
    if not first:
        raise BadRow("The first line is blank; column names are expected there.", **line_place(file, 1))
    if not header:
        return [f"column_{number}" for number in range(1, len(first) + 1)]
    known: set[str] = set()
    for number, name in enumerate(first, start=1):
        if not name.strip():
            raise BadRow(f"Column {number} has no name; name every column.", **line_place(file, 1, f"{number}"))
        if name in known:
            raise BadRow(f"Column '{name}' is named twice; rename one.", **line_place(file, 1, name))
        known.add(name)
    return first


def _first_record(content: bytes, separator: str, file: str) -> list[str]:
    """Its fields. As much of the file is looked at as it takes to see the second record begin."""
    size = SNIFFED
    while True:
        records = _records(content[:size].decode("utf-8", errors="replace"), separator, file)
        try:
            first = next(records)[1]
            if size >= len(content) or next(records, None) is not None:
                return first
        except BadRow:  # a quoted name is still open at the end of the beginning
            if size >= len(content):
                raise
        size *= 16


def _read_fast(content: bytes, separator: str, header: bool, names: list[str]) -> pl.DataFrame | None:
    try:
        frame = pl.read_csv(
            content,
            separator=separator,
            has_header=header,
            infer_schema=False,
            empty_string_is_null=False,
        )
    except POLARS_FAILURES:
        return None
    if frame.width != len(names):
        return None
    frame.columns = names
    separators = (frame.height + header) * (frame.width - 1)
    if b'"' in content:
        separators += sum(int(frame[name].str.count_matches(separator, literal=True).sum()) for name in frame.columns)
        separators += sum(name.count(separator) for name in names) * header
    return frame if content.count(separator.encode()) == separators else None


def _read_slowly(content: bytes, separator: str, header: bool, names: list[str], file: str) -> pl.DataFrame:
    text = _decoded(content, file, separator, names)
    columns: list[list[str]] = [[] for _ in names]
    for number, (line, read) in enumerate(_records(text, separator, file)):
        record = read or [""] * (len(names) == 1)  # a blank line is an empty cell if there is one column
        if len(record) != len(names):
            found = "a blank line" if not record else "1 field" if len(record) == 1 else f"{len(record)} fields"
            raise BadRow(
                f"{len(names)} fields separated by {separator!r} are expected as in the header, found {found}; "
                "correct the row (or name the separator; a file with one set of items on each line is 'fimi').",
                **line_place(file, line),
                expected=len(names),
                found=len(record),
                separator=separator,
            )
        if number or not header:
            for column, value in zip(columns, record, strict=True):
                column.append(value)
    return pl.DataFrame(dict(zip(names, columns, strict=True)), schema=dict.fromkeys(names, pl.String))


def _decoded(content: bytes, file: str, separator: str, names: list[str] | None = None) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        before = content[content.rfind(b"\n", 0, error.start) + 1 : error.start].count(separator.encode())
        column = names[before] if names and before < len(names) else None
        raise BadRow(
            f"The text is not UTF-8: byte 0x{content[error.start]:02x} at offset {error.start}. "
            "Save the file as UTF-8.",
            **line_place(file, line, column),
            offset=error.start,
        ) from error


def raise_field_limit(size: int) -> None:
    """Let fields be that long, in all threads; the limit is never taken back."""
    with _ONE_LIMIT:
        csv.field_size_limit(max(csv.field_size_limit(), size))


def _records(text: str, separator: str, file: str) -> Iterator[tuple[int, list[str]]]:
    """Every record with the line on which it begins."""
    raise_field_limit(len(text))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            yield line, next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise BadRow(
                f"The quotes of the row do not match ({error}); close every quoted field and double the quotes "
                "inside it.",
                **line_place(file, line),
            ) from error
