"""Hierarchies as files: paths `leaf;level 1;…;root` as ARX writes them, or pairs `child;parent`.

Both are CSV without or with a header (`child;parent` for pairs). Paths may have different lengths. A tree that was made
from data says so in a line before all others, and is not taken for a public one when it is read again; whoever knows
that its values are public takes the line out.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from crypsis.atomic import write_file
from crypsis.data.formats.compression import existing_file, read_bytes
from crypsis.data.formats.csv import sniff_separator
from crypsis.errors import BadParameter, BadRow, HierarchyError

if TYPE_CHECKING:
    from crypsis.hierarchy.hierarchy import Hierarchy

FORMS = ("paths", "edges")
MADE_FROM_DATA = "# made from the data: "  # and by which recipe
_BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"


def read_hierarchy(path: str | Path, *, form: str | None = None, separator: str | None = None) -> Hierarchy:
    """The hierarchy of a file; without `form` a header child, parent says that the lines are pairs."""
    if form is not None and form not in FORMS:
        raise BadParameter(f"A hierarchy file has the form {' or '.join(FORMS)}, got {form!r}.", parameter="form")
    file = existing_file(path)
    text = file_text(read_bytes(file, 5.0), str(file))
    return parse_hierarchy(text, form=form, separator=separator, source=str(file))


def file_text(content: bytes, where: str) -> str:
    """What a file says, without a byte order mark."""
    try:
        return content.decode("utf-8").removeprefix(_BYTE_ORDER_MARK)
    except UnicodeDecodeError as error:
        raise BadRow(f"The text is not UTF-8 at offset {error.start}; save the file as UTF-8.", where=where) from error


def parse_hierarchy(
    text: str, *, form: str | None = None, separator: str | None = None, source: str | None = None
) -> Hierarchy:
    """The hierarchy that the lines of a file say; problems are told with the line."""
    from crypsis.hierarchy.hierarchy import Hierarchy

    origin, text = told_origin(text)
    rows = list(_rows(text, separator or _separator(text.lstrip("\n").encode()), source))
    if rows and [name.lower() for name in rows[0][1]] == ["child", "parent"] and form != "paths":
        form, rows = "edges", rows[1:]
    if not rows:
        raise HierarchyError("The hierarchy is empty; give one line per value.", where=source)
    lines = [line for line, _ in rows]
    if form == "edges":
        return Hierarchy([tuple(row) for _, row in rows], source=source, lines=lines, origin=origin)  # type: ignore[misc]
    return Hierarchy.from_paths([row for _, row in rows], source=source, lines=lines, origin=origin)


def told_origin(text: str) -> tuple[str, str]:
    """The recipe that a tree was made with from data, empty where it says none, and its lines, numbered as before."""
    first, end, rest = text.partition("\n")
    if not first.startswith(MADE_FROM_DATA):
        return "", text
    return first.removeprefix(MADE_FROM_DATA).strip() or "unknown", end + rest


def _separator(content: bytes) -> str:
    """A semicolon where the first line has one: labels often hold commas."""
    first = content.split(b"\n", 1)[0]
    return ";" if b";" in first else sniff_separator(content)


def _rows(text: str, separator: str, file: str | None) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise BadRow(f"The quotes of the row do not match ({error}).", where=_place(file, line)) from error
        if any(part.strip() for part in row):
            yield line, [part.strip() for part in row]


def _place(file: str | None, line: int) -> str:
    return f"line {line}" if file is None else f"{file}, line {line}"


def write_hierarchy(hierarchy: Hierarchy, path: str | Path, *, form: str = "paths") -> Path:
    """Write so that `read_hierarchy` gives it back; of ranges, the same tree over their texts."""
    write_file(Path(path), hierarchy_text(hierarchy, form=form).encode())
    return Path(path)


def hierarchy_text(hierarchy: Hierarchy, *, form: str = "paths") -> str:
    """The lines of such a file."""
    if form not in FORMS:
        raise BadParameter(f"A hierarchy is written as {' or '.join(FORMS)}, got {form!r}.", parameter="form")
    out = io.StringIO(newline="")
    if not hierarchy.declared:
        out.write(f"{MADE_FROM_DATA}{hierarchy.origin}\n")
    writer = csv.writer(out, delimiter=";", lineterminator="\n")
    if form == "edges":
        writer.writerow(("child", "parent"))
        writer.writerows(hierarchy.to_pairs())
    else:
        writer.writerows(hierarchy.to_paths())
    return out.getvalue()
