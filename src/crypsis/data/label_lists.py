"""Files of lists of labels: one list per line, or JSON. Constraints and policies are written so.

Labels of a line are separated by a tab, `;`, `|`, `,` or blanks: the first of these that occurs in the file, or the one
that is given. JSON is a list of lists, or one list per line.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Self

from crypsis.data.formats.compression import existing_file
from crypsis.data.formats.lines import read_lines
from crypsis.data.formats.source import NumberedRows
from crypsis.errors import BadRow, InputError
from crypsis.parameters import SideInput
from crypsis.strict_json import parse_json

SEPARATORS = ("\t", ";", "|", ",")
MEMORY_PER_BYTE = 6.0


class LabelLists(SideInput):
    """A side input of lists of labels, which a file may hold."""

    error: ClassVar[type[InputError]]

    @classmethod
    def from_file(cls, path: str | Path, *, separator: str | None = None) -> Self:
        """Read a file with one list of labels per line, or of JSON lists."""
        lists, source = read_label_lists(path, separator=separator, error=cls.error)
        return cls(lists, source=source)  # type: ignore[call-arg]


def read_label_lists(
    path: str | Path, *, separator: str | None = None, error: type[InputError] = BadRow
) -> tuple[list[list[str]], NumberedRows]:
    """The lists of a file and where each stands; what is no list of labels raises `error`."""
    file = existing_file(path)
    lines, _ = read_lines(file, MEMORY_PER_BYTE)
    filled = [(number, line) for number, line in enumerate(lines.to_list(), 1) if line.strip()]
    if filled and filled[0][1].lstrip().startswith("["):
        numbered = list(_json_lists(filled, str(file), error))
    else:
        separator = separator or next((one for one in SEPARATORS if any(one in line for _, line in filled)), None)
        numbered = [
            (number, [label.strip() for label in line.split(separator) if label.strip()]) for number, line in filled
        ]
    return [labels for _, labels in numbered], NumberedRows.of(str(file), [number for number, _ in numbered])


def _json_lists(said: list[tuple[int, str]], file: str, error: type[InputError]) -> Iterator[tuple[int, list[str]]]:
    """The lists of one JSON document, or of JSON Lines, with the line on which each stands."""
    try:
        whole = parse_json("\n".join(line for _, line in said))
    except ValueError:
        whole = None
    if isinstance(whole, list) and all(isinstance(labels, list) for labels in whole):
        yield from ((said[0][0], labels) for labels in whole)
        return
    for number, line in said:
        try:
            labels = parse_json(line)
        except ValueError as problem:
            raise BadRow(
                f"The line is no JSON: {problem}.", where=f"{file}, line {number}", file=file, line=number
            ) from problem
        if not isinstance(labels, list):
            raise error(
                f"A constraint must be a list of labels, got {labels!r}.",
                where=f"{file}, line {number}",
                file=file,
                line=number,
            )
        yield number, labels
