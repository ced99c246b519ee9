"""One file per trap: what stands in it, the options it needs, and what must come of it."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import json
import sqlite3
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

_ODS_SPACES = ("office", "table", "text")
Content = bytes | Callable[[Path], None]
PEOPLE = {"name": ["Jörg", "Zoë", "Ana"], "height": [1.75, 1.8, 1.62]}
GERMAN = "name;height\nJörg;1,75\nZoë;1,80\nAna;1,62\n"


@dataclass(frozen=True)
class Animal:
    """A file, the options it needs, and what comes of it: columns with their values and words told, or a refusal."""

    name: str
    file: str
    content: Content
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    told: str = ""
    refused: str = ""
    advice: str = ""

    def write(self, folder: Path) -> Path:
        path = folder / self.file
        if callable(self.content):
            self.content(path)
        else:
            path.write_bytes(self.content)
        return path


def _text(text: str, encoding: str = "utf-8") -> bytes:
    return text.encode(encoding)


def _sheet(*sheets: tuple[str, list[list[Any]]]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        import xlsxwriter

        with xlsxwriter.Workbook(path) as book:
            day = book.add_format({"num_format": "yyyy-mm-dd"})
            for name, rows in sheets:
                sheet = book.add_worksheet(name)
                for row, cells in enumerate(rows):
                    for column, cell in enumerate(cells):
                        if isinstance(cell, dt.date):
                            sheet.write_datetime(row, column, dt.datetime(cell.year, cell.month, cell.day), day)
                        elif cell is not None:
                            sheet.write(row, column, cell)

    return write


def _times_of_day(path: Path) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(path) as book:
        clock, sheet = book.add_format({"num_format": "hh:mm"}), book.add_worksheet()
        for row, (first, second) in enumerate((("a", "b"), (8 / 24, 1), (0.5, 2))):
            sheet.write(row, 0, first, clock)
            sheet.write(row, 1, second)


def _ods_type(cell: str | float) -> str:
    return 'office:value-type="string"' if isinstance(cell, str) else f'office:value-type="float" office:value="{cell}"'


def _open_document(rows: list[list[Any]]) -> bytes:
    """A spreadsheet of OpenOffice."""
    cells = [
        "".join(f"<table:table-cell {_ods_type(cell)}><text:p>{cell}</text:p></table:table-cell>" for cell in row)
        for row in rows
    ]
    spaces = "".join(f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in _ODS_SPACES)
    table = "".join(f"<table:table-row>{row}</table:table-row>" for row in cells)
    content = (
        f"<office:document-content{spaces}><office:body><office:spreadsheet>"
        f'<table:table table:name="Data">{table}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest:manifest/>")
        archive.writestr("content.xml", content)
    return packed.getvalue()


def _survey(writer: str, **more: Any) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        import pyreadstat

        frame = pl.DataFrame({"sex": [1.0, 2.0, 1.0], "age": [40.0, 51.0, 33.0]})
        getattr(pyreadstat, writer)(frame, str(path), **more)

    return write


def _zip(**files: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "."), text)
    return packed.getvalue()


def _folder(files: Mapping[str, str]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.mkdir()
        for name, text in files.items():
            (path / name).write_text(text, encoding="utf-8")

    return write


def _database(*tables: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with closing(sqlite3.connect(path)) as database, database:
            for table in tables:
                database.execute(f"create table {table} (name text, height real)")
                database.executemany(f"insert into {table} values (?, ?)", [*zip(*PEOPLE.values(), strict=True)])

    return write


def _frame(method: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        getattr(pl.DataFrame(PEOPLE), method)(path)

    return write


DAY = dt.date(2008, 6, 8)
_TYPED = pl.DataFrame(
    {"at": [{"zip": "01", "town": "x"}], "t": [dt.time(3, 30)], "d": [dt.timedelta(seconds=90, milliseconds=500)]}
)
LABELS = {"variable_value_labels": {"sex": {1: "male", 2: "female"}}}
PLAIN = "name,height\nJörg,1.75\nZoë,1.8\nAna,1.62\n"

ENCODINGS = [
    Animal(f"text in {name}", "people.csv", _text(PLAIN, name), PEOPLE, told=shown)
    for name, shown in (
        ("utf-8", "utf-8"), ("utf-8-sig", "utf-8"), ("utf-16", "utf-16"), ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"), ("cp1252", "cp1252"),
    )
]  # fmt: skip

TABLES = [
    *ENCODINGS,
    Animal(
        "latin-1 with a control character", "a.csv", b"a,b\n\xe9,\x81\n", {"a": ["é"], "b": ["\x81"]}, told="latin-1"
    ),
    Animal(
        "koi8 that is declared",
        "a.csv",
        _text("a,b\nжук,1\n", "koi8-r"),
        {"a": ["жук"], "b": [1]},
        {"encoding": "koi8-r"},
    ),
    Animal(
        "an encoding that is none",
        "a.csv",
        b"a,b\n1,2\n",
        options={"encoding": "wibble"},
        refused="bad-parameter",
        advice="cp1252",
    ),
    Animal("damaged utf-8", "a.csv", b"a,b\n\xc3\xa9,1\n\xff,2\n", refused="bad-row", advice="name its encoding"),
    Animal("a German export", "people.csv", _text(GERMAN, "cp1252"), PEOPLE, told="decimal comma"),
    Animal("separated by tabs", "a.csv", b"a\tb\n1\tx\n", {"a": [1], "b": ["x"]}, told="separator tab"),
    Animal("separated by tabs and called so", "a.tsv", b"a\tb\n1,5\tx\n", {"a": [1.5], "b": ["x"]}),
    Animal("separated by bars", "a.csv", b"a|b\n1|x\n", {"a": [1], "b": ["x"]}, told="separator '|'"),
    Animal("separated by semicolons", "a.csv", b"a;b\n1;x\n", {"a": [1], "b": ["x"]}, told="separator ';'"),
    Animal("separated as declared", "a.csv", b"a:b\n1:x\n", {"a": [1], "b": ["x"]}, {"separator": ":"}),
    Animal(
        "a separator of two characters",
        "a.csv",
        b"a::b\n",
        options={"separator": "::"},
        refused="bad-parameter",
        advice="one ASCII",
    ),
    Animal("the hint of Excel", "a.csv", b"sep=;\na;b\n1;x\n", {"a": [1], "b": ["x"]}),
    Animal(
        "a title above the header, not told",
        "a.csv",
        b"Export\n\na;b\n1;x\n2;y\n3;x\n",
        {"a": [1, 2, 3], "b": ["x", "y", "x"]},
        told="lines above the table that are passed over: 2",
    ),
    Animal(
        "comments and a blank line above the header",
        "a.csv",
        b"# export of May\n# confidential\n\na;b\n1;x\n2;y\n",
        {"a": [1, 2], "b": ["x", "y"]},
        told="lines above the table that are passed over: 3",
    ),
    Animal(
        "a marker among texts",
        "a.csv",
        b"a;b\n1;x\n2;#NV\n",
        {"a": [1, 2], "b": ["x", "#NV"]},
        told="#NV in 'b' may mean a missing value",
    ),
    Animal(
        "a title above the header of a sheet",
        "a.xlsx",
        _sheet(("Export", [["Report of May"], [], ["a", "b"], [1, "x"], [2, "y"]])),
        {"a": [1, 2], "b": ["x", "y"]},
        told="lines above the table that are passed over: 2",
    ),
    Animal(
        "sums of money with a sign",
        "a.csv",
        "a;b;c\n€ 1.234,50;45 %;x\n€ 7,25;3 %;y\n".encode(),
        {"a": [1234.5, 7.25], "b": [45, 3], "c": ["x", "y"]},
        told="a decimal comma and the unit €",
    ),
    Animal(
        "dollars with marks that are said",
        "a.csv",
        b"a|b\n$1,234|x\n$7|y\n",
        {"a": [1234, 7], "b": ["x", "y"]},
        {"thousands": ","},
    ),
    Animal(
        "objects inside objects",
        "a.jsonl",
        b'{"a": 1, "b": {"c": "x", "d": {"e": 3}}}\n{"a": 2, "b": {"c": "y", "d": {"e": 4}}}\n',
        {"a": [1, 2], "b.c": ["x", "y"], "b.d.e": [3, 4]},
    ),
    Animal(
        "objects inside objects of an array",
        "a.json",
        b'[{"a": 1, "b": {"c": "x"}}, {"a": 2, "b": {"c": "y"}}]',
        {"a": [1, 2], "b.c": ["x", "y"]},
    ),
    Animal(
        "JSON Lines called .json",
        "a.json",
        b'{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n',
        {"a": [1, 2], "b": ["x", "y"]},
    ),
    Animal(
        "a total below the numbers",
        "a.csv",
        b"a,b\n" + b"".join(b"%d,x\n" % number for number in range(30)) + b"Total,\n",
        {"a": [*map(str, range(30)), "Total"], "b": ["x"] * 30 + [None]},
    ),
    Animal("a title above the header", "a.csv", b"Export\n\na;b\n1;x\n", {"a": [1], "b": ["x"]}, {"skip": 2}),
    Animal(
        "titles of a spreadsheet",
        "a.csv",
        b"Export 2023;;\n;;\nage;town;code\n" + b"1;x;p\n2;y;q\n3;x;p\n4;y;q\n",
        {"age": [1, 2, 3, 4], "town": ["x", "y", "x", "y"], "code": ["p", "q", "p", "q"]},
        told="lines above the table that are passed over: 2",
    ),
    Animal(
        "a first row that is nearly empty",
        "a.csv",
        b"a,,\n1,x,p\n2,y,q\n3,x,p\n4,y,q\n",
        {"a": [1, 2, 3, 4], "column_2": ["x", "y", "x", "y"], "column_3": ["p", "q", "p", "q"]},
        told="had no name",
    ),
    Animal(
        "Cyrillic as declared",
        "a.csv",
        "имя;b\nИван;1\nМария;2\n".encode("cp1251"),
        {"имя": ["Иван", "Мария"], "b": [1, 2]},
        {"encoding": "cp1251"},
        told="cp1251",
    ),
    Animal(
        "UTF-16 without a mark and with Ł",
        "a.csv",
        "Łódź,b\nx,1\n".encode("utf-16-le"),
        {"Łódź": ["x"], "b": [1]},
        told="utf-16-le",
    ),
    Animal(
        "postcodes of which some begin with zero",
        "a.csv",
        ("zip,b\n" + "".join(f"{number:05d},x\n" for number in range(9990, 10015))).encode(),
        {"zip": [f"{number:05d}" for number in range(9990, 10015)], "b": ["x"] * 25},
    ),
    Animal(
        "numbers that may be dates",
        "a.csv",
        b"born,b\n19790214,x\n20011231,y\n",
        {"born": [19790214, 20011231], "b": ["x", "y"]},
        told="if they are dates, say time_format='born=%Y%m%d'",
    ),
    Animal(
        "dates without separators as declared",
        "a.csv",
        b"born,b\n20080608,x\n",
        {"born": [DAY], "b": ["x"]},
        {"time_format": "born=%Y%m%d"},
    ),
    Animal(
        "dates that tell no century",
        "a.csv",
        b"born,b\n14.02.79,x\n31.12.01,y\n",
        {"born": ["14.02.79", "31.12.01"], "b": ["x", "y"]},
        told="time_format='born=%d.%m.%y'",
    ),
    Animal(
        "the answer of a web service",
        "a.json",
        b'{"count": 2, "data": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}], "links": []}',
        {"a": [1, 2], "b": ["x", "y"]},
        told="the rows are those of the member 'data'",
    ),
    Animal(
        "an answer with two arrays",
        "a.json",
        b'{"people": [{"a": 1}], "towns": [{"b": 2}]}',
        refused="unreadable-file",
        advice="Save one of 'people', 'towns' by itself",
    ),
    Animal("no header", "a.csv", b"1,x\n2,y\n", {"column_1": [1, 2], "column_2": ["x", "y"]}, {"header": False}),
    Animal(
        "no header, and nobody says so",
        "a.csv",
        b"39,x\n50,y\n",
        {"column_1": [39, 50], "column_2": ["x", "y"]},
        told="header none",
    ),
    Animal(
        "no header above texts",
        "a.csv",
        b"p,x,p\ne,x,n\np,b,p\n",
        {"column_1": ["p", "e", "p"], "column_2": ["x", "x", "b"], "column_3": ["p", "n", "p"]},
        told="the first row is a record",
    ),
    Animal(
        "years as names",
        "a.csv",
        b"land,2019,2020\nDE,3.5,4.5\nFR,2.5,5.5\n",
        {"land": ["DE", "FR"], "2019": [3.5, 2.5], "2020": [4.5, 5.5]},
    ),
    Animal("names that look like values", "a.csv", b"5,10\n1,2\n3,4\n", {"5": [1, 3], "10": [2, 4]}, {"header": True}),
    Animal(
        "a workbook without header",
        "a.xlsx",
        _sheet(("s", [[39, "x"], [50, "y"]])),
        {"column_1": [39, 50], "column_2": ["x", "y"]},
        told="header none",
    ),
    Animal("a header that repeats", "a.csv", b"a,a\n1,x\n", {"a": [1], "a_2": ["x"]}, told="it is 'a_2' now"),
    Animal("a header with a gap", "a.csv", b",a\n0,x\n", {"column_1": [0], "a": ["x"]}, told="had no name"),
    Animal("line ends of Windows", "a.csv", b"a,b\r\n1,x\r\n", {"a": [1], "b": ["x"]}),
    Animal("line ends of old Macs", "a.csv", b"a,b\r1,x\r", {"a": [1], "b": ["x"]}),
    Animal("no line end at the end", "a.csv", b"a,b\n1,x", {"a": [1], "b": ["x"]}),
    Animal("blank lines at the end", "a.csv", b"a,b\n1,x\n\n\n", {"a": [1], "b": ["x"]}),
    Animal("separators in quotes", "a.csv", b'a,b\n1,"x,y"\n', {"a": [1], "b": ["x,y"]}),
    Animal("line breaks in quotes", "a.csv", b'a,b\n1,"x\ny"\n', {"a": [1], "b": ["x\ny"]}),
    Animal("quotes in quotes", "a.csv", b'a,b\n1,"x ""y"""\n', {"a": [1], "b": ['x "y"']}),
    Animal("an open quote", "a.csv", b'a,b\n1,"x\n', refused="bad-row", advice="close every quoted field"),
    Animal("a short row", "a.csv", b"a,b\n1,x\n2\n", refused="bad-row", advice="2 fields"),
    Animal("an empty file", "a.csv", b"", refused="unreadable-file", advice="header line"),
    Animal("a NUL byte", "a.csv", b"a,b\n1,\0\n", refused="bad-row", advice="NUL"),
    Animal(
        "decimal commas and thousands", "a.csv", b"a;b\n1.234,50;x\n7,25;y\n", {"a": [1234.5, 7.25], "b": ["x", "y"]}
    ),
    Animal("English thousands", "a.csv", b'a,b\n"1,234.50",x\n7.25,y\n', {"a": [1234.5, 7.25], "b": ["x", "y"]}),
    Animal("thousands with blanks", "a.csv", b"a;b\n1 234,50;x\n7,25;y\n", {"a": [1234.5, 7.25], "b": ["x", "y"]}),
    Animal("Swiss thousands", "a.csv", b"a;b\n1'234.50;x\n7.25;y\n", {"a": [1234.5, 7.25], "b": ["x", "y"]}),
    Animal(
        "Swiss thousands of whole numbers",
        "a.csv",
        b"a;b\n1'234;x\n7'250;y\n",
        {"a": [1234, 7250], "b": ["x", "y"]},
        told="marks between thousands",
    ),
    Animal(
        "points that may mark thousands",
        "a.csv",
        b"a;b\n17.915;x\n9.500;y\n",
        {"a": [17.915, 9.5], "b": ["x", "y"]},
        told="thousands='.'",
    ),
    Animal("three decimals below one", "a.csv", b"a;b\n0.915;x\n0.500;y\n", {"a": [0.915, 0.5], "b": ["x", "y"]}),
    Animal(
        "thousands that are declared, with decimals",
        "a.csv",
        b"a;b\n1.234,5;x\n7;y\n",
        {"a": [1234.5, 7.0], "b": ["x", "y"]},
        {"thousands": "."},
        told="decimal ','",
    ),
    Animal(
        "thousands that are declared",
        "a.csv",
        b"a;b\n1.234;x\n7;y\n",
        {"a": [1234, 7], "b": ["x", "y"]},
        {"thousands": "."},
    ),
    Animal(
        "commas that may be either",
        "a.csv",
        b"a;b\n1,234;x\n2,345;y\n",
        {"a": ["1,234", "2,345"], "b": ["x", "y"]},
        told="`decimal` and `thousands`",
    ),
    Animal(
        "lists of codes",
        "a.csv",
        b"a;b\n250,401;x\n250,401,427;y\n",
        {"a": ["250,401", "250,401,427"], "b": ["x", "y"]},
    ),
    Animal(
        "codes with leading zeros", "a.csv", b"zip,b\n01067,x\n80331,y\n", {"zip": ["01067", "80331"], "b": ["x", "y"]}
    ),
    Animal("German dates", "a.csv", b"d,b\n08.06.2008,x\n", {"d": [DAY], "b": ["x"]}, told="day, month, year"),
    Animal(
        "dates with slashes, year first",
        "a.csv",
        b"d,b\n2008/06/08,x\n",
        {"d": [DAY], "b": ["x"]},
        told="year, month, day",
    ),
    Animal(
        "times with slashes",
        "a.csv",
        b"d,b\n2008/06/08 23:40:39,x\n",
        {"d": [dt.datetime(2008, 6, 8, 23, 40, 39)], "b": ["x"]},
    ),
    Animal(
        "American dates",
        "a.csv",
        b"d,b\n06/13/2008,x\n06/08/2008,y\n",
        {"d": [dt.date(2008, 6, 13), DAY], "b": ["x", "y"]},
        told="month, day, year",
    ),
    Animal(
        "dates of either order",
        "a.csv",
        b"d,b\n06/08/2008,x\n",
        {"d": ["06/08/2008"], "b": ["x"]},
        told="day first or with the month first",
    ),
    Animal(
        "dates of either order that are declared",
        "a.csv",
        b"d,b\n06/08/2008,x\n",
        {"d": [dt.date(2008, 8, 6)], "b": ["x"]},
        {"time_format": "%d/%m/%Y"},
        told="'d' holds dates written as %d/%m/%Y",
    ),
    Animal(
        "dates that are declared for each column",
        "a.csv",
        b"born;seen\n06/08/2008;06/08/2008 09:30\nk. A.;07/08/2008 10:00\n",
        {
            "born": [dt.date(2008, 8, 6), None],
            "seen": [dt.datetime(2008, 6, 8, 9, 30), dt.datetime(2008, 7, 8, 10, 0)],
        },
        {"time_format": "born=%d/%m/%Y,seen=%m/%d/%Y %H:%M"},
    ),
    Animal(
        "dates with words",
        "a.csv",
        b'd,b\n"June 08, 2008",x\n',
        {"d": [DAY], "b": ["x"]},
        {"time_format": "%B %d, %Y"},
    ),
    Animal(
        "epoch milliseconds in a table",
        "a.csv",
        b"d,b\n1212968439000,x\n",
        {"d": [dt.datetime(2008, 6, 8, 23, 40, 39)], "b": ["x"]},
        {"time_format": "d=ms"},
    ),
    Animal(
        "dates that are not as declared",
        "a.csv",
        b"d,b\n2008/06/08,x\n",
        options={"time_format": "d=%d/%m/%Y"},
        refused="bad-timestamps",
        advice="must hold times like '%d/%m/%Y'",
    ),
    Animal(
        "months by their names",
        "a.csv",
        b"d,b\n08-Jun-2008,x\n",
        {"d": [DAY], "b": ["x"]},
        told="a day, the name of a month and a year",
    ),
    Animal(
        "instants as check-ins have them",
        "a.csv",
        b"t,b\nSun Jun 08 23:40:39 +0000 2008,x\n",
        {"t": [dt.datetime(2008, 6, 8, 23, 40, 39)], "b": ["x"]},
        told="%a %b %d",
    ),
    Animal(
        "numbers with a unit behind them",
        "a.csv",
        b"age,b\n34 years,x\n51 years,y\n",
        {"age": [34, 51], "b": ["x", "y"]},
        told="the unit years",
    ),
    Animal(
        "numbers with different words behind them",
        "a.csv",
        b"age,b\n34 years,x\n6 months,y\n",
        {"age": ["34 years", "6 months"], "b": ["x", "y"]},
    ),
    Animal("ISO dates", "a.csv", b"d,b\n2008-06-08,x\n", {"d": [DAY], "b": ["x"]}),
    *(
        Animal(
            f"missing as {mark}",
            "a.csv",
            f"n;b\n1;x\n{mark};y\n".encode(),
            {"n": [1, None], "b": ["x", "y"]},
            told=f"{mark} in 'n'",
        )
        for mark in ("NA", "n/a", "k. A.", "#NV", "NULL", "-")
    ),
    Animal("missing as nothing", "a.csv", b"n,b\n1,x\n,y\n", {"n": [1, None], "b": ["x", "y"]}),
    Animal("Namibia", "a.csv", b"land,b\nNA,x\nDE,y\n", {"land": ["NA", "DE"], "b": ["x", "y"]}),
    Animal(
        "missing as declared for one column",
        "a.csv",
        b"n,m\n-8,-8\n5,6\n",
        {"n": [None, 5], "m": [-8, 6]},
        {"missing": ["n=-8|-9"]},
    ),
    Animal(
        "negative codes are asked about",
        "a.csv",
        b"n,b\n1,x\n2,x\n3,x\n4,x\n5,x\n-8,x\n-9,x\n",
        {"n": [1, 2, 3, 4, 5, -8, -9], "b": ["x"] * 7},
        told="missing_tokens=['n=-8|-9']",
    ),
    Animal(
        "9999 is asked about",
        "a.csv",
        b"n,b\n1,x\n2,x\n3,x\n4,x\n5,x\n9999,x\n",
        {"n": [1, 2, 3, 4, 5, 9999], "b": ["x"] * 6},
        told="missing_tokens=['n=9999']",
    ),
    Animal("JSON Lines", "a.jsonl", b'{"a": 1, "b": "x"}\n', {"a": [1], "b": ["x"]}),
    Animal(
        "a JSON array", "a.json", json.dumps([{"a": 1, "b": "x"}, {"a": 2}]).encode(), {"a": [1, 2], "b": ["x", None]}
    ),
    Animal("a JSON object", "a.json", b'{"a": 1}', refused="unreadable-file", advice="array of objects"),
    Animal("JSON that is cut", "a.json", b'[{"a": 1', refused="unreadable-file", advice="no JSON"),
    Animal("gzip", "a.csv.gz", gzip.compress(b"a,b\n1,x\n"), {"a": [1], "b": ["x"]}),
    Animal("zip", "a.csv.zip", _zip(a__csv="a,b\n1,x\n"), {"a": [1], "b": ["x"]}),
    Animal("zip named otherwise", "export.zip", _zip(a__csv="a,b\n1,x\n"), {"a": [1], "b": ["x"]}),
    Animal(
        "zip of several",
        "export.zip",
        _zip(a__csv="a,b\n1,x\n", b__csv="a,b\n2,y\n"),
        {"a": [1, 2], "b": ["x", "y"]},
    ),
    Animal(
        "zip with a page about it",
        "export.zip",
        _zip(a__csv="a,b\n1,x\n", readme__md="# How it was made"),
        {"a": [1], "b": ["x"]},
        told="separator ','",
    ),
    Animal(
        "zip of different kinds",
        "export.zip",
        _zip(a__csv="a\n1\n", b__json="[]"),
        refused="unreadable-file",
        advice="export.zip/a.csv",
    ),
    Animal(
        "a folder of files",
        "parts",
        _folder({"1.csv": "a,b\n1,x\n", "2.csv": "a;b\n2;y\n", "README.md": "# Parts"}),
        {"a": [1, 2], "b": ["x", "y"]},
        told="separator ',' or ';'",
    ),
    Animal(
        "a folder of different files",
        "parts",
        _folder({"1.csv": "a,b\n1,x\n", "2.csv": "a,c\n2,y\n"}),
        refused="bad-row",
        advice="columns a, b",
    ),
    Animal("Parquet", "a.parquet", _frame("write_parquet"), PEOPLE),
    Animal(
        "Parquet called CSV",
        "a.csv",
        _frame("write_parquet"),
        refused="unreadable-file",
        advice="name the format parquet",
    ),
    Animal("Parquet called CSV and named", "a.csv", _frame("write_parquet"), PEOPLE, {"format": "parquet"}),
    Animal("Arrow", "a.arrow", _frame("write_ipc"), PEOPLE),
    Animal("Feather", "a.feather", _frame("write_ipc"), PEOPLE),
    Animal("an Arrow stream", "a.arrow", _frame("write_ipc_stream"), PEOPLE),
    Animal("a database", "a.sqlite", _database("people"), PEOPLE, told="query people"),
    Animal(
        "a database and a query",
        "a.db",
        _database("people", "other"),
        {"name": ["Ana"]},
        {"query": "select name from people where height < 1.7"},
    ),
    Animal(
        "a database of several tables",
        "a.sqlite",
        _database("people", "other"),
        refused="bad-parameter",
        advice="people, other",
    ),
    Animal(
        "a query that writes",
        "a.sqlite",
        _database("people"),
        options={"query": "delete from people"},
        refused="bad-parameter",
        advice="only reads",
    ),
    Animal(
        "a table called text", "people.txt", b"a|b\n1|x\n2|y\n", {"a": [1, 2], "b": ["x", "y"]}, told="separator '|'"
    ),
    Animal(
        "codes beside a short scale",
        "a.csv",
        b"a,b\n1,x\n2,x\n3,y\n-8,y\n-9,x\n",
        {"a": [1, 2, 3, -8, -9], "b": ["x", "x", "y", "y", "x"]},
        told="say missing_tokens=['a=-8|-9']",
    ),
    Animal("no suffix", "people", _text(PLAIN), PEOPLE),
    Animal("a suffix of nobody", "people.data", _text(PLAIN), PEOPLE),
    Animal(
        "a workbook",
        "a.xlsx",
        _sheet(("one", [["name", "height"], ["Jörg", 1.75], ["Zoë", 1.8], ["Ana", 1.62]])),
        PEOPLE,
    ),
    Animal(
        "a workbook with days and gaps",
        "a.xlsx",
        _sheet(("s", [["d", "n"], [DAY, 1], [None, 2]])),
        {"d": [DAY, None], "n": [1, 2]},
    ),
    Animal(
        "a second sheet",
        "a.xlsx",
        _sheet(("s", [["x"], [1]]), ("data", [["a", "b"], [1, "x"]])),
        {"a": [1], "b": ["x"]},
        {"sheet": "data"},
    ),
    Animal(
        "sheets that are not read",
        "a.xlsx",
        _sheet(("s", [["a", "b"], [1, "x"]]), ("t", [["y"]])),
        {"a": [1], "b": ["x"]},
        told="not read: t",
    ),
    Animal(
        "a sheet that is none",
        "a.xlsx",
        _sheet(("s", [["a"], [1]])),
        options={"sheet": "t"},
        refused="bad-parameter",
        advice="sheets are s",
    ),
    Animal(
        "a title above a sheet",
        "a.xlsx",
        _sheet(("s", [["Report"], ["a", "b"], [1, "x"]])),
        {"a": [1], "b": ["x"]},
        {"skip": 1},
    ),
    Animal(
        "a workbook called CSV",
        "a.csv",
        _sheet(("s", [["a"], [1]])),
        refused="unreadable-file",
        advice="name the format excel",
    ),
    Animal(
        "a spreadsheet of OpenOffice",
        "a.ods",
        _open_document([["name", "height"], ["Jörg", 1.75], ["Zoë", 1.8], ["Ana", 1.62]]),
        PEOPLE,
        told="sheet 'Data'",
    ),
    Animal(
        "a web page called a workbook",
        "a.xls",
        b"<html><table><tr><td>a</td></tr></table></html>",
        refused="unreadable-file",
        advice="save it as .xlsx",
    ),
    Animal(
        "CSV called a workbook", "a.xls", b"a;b\n1;x\n2;y\n", refused="unreadable-file", advice="name the format csv"
    ),
    Animal("CSV called a workbook and named", "a.xls", b"a;b\n1;x\n", {"a": [1], "b": ["x"]}, {"format": "csv"}),
    Animal("a workbook that is cut", "a.xlsx", b"PK\x03\x04 nothing", refused="unreadable-file", advice="Excel"),
    Animal(
        "SPSS with labels",
        "a.sav",
        _survey("write_sav", **LABELS),
        {"sex": ["male", "female", "male"], "age": [40, 51, 33]},
        told="value labels sex",
    ),
    Animal(
        "SPSS as codes",
        "a.sav",
        _survey("write_sav", **LABELS),
        {"sex": [1, 2, 1], "age": [40, 51, 33]},
        {"labels": False},
    ),
    Animal(
        "SPSS with declared missing values",
        "a.sav",
        _survey("write_sav", missing_ranges={"age": [33]}),
        {"sex": [1, 2, 1], "age": [40, 51, None]},
    ),
    Animal(
        "Stata with labels",
        "a.dta",
        _survey("write_dta", **LABELS),
        {"sex": ["male", "female", "male"], "age": [40, 51, 33]},
    ),
    Animal("a SAS transport file", "a.xpt", _survey("write_xport"), {"sex": [1, 2, 1], "age": [40, 51, 33]}),
    Animal(
        "SPSS with labels of some numbers",
        "a.sav",
        _survey("write_sav", variable_value_labels={"age": {33: "refused"}}),
        {"sex": [1, 2, 1], "age": ["40", "51", "refused"]},
    ),
    Animal(
        "SPSS with labels of missing values",
        "a.sav",
        _survey("write_sav", variable_value_labels={"age": {33: "refused"}}, missing_ranges={"age": [33]}),
        {"sex": [1, 2, 1], "age": [40, 51, None]},
    ),
    Animal("SPSS that is cut", "a.sav", b"$FL2 nothing", refused="unreadable-file", advice="SPSS"),
    Animal(
        "whole numbers with narrow blanks",
        "a.csv",
        "a;b\n1\u202f234;x\n7;y\n".encode(),
        {"a": [1234, 7], "b": ["x", "y"]},
    ),
    Animal(
        "whole numbers with hard blanks",
        "a.csv",
        "a;b\n1\u00a0234;x\n7;y\n".encode(),
        {"a": [1234, 7], "b": ["x", "y"]},
    ),
    Animal(
        "a unit behind numbers",
        "a.csv",
        _text("a;b\n1.234,50 €;x\n7,25 €;y\n", "cp1252"),
        {"a": [1234.5, 7.25], "b": ["x", "y"]},
        told="the unit €",
    ),
    Animal("percent", "a.csv", b"a;b\n12,5 %;x\n7,25 %;y\n", {"a": [12.5, 7.25], "b": ["x", "y"]}, told="the unit %"),
    Animal(
        "blanks behind separators", "a.csv", b"a, b\n77516, x\n83311, y\n", {"a": [77516, 83311], "b": [" x", " y"]}
    ),
    Animal(
        "whole numbers behind blanks", "a.csv", b"b, a\nx, 77516\ny, 83311\n", {"b": ["x", "y"], "a": [77516, 83311]}
    ),
    Animal(
        "quotes behind blanks",
        "a.csv",
        b'"a", "b"\n1, "x, y"\n',
        refused="bad-row",
        advice="take out the blanks before quotes",
    ),
    Animal(
        "degrees with a decimal comma",
        "a.csv",
        b"lat;lon\n48,133;11,575\n48,134;11,576\n",
        {"lat": [48.133, 48.134], "lon": [11.575, 11.576]},
        told="'lat' is written with a decimal comma",
    ),
    Animal(
        "degrees with three decimals",
        "a.csv",
        b"lat,b\n48.133,x\n48.134,y\n",
        {"lat": [48.133, 48.134], "b": ["x", "y"]},
    ),
    Animal(
        "American times",
        "a.csv",
        b"d,b\n6/13/2008 1:40 PM,x\n6/14/2008 2:40 AM,y\n",
        {"d": [dt.datetime(2008, 6, 13, 13, 40), dt.datetime(2008, 6, 14, 2, 40)], "b": ["x", "y"]},
        told="month, day, year",
    ),
    Animal(
        "comments above the header",
        "a.csv",
        b"# made by a tool\na,b\n1,x\n2,y\n3,z\n",
        {"a": [1, 2, 3], "b": ["x", "y", "z"]},
        told="passed over: 1",
    ),
    Animal(
        "utf-16 without a mark",
        "a.csv",
        _text("name\tage\nJ\u00f6rg\t40\nAna\t50\n", "utf-16-le"),
        {"name": ["J\u00f6rg", "Ana"], "age": [40, 50]},
        told="encoding utf-16-le",
    ),
    Animal(
        "a zip of a Mac",
        "a.zip",
        _zip(export__people__csv="a,b\n1,x\n", __MACOSX___people__csv="\0\1"),
        {"a": [1], "b": ["x"]},
    ),
    Animal(
        "an option of another format",
        "a.jsonl",
        b'{"a": 1}\n',
        options={"encoding": "cp1252"},
        refused="option-without-effect",
        advice="Leave it out",
    ),
    *(
        Animal(
            f"names in {encoding}",
            "a.csv",
            f"{head};b\n{first};1\n{second};2\n".encode(encoding),
            {head: [first, second], "b": [1, 2]},
            told=f"encoding {encoding} was guessed",
        )
        for encoding, head, first, second in (
            ("cp1251", "имя", "Иван", "Мария"),
            ("cp1253", "όνομα", "Γιώργος", "Ελένη"),
            ("cp1256", "الاسم", "محمد", "فاطمة"),
            ("cp1254", "isim ve doğum", "Şule Işık", "Gökçe İğde"),
            ("cp1250", "imię", "Żółć Świętosława", "Łukasz Gałązka"),
            ("cp932", "氏名", "山田太郎", "鈴木花子"),
            ("gb18030", "姓名", "张伟", "王芳"),
            ("cp949", "이름", "김철수", "이영희"),
            ("mac-roman", "Größe", "Müller", "Schönfeld"),
        )
    ),
    Animal("utf-32", "a.csv", _text("a,ö\n1,x\n", "utf-32"), {"a": [1], "ö": ["x"]}, told="encoding utf-32"),
    Animal(
        "utf-8 and others in one file",
        "a.csv",
        "a,b\n1,été\n".encode() + "2,été\n".encode("cp1252"),
        refused="bad-row",
        advice="not UTF-8",
    ),
    *(
        Animal(
            f"numbers with {words}",
            "a.csv",
            _text(f"a;b\n{text};x\n7;y\n"),
            {"a": [number, type(number)(7)], "b": ["x", "y"]},
        )
        for words, text, number in (
            ("thin spaces", "1\u2009234\u2009567", 1234567),
            ("curly apostrophes", "1’234.50", 1234.5),
            ("Indian groups", "12,34,567", 1234567),
            ("parentheses for minus", "(1,234.50)", -1234.5),
            ("a true minus", "−3.5", -3.5),
            ("a minus behind", "3,50-", -3.5),
            ("a comma and an exponent", "1,5E+03", 1500.0),
        )
    ),
    Animal("numbers in Arabic digits", "a.csv", _text("a,b\n٢٣,x\n٤٥,y\n"), {"a": [23, 45], "b": ["x", "y"]}),
    Animal("numbers in wide digits", "a.csv", _text("a,b\n２３,x\n４５,y\n"), {"a": [23, 45], "b": ["x", "y"]}),
    Animal("a unit that touches", "a.csv", b"a,b\n70kg,x\n82kg,y\n", {"a": [70, 82], "b": ["x", "y"]}, told="unit kg"),
    Animal("labels in parentheses", "a.csv", b"a,b\n(1),x\n(2),y\n", {"a": ["(1)", "(2)"], "b": ["x", "y"]}),
    Animal(
        "codes longer than numbers",
        "a.csv",
        b"card,b\n1000000000000000000000001,x\n1000000000000000000000002,y\n",
        {"card": ["1000000000000000000000001", "1000000000000000000000002"], "b": ["x", "y"]},
    ),
    *(
        Animal(f"a day in {words}", "a.csv", _text(f"d;b\n{text};x\n"), {"d": [DAY], "b": ["x"]}, told="month")
        for words, text in (
            ("German", "8. Juni 2008"),
            ("French", "8 juin 2008"),
            ("Spanish", "8 de junio de 2008"),
            ("Portuguese", "domingo, 8 de junho de 2008"),
            ("Polish", "8 czerwca 2008"),
            ("Russian", "8 июня 2008 г."),
            ("Turkish", "8 Haziran 2008"),
            ("Indonesian", "8 Juni 2008"),
            ("Hindi", "8 जून 2008"),
            ("Arabic", "8 يونيو 2008"),
            ("Japanese", "2008年6月8日"),
            ("Korean", "2008년 6월 8일"),
            ("English", "Sunday, June 8, 2008"),
            ("English with an ordinal", "8th of June 2008"),
        )
    ),
    Animal(
        "a clock of twelve hours in Spanish",
        "a.csv",
        _text("d;b\n8 jun. 2008 11:40 p. m.;x\n"),
        {"d": [dt.datetime(2008, 6, 8, 23, 40)], "b": ["x"]},
    ),
    Animal(
        "days that are none",
        "a.csv",
        b"d;b\n08.06.2008;x\n00.00.0000;y\n",
        {"d": [DAY, None], "b": ["x", "y"]},
        told="00.00.0000 in 'd' means a missing value",
    ),
    Animal(
        "the null of databases", "a.csv", b"n,b\n1,x\n\\N,y\n", {"n": [1, None], "b": ["x", "y"]}, told="\\N in 'n'"
    ),
    Animal(
        "dates with a short year and a month",
        "a.csv",
        b"d,b\n08-JUN-68,x\n09-JUN-69,y\n",
        {"d": ["08-JUN-68", "09-JUN-69"], "b": ["x", "y"]},
        told="d=%d-%b-%y",
    ),
    *(
        Animal(
            f"separated by {words}", "a.csv", _text(f"a{sign}b\n1{sign}x\n2{sign}y\n"), {"a": [1, 2], "b": ["x", "y"]}
        )
        for words, sign in (("carets", "^"), ("tildes", "~"), ("colons", ":"), ("the sign of Hive", "\x01"))
    ),
    Animal("a clock is no separator", "a.csv", b"seen\n12:30\n9:15\n", {"seen": ["12:30", "9:15"]}),
    Animal(
        "quotes behind backslashes",
        "a.csv",
        b'a,b\n1,"say \\"hi\\", then go"\n2,y\n',
        {"a": [1, 2], "b": ['say "hi", then go', "y"]},
        told="backslash",
    ),
    Animal("a backslash at the end", "a.csv", b'a,b\n1,"C:\\dir\\"\n2,y\n', {"a": [1, 2], "b": ["C:\\dir\\", "y"]}),
    Animal(
        "a backslash before doubled quotes", "a.csv", b'a,b\n1,"C:\\"",x"\n2,y\n', {"a": [1, 2], "b": ['C:\\",x', "y"]}
    ),
    Animal(
        "zeros that Excel keeps",
        "a.csv",
        b'a,b\n="007",x\n="012",y\n',
        {"a": ["007", "012"], "b": ["x", "y"]},
        told="the text in the quotes",
    ),
    Animal("separators at the ends", "a.csv", b"a,b,\n1,x,\n2,y,\n", {"a": [1, 2], "b": ["x", "y"]}),
    Animal("separators at the ends of rows", "a.csv", b"a,b\n1,x,\n2,y,\n", {"a": [1, 2], "b": ["x", "y"]}),
    Animal(
        "names of rows as R writes them",
        "a.csv",
        b'"a","b"\n"1",40,x\n"2",50,y\n',
        refused="bad-row",
        advice="R leaves out the name of the row names",
    ),
    Animal("the end of a file in DOS", "a.csv", b"a,b\n1,x\n\x1a", {"a": [1], "b": ["x"]}),
    Animal(
        "comments with separators",
        "a.csv",
        b"# made 2020\n# by X, Y and Z\na,b\n1,x\n2,y\n3,x\n",
        {"a": [1, 2, 3], "b": ["x", "y", "x"]},
        told="passed over: 2",
    ),
    Animal(
        "names behind a sharp",
        "a.tsv",
        b"# made 2020\n#chrom\tstart\nx\t1\ny\t2\n",
        {"#chrom": ["x", "y"], "start": [1, 2]},
        told="passed over: 1",
    ),
    Animal(
        "groups of columns above the names",
        "a.csv",
        b"Person;;Visit;\nName;Age;Place;Length\nA;40;P;3\nB;50;Q;4\nC;60;P;5\n",
        {"Name": ["A", "B", "C"], "Age": [40, 50, 60], "Place": ["P", "Q", "P"], "Length": [3, 4, 5]},
        told="passed over: 1",
    ),
    Animal(
        "a line of totals",
        "a.csv",
        _text("a,b\n" + "".join(f"{number},{number % 7 * 3}\n" for number in range(20, 45)) + "Total,200\n"),
        {"a": [*map(str, range(20, 45)), "Total"], "b": [*(number % 7 * 3 for number in range(20, 45)), 200]},
        told="drop_rows(column=a, values=Total)",
    ),
    Animal(
        "a PDF called a table", "a.csv", b"%PDF-1.4\n%\xe2\xe3\n1 0 obj\n", refused="unreadable-file", advice="is PDF"
    ),
    Animal("a picture called a table", "a.csv", b"\x89PNG\r\n\x1a\n\0", refused="unreadable-file", advice="is PNG"),
    Animal(
        "a folder of columns in another order",
        "parts",
        _folder({"1.csv": "a,b\n1,x\n", "2.csv": "b,a\ny,2\n"}),
        {"a": [1, 2], "b": ["x", "y"]},
        told="files 2",
    ),
    Animal(
        "a sheet of notes before the table",
        "a.xlsx",
        _sheet(("notes", [["see the other sheet"]]), ("data", [["a", "b"], [1, "x"]])),
        {"a": [1], "b": ["x"]},
        told="not read: notes",
    ),
    Animal(
        "groups of columns in a workbook",
        "a.xlsx",
        _sheet(("s", [["Person", None, "Visit"], ["name", "age", "place"], *[[name, 40, "P"] for name in "ABC"]])),
        {"name": [*"ABC"], "age": [40] * 3, "place": ["P"] * 3},
        told="passed over: 1",
    ),
    *(
        Animal(
            f"objects, times of day and durations in {suffix}",
            f"a.{suffix}",
            lambda path, method=method: getattr(_TYPED, method)(path),  # type: ignore[misc]
            {"at.zip": ["01"], "at.town": ["x"], "t": ["03:30:00"], "d": [90.5]},
        )
        for suffix, method in (("parquet", "write_parquet"), ("feather", "write_ipc"))
    ),
    Animal("an empty archive", "a.zip", _zip(), refused="unreadable-file", advice="no data in the archive"),
    Animal(
        "records of texts without names",
        "a.csv",
        b"Private,Male,White\nGov,Female,Black\nPrivate,Female,White\nGov,Male,White\n",
        {
            "column_1": ["Private", "Gov", "Private", "Gov"],
            "column_2": ["Male", "Female", "Female", "Male"],
            "column_3": ["White", "Black", "White", "White"],
        },
        told="header none",
    ),
    Animal(
        "names of groups that repeat",
        "a.csv",
        b"Person,Person,Visit,Visit\nname,age,place,length\nA,40,P,3\nB,50,Q,4\nC,60,P,5\n",
        {"name": ["A", "B", "C"], "age": [40, 50, 60], "place": ["P", "Q", "P"], "length": [3, 4, 5]},
        told="passed over: 1",
    ),
    Animal(
        "titles with several cells above a blank line",
        "a.csv",
        b"Exported by;shop 3;;\nDepartment;all;;\n\nno;age;unit;pay\n1;40;A;9\n2;50;B;8\n3;60;A;7\n",
        {"no": [1, 2, 3], "age": [40, 50, 60], "unit": ["A", "B", "A"], "pay": [9, 8, 7]},
        told="lines above the table that are passed over: 3",
    ),
    Animal(
        "a source below the table",
        "a.csv",
        _text("place;year;number\nA;2019;5\nB;2020;7\n\n__________\nQuelle: Amt für Statistik, 2021\n(C) Amt;;\n"),
        {"place": ["A", "B"], "year": [2019, 2020], "number": [5, 7]},
        told="lines below the table that are passed over: 3",
    ),
    Animal(
        "a blank line between records",
        "a.csv",
        b"a,b\n1,x\n\n2,y\n",
        refused="bad-row",
        advice="found a blank line; delete it",
    ),
    Animal(
        "names on several lines",
        "a.csv",
        b'"age\nin years","town, part"\n40,x\n50,y\n',
        {"age in years": [40, 50], "town, part": ["x", "y"]},
        told="stood on several lines",
    ),
    Animal(
        "dates of two forms that are clear",
        "a.csv",
        b"d,b\n2008-06-08,x\n08.06.2008,y\n",
        {"d": [DAY, DAY], "b": ["x", "y"]},
        told="day, month, year, and some as ISO 8601",
    ),
    Animal(
        "days as a spreadsheet counts them",
        "a.csv",
        b"admission date,b\n39607,x\n39608,y\n39607,x\n",
        {"admission date": [39607, 39608, 39607], "b": ["x", "y", "x"]},
        told="'admission date' holds numbers like",
    ),
    Animal(
        "days as a spreadsheet counts them, declared",
        "a.csv",
        b"admitted,b\n39607,x\n39608,y\n",
        {"admitted": [DAY, DAY + dt.timedelta(days=1)], "b": ["x", "y"]},
        {"time_format": "admitted=excel"},
    ),
    Animal(
        "instants as a spreadsheet counts them, declared",
        "a.csv",
        b"admitted,b\n39607.5,x\n39608.25,y\n",
        {"admitted": [dt.datetime(2008, 6, 8, 12), dt.datetime(2008, 6, 9, 6)], "b": ["x", "y"]},
        {"time_format": "admitted=excel"},
    ),
    Animal(
        "money with blanks and a sign",
        "a.csv",
        _text("a;b\n1 234,50 zł;x\n7,25 zł;y\nbrak;x\n"),
        {"a": [1234.5, 7.25, None], "b": ["x", "y", "x"]},
        told="the unit zł",
    ),
    Animal(
        "speeds with a unit of two words",
        "a.csv",
        b"a,b\n50.5 km/h,x\n7 km/h,y\n",
        {"a": [50.5, 7.0], "b": ["x", "y"]},
        told="the unit km/h",
    ),
    *(
        Animal(
            f"numbers and {words}",
            "a.csv",
            _text(f"a;b\n12;x\n{words};y\n7;x\n"),
            {"a": [12, None, 7], "b": ["x", "y", "x"]},
            told="means a missing value",
        )
        for words in ("sin datos", "non renseigné", "не указано", "#DIV/0!", "(blank)", "brak danych", "not applicable")
    ),
    Animal(
        "two high codes of a survey",
        "a.csv",
        _text("income,b\n" + "".join(f"{900 + 7 * n},x\n" for n in range(9)) + "99998,y\n99999,y\n"),
        {"income": [*(900 + 7 * n for n in range(9)), 99998, 99999], "b": [*"xxxxxxxxxyy"]},
        told="99999, 99998 in 'income' may be codes",
    ),
    Animal(
        "a total below texts of a sheet",
        "a.xlsx",
        _sheet(("s", [["name", "pay"], *[[f"P{n}", 10 + n] for n in range(5)], ["Total", 60]])),
        {"name": [*(f"P{n}" for n in range(5)), "Total"], "pay": [*range(10, 15), 60]},
    ),
    Animal(
        "weeks, quarters and months",
        "a.csv",
        b"week,quarter,month\n2024-W05,2024Q1,2024-02\n2024-W30,2024Q3,2024-07\n",
        {"week": ["2024-W05", "2024-W30"], "quarter": ["2024Q1", "2024Q3"], "month": ["2024-02", "2024-07"]},
    ),
    Animal(
        "columns of an object",
        "a.json",
        b'{"a": [1, 2], "b": ["x", "y"]}',
        {"a": [1, 2], "b": ["x", "y"]},
    ),
    Animal(
        "columns as pandas writes them",
        "a.json",
        b'{"a": {"0": 1, "1": 2}, "b": {"0": "x", "1": "y"}}',
        {"a": [1, 2], "b": ["x", "y"]},
    ),
    Animal(
        "names beside rows as pandas writes them",
        "a.json",
        b'{"columns": ["a", "b"], "index": [0, 1], "data": [[1, "x"], [2, "y"]]}',
        {"a": [1, 2], "b": ["x", "y"]},
    ),
    Animal(
        "rows below names in arrays",
        "a.json",
        b'[["a", "b"], [1, "x"], [2, "y"]]',
        {"a": [1, 2], "b": ["x", "y"]},
    ),
    Animal(
        "rows deep inside an answer",
        "a.json",
        b'{"meta": {"n": 2}, "data": {"people": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]}}',
        {"a": [1, 2], "b": ["x", "y"]},
        told="those of the member 'data.people'",
    ),
    Animal(
        "an archive of tar called a table",
        "a.csv",
        b"a.csv".ljust(257, b"\0") + b"ustar  \0" + b"\0" * 300,
        refused="unreadable-file",
        advice="unpack it first",
    ),
    Animal(
        "a folder of parts with a mark that they are complete",
        "parts",
        _folder({"part-0.csv": "a,b\n1,x\n", "part-1.csv": "a,b\n2,y\n", "_SUCCESS": "", "~$part.csv": "?"}),
        {"a": [1, 2], "b": ["x", "y"]},
        told="files 2",
    ),
    Animal(
        "instants with a decimal comma",
        "a.csv",
        b"d;b\n2008-06-08 23:40:39,500;x\n2008-06-09 01:00:00,000;y\n",
        {"d": [dt.datetime(2008, 6, 8, 23, 40, 39, 500000), dt.datetime(2008, 6, 9, 1)], "b": ["x", "y"]},
        told="year, month, day",
    ),
    Animal(
        "times of day in a workbook",
        "a.xlsx",
        _times_of_day,
        {"a": ["08:00:00", "12:00:00"], "b": [1, 2]},
    ),
    Animal(
        "columns of fixed width whose cells hold blanks",
        "a.csv",
        b"id  city         pay\n1   New York    9.5\n2   Los Angeles 100.0\n3   Rome          3\n4   Oslo         40\n",
        {"id": [1, 2, 3, 4], "city": ["New York", "Los Angeles", "Rome", "Oslo"], "pay": [9.5, 100.0, 3.0, 40.0]},
        {"separator": " "},
        told="columns are recognized by where they begin",
    ),
    Animal(
        "a table of R with quotes and blanks",
        "a.csv",
        b'"row" "age" "town"\n"1" 40 "New York"\n"2" 50 "Rome"\n',
        {"row": [1, 2], "age": [40, 50], "town": ["New York", "Rome"]},
        {"separator": " "},
    ),
    Animal(
        "columns that blanks align",
        "a.csv",
        b"age  sex   pay\n 40  m     9.5\n  7  f   100.0\n",
        {"age": [40, 7], "sex": ["m", "f"], "pay": [9.5, 100.0]},
        {"separator": " "},
    ),
]
