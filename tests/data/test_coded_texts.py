"""Texts as positions in a sorted list: always the texts themselves, however they are looked up."""

from __future__ import annotations

import polars as pl
import pytest

from crypsis.data.coded_texts import with_coded_texts

ROWS = 200_000


def column(many: int, late: tuple[str | None, ...] = ()) -> pl.Series:
    texts = pl.Series([f"text {number % many}" for number in range(ROWS)])
    return pl.concat([texts, pl.Series(late, dtype=pl.String)]).alias("cells")


@pytest.mark.parametrize(
    "cells",
    [
        column(3),
        column(300),
        column(900),
        column(2_000),
        column(3, ("unseen", "", "ünseen that is longer than twelve bytes")),
        column(3, (None, "text 1")),
        column(3, tuple(f"late {number}" for number in range(70_000))),
    ],
    ids=["few", "hundreds", "nearly a thousand", "thousands", "unseen ones at the end", "a gap", "too many"],
)
def test_coded_texts_are_the_texts(cells: pl.Series) -> None:
    coded = with_coded_texts(cells.to_frame())["cells"]
    assert coded.cast(pl.String).equals(cells, check_names=True)
    if coded.dtype == pl.Enum:
        assert coded.dtype.categories.equals(cells.drop_nulls().unique().sort())  # type: ignore[attr-defined]
    else:
        assert cells.n_unique() > 1 << 16


def test_texts_that_hardly_repeat_stay_texts() -> None:
    cells = pl.Series("cells", [f"text {number}" for number in range(20_000)])
    assert with_coded_texts(cells.to_frame())["cells"].dtype == pl.String
