"""Plot `value_difference`: how far the frequency of every original value is off when it is read from the release.

A published cell is spread evenly over the original values that it covers: the values of the column inside a range, the
members of a set, the leaves of a node, all values for `*`. Missing and suppressed cells stand for no value.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from crypsis.drawing.frame import Axis, Frame, Panel
from crypsis.errors import NotApplicable
from crypsis.metrics.expected_values import expected_values
from crypsis.translation import _


def value_difference(original: Any, published: Any, column: str) -> Frame:
    """(expected - original) / original for every value that occurs in the original column."""
    table, released = original.table_part, published.table_part
    if table is None or released is None:
        raise NotApplicable(
            f"Values are compared between a table and its release, got {type(original).__name__} and "
            f"{type(published).__name__}; for items there is item_error."
        )
    before = table.column(column)
    counts = np.bincount(before.codes[before.codes >= 0], minlength=len(before.domain)).astype(np.float64)
    expected = expected_values(before, released.column(column))
    occurring = counts > 0
    numeric = before.type != "category"
    values = before.domain.filter(pl.Series(occurring))
    differences = pl.DataFrame(
        {
            "value": values,
            "original": pl.Series(counts[occurring].astype(np.int64)),
            "expected": expected[occurring],
            "difference": (expected[occurring] - counts[occurring]) / counts[occurring],
        }
    )
    y = Axis("difference", _("relative difference of the frequency"))
    panel = Panel("stems" if numeric else "bars", Axis("value", column, "linear" if numeric else "category"), y)
    return Frame(
        "value_difference",
        _("Frequency of values of {column}, published against original", column=column),
        differences,
        (panel,),
        note=_(
            "0 is as frequent as before, -1 is gone, 1 is twice as frequent. Published values are spread evenly over "
            "the values that they cover."
        ),
        empty=_("No record has a value in {column}.", column=column),
    )
