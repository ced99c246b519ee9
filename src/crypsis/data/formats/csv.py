"""CSV in any common dialect. Every cell is read as text, an empty one as ''.

Encoding, separator and header are detected unless they are declared; names that are empty or repeat are made unique.
Polars reads the file. Where it stumbles, or where the number of separators shows that some row is short (polars would
fill it up silently), a slow second pass finds the line. No row is ever dropped.

A record at a time: the encoding follows from the byte order mark or the declaration, the separator from the header.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
import threading
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import polars as pl

from crypsis.data.formats.by_record import ByRecord, frame_of, lines_by_record
from crypsis.data.formats.columns import unknown_column
from crypsis.data.formats.compression import read_beginning, read_bytes, readable_file, without_compression
from crypsis.data.formats.encodings import UTF_8, as_utf8, known_encoding, marked_encoding, other_encoding_asked
from crypsis.data.formats.failures import POLARS_FAILURES
from crypsis.data.formats.format import TABLE, Format, Header, Separator, Skip
from crypsis.data.formats.header_row import LOOKED_AT, TOLD, names_columns
from crypsis.data.formats.source import Source, Understood, line_place
from crypsis.data.formats.written_numbers import other_mark, rewrite_numbers
from crypsis.data.plain_texts import digits_of
from crypsis.errors import BadParameter, BadRow, UnreadableFile
from crypsis.parameters import OneOf

SEPARATORS = (",", ";", "\t", "|")
_RARE_SEPARATORS = ("^", "~", ":", "\x01", "\x1f")  # which are looked for where no other one stands
MEMORY_PER_BYTE = 5.0  # the content, its columns of text, and one column being converted
SNIFFED = 1 << 16
_HINT = re.compile(rb'^"?sep=([^\r\n])"?\r?\n')  # what Excel writes above the header
_LINES_LOOKED_AT = 100
_FEWEST_LINES = 4  # of a table below a title
_FEWEST_COLUMNS = 3  # of a table below titles that are padded with separators
_ESCAPED = re.compile(rb'(?:^|[,;\t|])"(?:[^"\\\r\n]|\\.)*\\"(?![",;\t|\r\n])', re.MULTILINE)
_GUARDED = re.compile(rb'(^|[,;\t|])=("[^"\r\n]*")(?=[,;\t|\r\n]|\Z)', re.MULTILINE)
_PLAIN_WHOLE = re.compile(r"0|-?[1-9]\d{0,17}", re.ASCII)
_LONGEST_END = 1 << 12
_LONGEST_NAME = 1000  # as which somebody wraps a name into several lines
_LINE_BREAKS = re.compile(r"\s*[\r\n]+\s*")
_ONE_LIMIT = threading.Lock()
_IN_WORDS = {"\t": "tab", " ": "blank"}


class CsvSource(Source):
    """A CSV file; where quoted fields hold line breaks, lines are looked up in the file."""

    reader: Csv
    has_quotes: bool

    def line_of(self, row: int) -> int:
        if not self.has_quotes:
            return super().line_of(row)
        read = self.reader.content(Path(self))
        text = read.content.decode(UTF_8)
        separator = self.reader.separator or ","
        for index, (line, _) in enumerate(_records(text, separator, str(self), read.first_line)):
            if index == row + bool(self.reader.header):
                return line
        return super().line_of(row)


@dataclass(frozen=True)
class Content:
    """The text of a file in UTF-8 from the header on, the line on which that stands, and the encoding it had."""

    content: bytes
    first_line: int
    encoding: str
    separator: str | None = None  # as the file itself says
    skipped: int = 0  # lines above the header
    notes: tuple[str, ...] = ()  # what was rewritten


@dataclass(frozen=True, kw_only=True)
class Csv(Format):
    """Comma-separated values, or values with another separator."""

    name, label = "csv", "CSV: a table as text"
    suffixes = (".csv", ".tsv", ".tab")
    holds = frozenset({TABLE})

    separator: Separator = None
    encoding: Annotated[str | None, "Encoding of the text, such as utf-8, cp1252 or latin-1; detected if empty."] = None
    decimal: Annotated[str | None, OneOf(".", ","), "Decimal mark of numbers; detected if empty."] = None
    thousands: Annotated[
        str | None, OneOf(".", ",", " ", "'"), "Mark between thousands; detected if empty and certain."
    ] = None
    header: Header = None
    skip: Skip = None

    @classmethod
    def sniff(cls, beginning: bytes) -> bool:
        """Text whose first lines have as many fields each."""
        try:
            text = as_utf8(beginning, "")[0].decode(UTF_8)
        except BadRow:
            return False
        lines = text.splitlines()[:3]
        return len(lines) > 1 and any(
            lines[0].count(mark) and all(line.count(mark) == lines[0].count(mark) for line in lines)
            for mark in SEPARATORS
        )

    def read_frame(self, file: Path, columns: Sequence[str] | None = None) -> tuple[pl.DataFrame, CsvSource]:
        return self._read(file)

    def read_coded_frame(self, file: Path) -> tuple[pl.DataFrame, pl.Schema, CsvSource]:
        frame, source = self._read(file, coded=True)
        return frame, pl.Schema(dict.fromkeys(frame.columns, pl.String())), source

    def _read(self, file: Path, *, coded: bool = False) -> tuple[pl.DataFrame, CsvSource]:
        """`coded`: columns of nothing but whole numbers that are written plainly may come as such."""
        told = self._told(file)
        read = told.content(file)
        separator = told.separator or read.separator or sniff_separator(read.content)
        if separator == " ":
            plain, separator, told_of = with_marked_columns(read.content)
            read = replace(read, content=plain, notes=(*read.notes, *told_of))
        first = _first_records(read.content, separator, str(file), read.first_line)
        header = names_columns(first) if self.header is None else self.header
        content = _with_closed_header(read.content, separator, first) if header else read.content
        told = replace(told, separator=separator, header=header, skip=read.skipped)
        names, notes = (
            unique_names(first[0]) if header else (numbered_names(len(first[0])), [TOLD] * (self.header is None))
        )
        frame = None
        if b"\n" in content or b"\r" not in content:  # polars does not know lines that end with a lone CR
            whole = _whole_columns(first[header:], names) if coded and not (self.decimal or self.thousands) else []
            frame = _read_fast(content, separator, header, names, whole)
        if frame is None:
            frame = _read_slowly(content, separator, header, names, str(file), read.first_line)
        if header and not first[0][-1].strip() and frame.width > 1:  # lines end with a separator
            if (frame[names[-1]] == "").all():
                frame, notes = frame.drop(names[-1]), notes[:-1]
            elif content is not read.content:
                _read_slowly(read.content, separator, header, names[:-1], str(file), read.first_line)  # says where
        notes += [*([passed_over(read.skipped)] if read.skipped and self.skip is None else ()), *read.notes]
        if self.decimal or self.thousands:
            frame = rewrite_numbers(frame, self.decimal, self.thousands)
        source = CsvSource(str(file), read.first_line + header)
        source.reader, source.has_quotes = told, b'"' in read.content
        questions = other_encoding_asked(read.content, read.encoding) if self.encoding is None else ()
        source.understood = told.understood(read.encoding, notes).and_also(questions=questions)
        return frame, source

    def understood(self, encoding: str, notes: Sequence[str] = ()) -> Understood:
        """What a reader should know of how this file was read."""
        shown = _IN_WORDS.get(str(self.separator), repr(self.separator))
        items = {"format": "CSV", "encoding": encoding, "separator": shown}
        if self.decimal or self.thousands:
            items["decimal"] = repr(self.decimal or other_mark(self.thousands)) + (
                f", thousands {self.thousands!r}" if self.thousands else ""
            )
        if not self.header:
            items["header"] = "none"
        return Understood(items, tuple(notes))

    def content(self, file: Path) -> Content:
        """The text below what is skipped; refused where it is none."""
        content, encoding = as_utf8(read_bytes(file, MEMORY_PER_BYTE), str(file), self.encoding)
        if b"\0" in content:
            line = content.count(b"\n", 0, content.index(b"\0")) + 1
            raise BadRow("The file contains a NUL byte; it is damaged or not CSV.", **line_place(str(file), line))
        content, first_line, separator = self._below_skipped(content.removesuffix(b"\x1a"))  # the end of a file in DOS
        skipped = self.skip or 0
        if self.skip is None and separator is None:
            skipped = lines_above(content)
            for _ in range(skipped):
                content = content.partition(b"\n")[2]
            first_line += skipped
        if not content or content.isspace():
            raise UnreadableFile(f"{file} is empty; a header line with column names is needed.", where=str(file))
        if content.endswith((b"\n\n", b"\n\r\n")):  # blank lines at the end are no rows
            content = content.rstrip(b"\r\n") + b"\n"
        content, below = without_lines_below(content, separator or self.separator)
        repaired, notes = with_usual_quotes(content)
        notes += (f"lines below the table that are passed over: {below}",) if below else ()
        return Content(repaired, first_line, encoding, separator, skipped, notes)

    def _below_skipped(self, content: bytes) -> tuple[bytes, int, str | None]:
        hint = _HINT.match(content)
        lines = (self.skip or 0) + (hint is not None)
        for _ in range(lines):
            content = content.partition(b"\n")[2]
        return content, lines + 1, hint[1].decode(UTF_8, "replace") if hint else None

    def _told(self, file: Path) -> Csv:
        """With the separator that is declared, here or by the suffix."""
        if self.separator is not None and (len(self.separator) != 1 or not self.separator.isascii()):
            raise BadParameter(
                f"A CSV separator is one ASCII character, got {self.separator!r}.", parameter="separator"
            )
        tabs = without_compression(file).suffix.lower() in (".tsv", ".tab")
        return self if self.separator or not tabs else replace(self, separator="\t")

    # A record at a time

    def header_line(self, content: bytes, file: Path) -> tuple[str, list[str], bytes, str]:
        """Separator, column names, the bytes below, and the encoding: public, so what is wrong with them is said."""
        if self.header is False:
            raise BadParameter("A private method needs a header line: without one the records would tell the columns.")
        told = self._told(file)
        encoding = known_encoding(self.encoding) if self.encoding else marked_encoding(content[:2]) or UTF_8
        if encoding.startswith(("utf-16", "utf-32", "utf-8-sig")):
            content, encoding = content.decode(encoding, "replace").removeprefix("\ufeff").encode(UTF_8), UTF_8
        content, _, hinted = self._below_skipped(content.removeprefix(b"\xef\xbb\xbf"))
        line, _, body = content.partition(b"\n")
        try:
            text = line.decode(encoding).removesuffix("\r")
        except UnicodeDecodeError:
            raise UnreadableFile(
                f"The header line of {file} is not {encoding.upper()}; save it as UTF-8, or name its encoding.",
                where=str(file),
            ) from None
        if not text.strip() or "\r" in text or "\0" in text:
            raise UnreadableFile(
                f"{file} needs a header line with column names, and lines that end with a line feed.", where=str(file)
            )
        separator = told.separator or hinted
        if separator is None:
            separator = max(SEPARATORS, key=lambda candidate: len(_quoted_fields(text, candidate) or ()))
        fields = _quoted_fields(text, separator)
        if fields is None:
            raise UnreadableFile(f"The quotes of the header line of {file} do not match.", where=str(file))
        return separator, unique_names(fields)[0], body, encoding

    def names_by_record(self, file: Path) -> list[str] | None:
        beginning = read_beginning(file)
        whole = beginning if beginning.count(b"\n") > (self.skip or 0) + 1 else read_bytes(file, MEMORY_PER_BYTE)
        return self.header_line(whole, file)[1]

    def read_records(
        self, file: Path, columns: Sequence[str] | None, lists: Collection[str] = ()
    ) -> tuple[pl.DataFrame, ByRecord]:
        separator, names, body, encoding = self.header_line(read_bytes(file, MEMORY_PER_BYTE), file)
        for name in columns or ():
            if name not in names:
                raise unknown_column(name, names, str(file))
        lines, bad = lines_by_record(body, encoding)
        text = pl.Series("line", lines, dtype=pl.String)
        quoted = text.str.contains('"', literal=True)
        whole = ~quoted & (text.str.count_matches(separator, literal=True) == len(names) - 1)
        frame = _split(text.filter(whole), separator, names)
        if quoted.any():
            raise_field_limit(len(body))
            read = [(row, _quoted_fields(lines[row], separator)) for row in quoted.arg_true().to_list()]
            sound = [(row, fields) for row, fields in read if fields is not None and len(fields) == len(names)]
            places = np.concatenate([whole.arg_true().to_numpy(), np.array([row for row, _ in sound], np.int64)])
            frame = pl.concat([frame, frame_of(names, [fields for _, fields in sound])])[np.argsort(places)]
        wanted = names if columns is None else list(dict.fromkeys(columns))
        frame = frame.select(wanted)
        if self.decimal or self.thousands:
            frame = rewrite_numbers(frame, self.decimal, self.thousands, by_record=True)
        return frame, ByRecord(bad + len(lines) - len(frame))


def read_frame(
    path: str | Path, *, separator: str | None = None, header: bool = True
) -> tuple[pl.DataFrame, CsvSource]:
    """All columns as text. Without a header line columns are called column_1, column_2, …"""
    return Csv(separator=separator, header=header).read_frame(readable_file(path))


def sniff_separator(content: bytes) -> str:
    """The separator that stands most often in the first record, and as often in the second."""
    beginning = content[:SNIFFED].decode("utf-8", errors="replace")
    best, best_score = ",", (False, 0)
    for candidate in SEPARATORS:
        records = csv.reader(io.StringIO(beginning, newline=""), delimiter=candidate)
        try:
            first = len(next(records, []))
            second = len(next(records, [])) or first
        except csv.Error:
            continue
        score = (first == second, first)
        if first > 1 and score > best_score:
            best, best_score = candidate, score
    lines = beginning.splitlines()[:_LINES_LOOKED_AT]
    rare = (sign for sign in _RARE_SEPARATORS if lines[1:] and len({line.count(sign) for line in lines} - {0}) == 1)
    return best if best_score[1] else next((sign for sign in rare if all(sign in line for line in lines)), best)


def lines_above(content: bytes) -> int:
    """How many lines stand above a table, such as a title: they have one field, and all below have as many as others.

    0 where the first line may belong to the table: then it is read, and what does not fit is said.
    """
    lines = content[:SNIFFED].decode("utf-8", errors="replace").splitlines()
    lines = lines[: len(lines) - (len(content) > SNIFFED)][:_LINES_LOOKED_AT]  # the last one may be cut
    above = _comments(lines) or _padded_titles(lines) or _lines_above_a_blank(lines) or _names_of_groups(lines)
    if above:
        return above
    if any(separator in line for line in lines[:1] for separator in SEPARATORS):
        return 0
    for separator in SEPARATORS:
        fields = [_quoted_fields(line, separator) for line in lines]
        if None in fields:
            continue
        counts = [len(found or ()) for found in fields]
        first = next((index for index, count in enumerate(counts) if count > 1), 0)
        below = counts[first:]
        if first and len(below) >= _FEWEST_LINES and set(below) == {below[0]}:
            return first
    return 0


def _padded_titles(lines: Sequence[str]) -> int:
    """How many lines fill only the first cell, as spreadsheets export titles, above one that names every column."""
    for separator in SEPARATORS:
        title = _quoted_fields(lines[0], separator) if lines else None
        if not title or not title[0].strip() or any(cell.strip() for cell in title[1:]):
            continue
        fields = [_quoted_fields(line, separator) or [] for line in lines]
        width = len(title)
        filled = [[bool(cell.strip()) for cell in cells] for cells in fields]
        first = next((index for index, cells in enumerate(filled) if sum(cells) > 1), 0)
        titles, header, below = filled[:first], fields[first], fields[first + 1 :]
        if width < _FEWEST_COLUMNS or len(below) < _FEWEST_LINES or {*map(len, fields)} != {width}:
            continue
        told_once = len({*header}) == width and all(
            any(sign.isalpha() for sign in name) and name not in (cells[index] for cells in below)
            for index, name in enumerate(header)
        )
        if titles and not any(any(cells[1:]) for cells in titles) and told_once:
            return first
    return 0


def _lines_above_a_blank(lines: Sequence[str]) -> int:
    """How many lines stand up to a blank one, where none of them has all cells filled as the names below have."""
    for separator in SEPARATORS:
        rows = [_quoted_fields(line, separator) or [] for line in lines]
        filled = [sum(bool(cell.strip()) for cell in row) for row in rows]
        blank = next((index for index, count in enumerate(filled) if not count), 0)
        first = next((index for index, count in enumerate(filled[blank:], blank) if count), 0) if blank else 0
        table = list(itertools.takewhile(bool, rows[first:])) if first else []
        width = len(table[0]) if table else 0
        if width > 1 and filled[first] == width and len(table) >= _FEWEST_LINES and {*map(len, table)} == {width}:
            return first if all(count < width for count in filled[:blank]) else 0
    return 0


def without_lines_below(content: bytes, separator: str | None) -> tuple[bytes, int]:
    """The text without a source or remarks below the table, and how many lines these were.

    A blank line stands above them, and none of them has as many cells as the table or more than one that is filled.
    """
    end = content[-_LONGEST_END:]
    cut = max(end.rfind(b"\n\n"), end.rfind(b"\n\r\n"))
    if cut < 0 or b'"' in end[cut:]:
        return content, 0
    mark = separator or sniff_separator(content)
    lines = [line for line in end[cut:].decode(UTF_8, "replace").splitlines() if line.strip()]
    width = end[:cut].decode(UTF_8, "replace").splitlines()[-1].count(mark) if end[:cut] else 0
    if not width or any(line.count(mark) == width and len(line.strip(mark).split(mark)) > 1 for line in lines):
        return content, 0
    return content[: len(content) - len(end) + cut + 1], len(lines)


def _comments(lines: Sequence[str]) -> int:
    """How many lines above the table begin with # or are blank below such; the last one may name the columns."""
    count = next((index for index, line in enumerate(lines) if line.strip() and not line.startswith("#")), 0)
    if not count or not lines[0].startswith("#"):
        return 0
    separator = sniff_separator("\n".join(lines[count:]).encode())
    rows = [_quoted_fields(line, separator) or [] for line in lines[count - 1 :]]
    named = len(rows) > 1 and len(rows[0]) == len(rows[1]) and not names_columns(rows[1:])
    return count - 1 if named else count


