"""A remark where records of a table were counted, and a column seems to tell that people have several."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crypsis.cli.output import note


def note_person(path: Path, how: Mapping[str, Any]) -> None:
    """Ask who a person is; whoever only looks at a table need not answer."""
    from crypsis.data.formats.tabular import read_table_file
    from crypsis.data.person_detection import person_like_column

    like = person_like_column(read_table_file(path, **how)[0])
    if like is not None:
        note(f"Records were counted. {like.question} Count people with --person {like.column}.")
