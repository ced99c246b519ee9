"""Published data beside the original, as a grid with the cells marked that are not what they were."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.mixed import SUPPRESSED_TEXT
from crypsis.translation import _
from crypsis.web.chunk_rows import chunk_grid
from crypsis.web.grids import Grid

_EXAMPLES = 12


@dataclass(frozen=True, eq=False)
class Output:
    """A grid and, by row, which of its columns differ from the original."""

    grid: Grid
    changed: np.ndarray[Any, np.dtype[np.bool_]]
    first_published: int = 0  # columns before it show the original, so they never differ
    examples: tuple[str, ...] = ()  # records as they might have been, where what is published are pieces of them

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
    if published.table_part is None and published.symbol_rows is not None:
        return _of_sequences(original, published)
    if original is not None and published.table_part is not None:
        return _of_columns(_text_frame(original.to_frame()), _text_frame(_published_frame(published)))
    if isinstance(published, DisassociatedTransactions):
        return Output(chunk_grid(published), np.zeros((0, 0), np.bool_), examples=_examples(published))
    return Output(Grid(published.to_texts()), np.zeros((0, 0), np.bool_))


def _examples(published: DisassociatedTransactions) -> tuple[str, ...]:
    """Some records of one dataset that could have been the original; drawn from what is published alone."""
    (drawn,) = published.reconstruct(1, seed=0)
    first = drawn.take(np.arange(min(_EXAMPLES, len(drawn))))
    return tuple(", ".join(map(str, row)) for row in first.to_lists())


def _published_frame(published: Any) -> pl.DataFrame:
    """Sets as the original shows them, not as the file writes them."""
    frame: pl.DataFrame = published.to_frame()
    if published.set_part is None:
        return frame
    hidden = published.table_part.suppressed.tolist()
    sets = [
        SUPPRESSED_TEXT if out else " ".join(sorted(map(_symbol, row)))
        for row, out in zip(published.set_part.to_lists(), hidden, strict=True)
    ]
    return frame.with_columns(pl.Series(published.column, sets, dtype=pl.String))


def _text_frame(frame: pl.DataFrame) -> pl.DataFrame:
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
        for index, name in enumerate(after.columns):
            if name in before.columns:
                changed[:, index] = before[name].fill_null("?").ne_missing(after[name].fill_null("?")).to_numpy()
    return Output(Grid(after), changed)


def _of_sequences(original: Any, published: Any) -> Output:
    after = [published.separator.join(_symbol(one) for one in row) for row in published.to_lists()]
    labelled = original is not None and original.label_vocabulary is not None
    if not labelled or len(published) != len(
        original
    ):  # tracks became areas, or some records were left out: rows have no counterpart
        frame = pl.DataFrame({_("published"): after}, schema={_("published"): pl.String})
        return Output(Grid(frame), np.zeros((0, 0), np.bool_))
    before = [published.separator.join(map(str, row)) for row in original.to_lists()]
    heads = (_("original"), _("published"))
    frame = pl.DataFrame(dict(zip(heads, (before, after), strict=True)), schema=dict.fromkeys(heads, pl.String))
    changed = np.zeros((frame.height, 2), np.bool_)
    changed[:, 1] = (frame[heads[0]] != frame[heads[1]]).to_numpy()
    return Output(Grid(frame), changed, first_published=1)


def _symbol(symbol: Any) -> str:
    return symbol if isinstance(symbol, str) else "{" + ", ".join(symbol) + "}"
