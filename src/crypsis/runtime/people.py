"""A table of people and their sensitive values, known before the stream begins: CSV with id and one column each.

The column `sa` holds values of live events that name no attribute; other columns are attributes. An empty cell is none.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable
from pathlib import Path

from crypsis.data.formats.compression import existing_file
from crypsis.errors import BadRow, UnknownColumn, UnreadableFile
from crypsis.methods.stream.intake import PLAIN, Told, is_label


def read_people(file: Path, attributes: Iterable[str]) -> tuple[dict[str, frozenset[Told]], str]:
    """The values of each person, and the digest of the file. Columns of undeclared attributes are left out."""
    content = existing_file(file).read_bytes()
    try:
        rows = csv.reader(content.decode("utf-8-sig").splitlines(), strict=True)
        header = next(rows, [])
        if "id" not in header:
            raise UnknownColumn("A table of people needs the column id.", where=f"{file}, line 1")
        wanted = {PLAIN, *attributes}
        named = [(at, name) for at, name in enumerate(header) if name in wanted]
        who = header.index("id")
        people: dict[str, frozenset[Told]] = {}
        for row in rows:
            where = f"{file}, line {rows.line_num}"
            if len(row) != len(header):
                raise BadRow(f"The row has {len(row)} cells, the header {len(header)}.", where=where)
            if not is_label(row[who]):
                raise BadRow("The row names nobody.", where=where)
            if row[who] in people:
                raise BadRow("A person stands in the table twice.", where=where)
            people[row[who]] = frozenset(row[at] if name == PLAIN else (name, row[at]) for at, name in named if row[at])
    except (UnicodeDecodeError, csv.Error) as error:
        raise UnreadableFile(f"The table of people is no CSV in UTF-8: {error}.", where=str(file)) from error
    return people, hashlib.sha256(content).hexdigest()