def _names_of_groups(lines: Sequence[str]) -> int:
    """How many lines name groups of columns."""
    separator = sniff_separator("\n".join(lines).encode())
    groups = _quoted_fields(lines[0], separator) if lines else None
    if not groups or (all(cell.strip() for cell in groups) and len({*groups}) == len(groups)):
        return 0
    return names_groups([_quoted_fields(line, separator) or [] for line in lines])


def names_groups(cells: Sequence[Sequence[str]]) -> int:
    """1 where the first row names groups of columns, leaving gaps or repeated, and the second one every column."""
    rows = [[cell.strip() for cell in row] for row in cells]
    if len(rows) < _FEWEST_LINES or len(rows[0]) < _FEWEST_COLUMNS or {*map(len, rows)} != {len(rows[0])}:
        return 0
    groups, names = ([cell for cell in row if cell] for row in rows[:2])
    told_once = len({*groups}) < len(rows[0]) == len({*names}) and not any(cell[0].isdecimal() for cell in names)
    return int(told_once and len(groups) > 1 and names_columns(rows[1:]) and not _repeated(names, rows[2:]))


def _repeated(names: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    return any(name == row[at] for row in below for at, name in enumerate(names))


def with_usual_quotes(content: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Quotes that a backslash escapes, and ="007" as Excel keeps zeros, as CSV writes them; and what was rewritten."""
    notes = []
    if b"\\" in content and b'\\"' in content and _ESCAPED.search(content):
        content = content.replace(b'\\"', b'""')
        notes.append("quotes that a backslash escapes are quotes in the cell")
    if b"=" in content and b'="' in content:  # one byte is looked for ten times as fast as two
        plain = _GUARDED.sub(rb"\1\2", content)
        notes += ['cells written as ="..." are the text in the quotes'] * (plain != content)
        content = plain
    return content, tuple(notes)


def passed_over(lines: int) -> str:
    """What is said of lines that were taken for a title."""
    return f"lines above the table that are passed over: {lines}; say `skip=0` if the first one names the columns"


def unique_names(fields: Sequence[str]) -> tuple[list[str], list[str]]:
    """A name for every column, on one line and without blanks around it: its number where it has none, a suffix where
    it repeats; and what was renamed."""
    wrapped = [len(field) < _LONGEST_NAME and _LINE_BREAKS.search(field.strip()) is not None for field in fields]
    fields = [
        (_LINE_BREAKS.sub(" ", field) if lines else field).strip(" ")
        for field, lines in zip(fields, wrapped, strict=True)
    ]
    names: dict[str, None] = {}
    notes = [
        f"the name of column {number} stood on several lines; it is '{name}' now"
        for number, (name, lines) in enumerate(zip(fields, wrapped, strict=True), start=1)
        if lines
    ]
    written = set(fields)
    last_repeat: dict[str, int] = {}
    for number, field in enumerate(fields, start=1):
        name = base = field if field.strip() else f"column_{number}"
        repeat = last_repeat.get(base, 1)
        while name in names or (name != field and name in written):
            repeat += 1
            name = f"{base}_{repeat}"
        last_repeat[base] = repeat
        if name != field:
            was = f"was called {field!r} like another" if field.strip() else "had no name"
            notes.append(f"column {number} {was}; it is '{name}' now")
        names[name] = None
    return [*names], notes


def numbered_names(width: int) -> list[str]:
    """column_1, column_2, ... for a table without names."""
    return [f"column_{number}" for number in range(1, width + 1)]


def _first_records(content: bytes, separator: str, file: str, first_line: int) -> list[list[str]]:
    """The fields of the first records. As much of the file is looked at as it takes to see the second begin."""
    size = SNIFFED
    while True:
        records = _records(content[:size].decode("utf-8", errors="replace"), separator, file, first_line)
        found: list[list[str]] = []
        try:
            found += (record for _, record in itertools.islice(records, LOOKED_AT + 2))
        except BadRow:  # a quoted field is still open at the end of the beginning; in the first, that of the file
            if not found and size >= len(content):
                raise
        if size >= len(content) or len(found) > 1:
            break
        size *= 16
    if not found[0]:
        raise BadRow("The first line is blank; column names are expected there.", **line_place(file, first_line))
    return found if size >= len(content) or len(found) > LOOKED_AT else found[:-1]  # the last one may be cut


def with_marked_columns(content: bytes) -> tuple[bytes, str, tuple[str, ...]]:
    """Columns that blanks align, with one sign between two cells; that sign, and what was done. Others as they are."""
    if b'"' in content or b"  " not in content:
        return content, " ", ()
    plain = b"\n".join(b" ".join(line.split()) for line in content.splitlines())
    if len({line.count(b" ") for line in plain.split(b"\n")}) == 1:
        return plain + b"\n", " ", ()
    lines = content.decode(UTF_8).splitlines()
    starts = aligned_columns(lines) if b"\t" not in content else []
    if not starts:
        return content, " ", ()
    rows = ("\t".join(cells_at(line, starts)) for line in lines)
    return "\n".join([*rows, ""]).encode(), "\t", ("cells hold blanks, so columns are recognized by where they begin",)


def cells_at(line: str, starts: Sequence[int]) -> list[str]:
    """The cells of a line whose columns begin there."""
    return [line[start:end].strip() for start, end in itertools.zip_longest(starts, starts[1:])]


def aligned_columns(lines: Sequence[str]) -> list[int]:
    """Where the columns of fixed width begin that the first line names; empty where blanks align no columns."""
    widest = max(map(len, lines), default=0)
    if not widest or len(lines) < _FEWEST_LINES:
        return []
    padded = "".join(line.ljust(widest) for line in lines)
    said = (np.array([*padded]).reshape(len(lines), widest) != " ").any(axis=0)
    starts = np.flatnonzero(said & ~np.concatenate([[False], said[:-1]])).tolist()
    named = [start for start, name in zip(starts, cells_at(lines[0], starts), strict=True) if name]
    return [0, *named[1:]] if len(named) > 1 and all(line.strip() for line in lines) else []


def _with_closed_header(content: bytes, separator: str, first: list[list[str]]) -> bytes:
    """With a separator at the end of the header where all other lines seem to end with one."""
    wider = {*map(len, first[1:])} == {len(first[0]) + 1} and not any(row[-1] for row in first[1:])
    if not wider:
        return content
    line, feed, below = content.partition(b"\n")
    if line.count(b'"') % 2:
        return content
    first[0].append("")
    return line.rstrip(b"\r") + separator.encode() + feed + below


def _whole_columns(rows: Sequence[Sequence[str]], names: Sequence[str]) -> list[str]:
    """The named columns that hold whole numbers in the first rows; a separator at the end of lines makes no column."""
    sound = [row for row in rows if len(row) == len(names)]
    cells = zip(names, zip(*sound, strict=True), strict=True) if sound else ()
    return [name for name, texts in cells if all(map(_PLAIN_WHOLE.fullmatch, texts))]


def _read_fast(
    content: bytes, separator: str, header: bool, names: list[str], whole: Collection[str] = ()
) -> pl.DataFrame | None:
    """None where polars stumbles, or some row is short. Columns of `whole` are read as numbers if all cells are."""
    quoted = b'"' in content
    types = {name: pl.Int64 if name in whole else pl.String for name in names} if whole and not quoted else None
    try:
        frame = pl.read_csv(
            content,
            separator=separator,
            has_header=header,
            schema=types,
            infer_schema=False,
            empty_string_is_null=False,
        )
    except POLARS_FAILURES:
        return None if types is None else _read_fast(content, separator, header, names)
    if frame.width != len(names):
        return None
    frame.columns = names
    separators = (frame.height + header) * (frame.width - 1)
    if quoted:
        separators += sum(int(frame[name].str.count_matches(separator, literal=True).sum()) for name in frame.columns)
        if header:
            first = _first_records(content, separator, "", 1)[0]
            separators += sum(name.count(separator) for name in first)
    if _count(content, separator) != separators:
        return None
    if types is None:
        return frame
    frame = frame.with_columns(
        cells.cast(pl.String).fill_null("") for cells in frame.iter_columns() if cells.has_nulls()
    )
    size = _least_size(frame, content, header)
    return frame if len(content) == size else _read_fast(content, separator, header, names)


def _least_size(frame: pl.DataFrame, content: bytes, header: bool) -> int | None:
    """The bytes of the file if every number is written plainly, without a sign or zero in front that it does not need.

    It has more if some is not. None where line ends do not tell how long lines are.
    """
    returns = _count(content, "\r") if b"\r" in content else 0
    if returns and returns != _count(content, "\r", before="\n"):
        return None
    feeds = frame.height + header - (not content.endswith(b"\n"))
    size = frame.height * (frame.width - 1) + feeds + returns
    if header:
        end = content.find(b"\n") if b"\n" in content else len(content)
        size += end - content.endswith(b"\r", 0, end)
    texts = (
        int(cells.str.len_bytes().sum()) if cells.dtype == pl.String else digits_of(cells)
        for cells in frame.iter_columns()
    )
    return size + sum(texts)


def _count(content: bytes, character: str, *, before: str | None = None) -> int:
    """How often an ASCII character occurs, or stands before another; each part stays in the processor's cache."""
    whole, part, total = np.frombuffer(content, np.uint8), 1 << 18, 0
    for at in range(0, len(content), part):
        found = whole[at : at + part] == ord(character)
        if before is not None:
            found = found[: len(content) - at - 1] & (whole[at + 1 : at + part + 1] == ord(before))
        total += int(np.count_nonzero(found))
    return total


def _read_slowly(
    content: bytes, separator: str, header: bool, names: list[str], file: str, first_line: int
) -> pl.DataFrame:
    text = content.decode("utf-8")
    columns: list[list[str]] = [[] for _ in names]
    for index, (line, read) in enumerate(_records(text, separator, file, first_line)):
        record = read or [""] * (len(names) == 1)  # a blank line is an empty cell if there is one column
        if len(record) != len(names):
            found = "1 field" if len(record) == 1 else f"{len(record)} fields"
            hint = " Where every row has one more, name that column, too: R leaves out the name of the row names."
            late = any(value.startswith(' "') for value in record)
            quotes = " A quote must follow the separator at once; take out the blanks before quotes." if late else ""
            if not record:
                raise BadRow(
                    f"{len(names)} fields separated by {separator!r} are expected as in the header, found a blank "
                    "line; delete it, and everything below it that is not part of the table.",
                    **line_place(file, line),
                    expected=len(names),
                    found=0,
                    separator=separator,
                )
            raise BadRow(
                f"{len(names)} fields separated by {separator!r} are expected as in the header, found {found}; "
                "correct the row (or name the separator; a file with one set of items on each line is 'fimi')."
                + quotes
                + (hint if len(record) == len(names) + 1 and index == 1 else ""),
                **line_place(file, line),
                expected=len(names),
                found=len(record),
                separator=separator,
            )
        if index or not header:
            for column, value in zip(columns, record, strict=True):
                column.append(value)
    return pl.DataFrame(dict(zip(names, columns, strict=True)), schema=dict.fromkeys(names, pl.String))


def raise_field_limit(size: int) -> None:
    """Let fields be that long, in all threads; the limit is never taken back."""
    with _ONE_LIMIT:
        csv.field_size_limit(max(csv.field_size_limit(), size))


def _records(text: str, separator: str, file: str, first_line: int = 1) -> Iterator[tuple[int, list[str]]]:
    """Every record with the line on which it begins."""
    raise_field_limit(len(text))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    while True:
        line = reader.line_num + first_line
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


def _split(lines: pl.Series, separator: str, names: Sequence[str]) -> pl.DataFrame:
    if not len(lines):
        return frame_of(names, [])
    parts = lines.str.split_exact(separator, len(names) - 1).struct.unnest()
    return parts.rename(dict(zip(parts.columns, names, strict=True)))


def _quoted_fields(line: str, separator: str) -> list[str] | None:
    """The fields of one line; None where its quotes do not match, which also means: where a field would go on."""
    try:
        rows = list(csv.reader([line], delimiter=separator, strict=True))
    except csv.Error:
        return None
    return rows[0] if len(rows) == 1 else None
