"""Published data beside the original, as a grid with the cells marked that are not what they were."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from crypsis.data.mixed import SUPPRESSED_TEXT, Mixed, PublishedMixed
from crypsis.data.relational import PublishedTable, Table
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.evaluate.published_frame import published_frame
from crypsis.web.grids import Grid


@dataclass(frozen=True, eq=False)
class Output:
    """A grid and, by row, which of its columns differ from the original."""

    grid: Grid
    changed: np.ndarray[Any, np.dtype[np.bool_]]
    first_published: int = 0  # columns before it show the original, so they never differ

    @property
    def changed_share(self) -> float | None:
        """None where rows have no counterpart in the original."""
        return float(self.changed[:, self.first_published :].mean()) if self.changed.size else None

    def marks(self, places: list[int]) -> list[list[int]]:
        """The changed columns of these rows."""
        if not self.changed.size:
            return [[] for _ in places]
        return [np.flatnonzero(self.changed[place]).tolist() for place in places]


def output_of(original: Any, published: Any) -> Output:
    """Rows in the order of the input, where the published data have one row per record."""
    if original is not None and isinstance(published, (PublishedTable, PublishedMixed)):
        return _of_columns(_text_frame(original), _text_frame(published))
    if isinstance(published, (PublishedTrajectories, PublishedTransactions)):
        return _of_sequences(original, published)
    return Output(Grid(published_frame(published)), np.zeros((0, 0), np.bool_))


def _text_frame(data: Table | PublishedTable | Mixed | PublishedMixed) -> pl.DataFrame:
    frame: pl.DataFrame = data.to_frame()
    if isinstance(data, PublishedMixed):  # as the original shows its sets, not as the file writes them
        hidden = data.table.suppressed.tolist()
        sets = [
            SUPPRESSED_TEXT if out else " ".join(sorted(map(_symbol, row)))
            for row, out in zip(data.transactions.to_lists(), hidden, strict=True)
        ]
        frame = frame.with_columns(pl.Series(data.column, sets, dtype=pl.String))
    return frame.select(
        pl.col(name).list.eval(pl.element().cast(pl.String)).list.sort().list.join(" ")
        if isinstance(dtype, pl.List) and not isinstance(dtype.inner, pl.List)
        else pl.col(name).map_elements(_nested_text, return_dtype=pl.String)
        if dtype.is_nested()
        else pl.col(name).cast(pl.String)
        for name, dtype in frame.schema.items()
    )


def _nested_text(value: Any) -> str:
    if isinstance(value, (list, tuple, pl.Series)):
        parts = [_nested_text(one) for one in value]
        return " ".join(
            f"({part})" if isinstance(one, (list, tuple, pl.Series)) and len(one) > 1 else part
            for one, part in zip(value, parts, strict=True)
        )
    return str(value)


def _of_columns(before: pl.DataFrame, after: pl.DataFrame) -> Output:
    changed = np.zeros((after.height, after.width), np.bool_)
    if before.height == after.height:
        for place, name in enumerate(after.columns):
            if name in before.columns:
                changed[:, place] = before[name].fill_null("?").ne_missing(after[name].fill_null("?")).to_numpy()
    return Output(Grid(after), changed)


def _of_sequences(original: Any, published: Any) -> Output:
    between = " → " if isinstance(published, PublishedTrajectories) else "  "
    after = [between.join(_symbol(one) for one in row) for row in published.to_lists()]
    comparable = isinstance(original, (Trajectories, Transactions)) and len(published) == len(original)
    if not comparable:  # tracks became areas, or some records were left out: rows have no counterpart
        frame = pl.DataFrame({"published": after}, schema={"published": pl.String})
        return Output(Grid(frame), np.zeros((0, 0), np.bool_))
    before = [between.join(map(str, row)) for row in original.to_lists()]
    frame = pl.DataFrame(
        {"original": before, "published": after}, schema={"original": pl.String, "published": pl.String}
    )
    changed = np.zeros((frame.height, 2), np.bool_)
    changed[:, 1] = (frame["original"] != frame["published"]).to_numpy()
    return Output(Grid(frame), changed, first_published=1)


def _symbol(symbol: Any) -> str:
    return symbol if isinstance(symbol, str) else "{" + ", ".join(symbol) + "}"
