"""Data for commands that take any kind: read by the reading options, of the kind that these or the file tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crypsis.cli.reading import Reader


def loaded(path: Path, read: Reader, kind: str | None = None, *, rest: str | None = None) -> Any:
    """The data of a file; `rest` is the role of columns that were given none, for commands that ask for no roles."""
    from crypsis.data.sources import OF_RECORDS
    from crypsis.evaluate import Dataset
    from crypsis.evaluate.first_look import look_at

    section = read.typed.section(path, kind)
    if rest is not None and "kind" not in section and not _tells_rows(section):
        looked = look_at(path, section)
        if looked.kind in OF_RECORDS:
            section |= {"kind": "table", "columns": {}}
        elif looked.kind == "transactions":
            section |= looked.uses
    if rest is not None and section.get("kind") in OF_RECORDS:
        section.setdefault("rest", rest)
    return Dataset(section, Path.cwd()).load()


def _tells_rows(section: dict[str, Any]) -> bool:
    """Whether options say what the rows of a long table are: visits, fixes or items."""
    return any(name in section for name in ("id", "item", "position", "location", "user", "time", "grid", "x", "t"))


def items_of(data: Any) -> Any:
    """The transactions of mixed data, or the data themselves if they are transactions."""
    from crypsis.errors import NotApplicable

    if data.set_part is None:
        raise NotApplicable(
            f"Sets of items are needed, and these data are {type(data).__name__}; for a table say which column holds "
            "them and what separates them (--items 'diagnoses= ')."
        )
    return data.set_part
