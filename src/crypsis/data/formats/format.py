"""What a file format is: one class in one file, with a line in `FORMATS`.

The class says by which suffixes and first bytes a file is known and which kinds of data it holds. Its annotated fields
are the options of reading it; Python, the command line, experiment files, REST and the browser take them from here.
A *table* has one row per record, visit or point. *Sequences* are one record or trajectory per line. *Tracks* are
position fixes.

Under differential privacy each record is read by itself (`read_records`, `read_sets`): a cell concerns its own record.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import polars as pl

from crypsis.arrays import Int64s
from crypsis.data.formats.by_record import ByRecord, Sets, as_texts
from crypsis.data.formats.source import SeveralFiles, Source
from crypsis.errors import NotApplicable
from crypsis.parameters import AtLeast, Checked

TABLE, SEQUENCE, TRACK = "table", "sequence", "track"
Separator = Annotated[str | None, "Field separator; detected if empty."]
Header = Annotated[
    bool | None, "Whether the first row names the columns (else column_1, column_2, ...); detected if empty."
]
Skip = Annotated[int | None, AtLeast(0), "Lines above the header that are passed over; detected if empty."]

Query = Annotated[
    str | None, "Table of a database, or a query (select ...); empty if it has one table, or if INPUT says it."
]


@dataclass(frozen=True)
class Sequences:
    """Records of labels: record r is `labels[offsets[r]:offsets[r + 1]]`.

    Where the file keeps sets in an order, `itemsets` numbers the set of each label inside its record.
    """

    offsets: Int64s
    labels: pl.Series
    source: Source | SeveralFiles
    itemsets: Int64s | None = None


@dataclass(frozen=True, kw_only=True)
class Format(Checked):
    """A format, with the options that were chosen for one file."""

    name: ClassVar[str]
    label: ClassVar[str]  # what people call it
    suffixes: ClassVar[tuple[str, ...]] = ()
    also_under: ClassVar[tuple[str, ...]] = ()  # suffixes of others, where the first bytes tell that it is this one
    signatures: ClassVar[tuple[bytes, ...]] = ()  # the first bytes of binary files
    may_be_text: ClassVar[bool] = False  # programs write text under its suffixes
    holds: ClassVar[frozenset[str]] = frozenset()
    live: ClassVar[bool] = False  # whether the data can change although the file does not
    names_tracks_by_file: ClassVar[bool] = False  # whether the name of a track says nothing beyond its file
    named: ClassVar[bool] = False  # of an object: whether somebody named the format, rather than the suffix

    @classmethod
    def sniff(cls, beginning: bytes) -> bool:
        """Whether a file without a known suffix that begins so is of this format."""
        return beginning.startswith(cls.signatures) if cls.signatures else False

    @classmethod
    def is_elsewhere(cls, path: Path, options: Mapping[str, Any]) -> bool:
        """Whether, with these options, a path names what no file holds: a table of a database."""
        return False

    def is_table(self, file: Path) -> bool:
        """Whether this file holds a table; formats that hold several kinds of data look into it."""
        return TABLE in self.holds

    def is_ordered(self, file: Path) -> bool:
        """Whether the sequences of this file keep an order, which makes them trajectories rather than sets."""
        return False

    def read_frame(self, file: Path, columns: Sequence[str] | None = None) -> tuple[pl.DataFrame, str]:
        """The wanted columns of a table, or all, and its source for messages."""
        raise self._cannot("table", file)

    def read_coded_frame(self, file: Path) -> tuple[pl.DataFrame, pl.Schema, str]:
        """All columns, in which texts may be categories (Enum) though their type, told beside, is String."""
        frame, source = self.read_frame(file)
        return frame, frame.schema, source

    def read_sequences(self, file: Path) -> Sequences:
        """One record of labels per line."""
        raise self._cannot("list of records", file)

    def read_points(self, file: Path) -> tuple[pl.DataFrame, str]:
        """One row per position fix, in degrees or planar."""
        raise self._cannot("track", file)

    def names_by_record(self, file: Path) -> list[str] | None:
        """The names of the columns without a look at any record; None where only records would tell."""
        return self.read_frame(file)[0].columns

    def read_records(
        self, file: Path, columns: Sequence[str] | None, lists: Collection[str] = ()
    ) -> tuple[pl.DataFrame, ByRecord]:
        """The table as texts, each cell read by itself. So may a format be read whose file declares its types."""
        return as_texts(self.read_frame(file, columns)[0], lists), ByRecord()

    def read_sets(self, file: Path) -> Sets:
        """Records of items, each read by itself."""
        raise self._cannot("list of records", file)

    def _cannot(self, what: str, file: Path) -> NotApplicable:
        return NotApplicable(f"{self.label} holds no {what}; give {file.name} in another format.", where=str(file))


class TrackFormat(Format):
    """A format of position fixes."""

    holds = frozenset({TRACK})
