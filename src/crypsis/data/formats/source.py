"""Where rows came from: the name of the file, and the line on which each row stands. For messages only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

_TOLD = ("notes", "questions")


@dataclass(frozen=True)
class Understood:
    """How a file was understood: encoding, separator and the like, what was changed, what only a person can tell."""

    items: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()

    def and_also(self, notes: Sequence[str] = (), questions: Sequence[str] = ()) -> Understood:
        return Understood(self.items, (*self.notes, *notes), (*self.questions, *questions))

    def to_dict(self) -> dict[str, Any]:
        return {"read_as": dict(self.items), "notes": list(self.notes), "questions": list(self.questions)}

    def __str__(self) -> str:
        items = "; ".join(f"{name} {value}" for name, value in self.items.items())
        return "\n".join(
            line for line in (items, *self.notes, *(f"? {question}" for question in self.questions)) if line
        )


class Source(str):
    """The name of a file whose rows stand on lines; a plain string names a source without lines."""

    first_line: int
    understood: Understood | None = None

    def __new__(cls, name: str, first_line: int) -> Self:
        source = super().__new__(cls, name)
        source.first_line = first_line
        return source

    def __getnewargs__(self) -> tuple[str, int]:  # type: ignore[override]
        return str(self), self.first_line

    def line_of(self, row: int) -> int:
        """The 1-based line of a 0-based row. Formats whose rows may span lines look it up in the file."""
        return self.first_line + row


class Document(str):
    """The name of a file whose rows stand on no lines of their own."""

    understood: Understood | None = None


class SeveralFiles(str):
    """The name of a folder, an archive or a pattern whose files are one table; rows of it stand on no lines."""

    understood: Understood | None = None

    @classmethod
    def of(cls, name: str, files: Sequence[str]) -> Self:
        """How the files were understood, together; where they differ, each way."""
        together = cls(name)
        read = [one for one in (getattr(file, "understood", None) for file in files) if one is not None]
        keys = dict.fromkeys(key for one in read for key in one.items)
        items = {key: " or ".join(dict.fromkeys(one.items[key] for one in read if key in one.items)) for key in keys}
        notes, questions = (dict.fromkeys(text for one in read for text in getattr(one, kind)) for kind in _TOLD)
        together.understood = Understood({"files": str(len(files)), **items}, tuple(notes), tuple(questions))
        return together


class NumberedRows(Source):
    """A file whose rows stand on lines that had to be noted one by one."""

    lines: Sequence[int]

    @classmethod
    def of(cls, name: str, lines: Sequence[int]) -> NumberedRows:
        source = cls(name, 1)
        source.lines = lines
        return source

    def line_of(self, row: int) -> int:
        return int(self.lines[row]) if row < len(self.lines) else row + 1


def place(source: str | None, row: int, column: str | None = None) -> dict[str, Any]:
    """The place of a row for an error: `raise BadRow("…", **place(source, row, "x"))`."""
    details: dict[str, Any] = {}
    words: list[str] = []
    if source is not None:
        details["file"] = str(source)
        words.append(str(source))
    if isinstance(source, Source):
        details["line"] = source.line_of(row)
        words.append(f"line {details['line']}")
    else:
        details["row"] = row
        words.append(f"row {row}")
    if column is not None:
        details["column"] = column
        words.append(f"column '{column}'")
    return {"where": ", ".join(words), **details}


def line_place(file: str, line: int, column: str | None = None) -> dict[str, Any]:
    """The place of a line for an error, where no row has been made of it yet."""
    return place(Source(file, line), 0, column)
