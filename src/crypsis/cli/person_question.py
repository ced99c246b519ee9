"""A remark where records of a table were counted, and a column seems to tell that people have several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crypsis.cli.output import note

if TYPE_CHECKING:
    import polars as pl


def note_person(frame: pl.DataFrame) -> None:
    """Ask who a person is; whoever only looks at a table need not answer."""
    from crypsis.data.person_detection import person_like_column

    like = person_like_column(frame)
    if like is not None:
        note(f"Records were counted. {like.question} Count people with --person {like.column}.")
