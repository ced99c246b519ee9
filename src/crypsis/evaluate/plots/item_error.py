"""Plot `item_error`: how far the frequency of every item is off when it is read from the release.

A generalized item of n items stands for any non-empty subset alike; a term of a term chunk occurs once in its cluster.
One panel shows the items by falling support, the other how many of them have at most a given error.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from crypsis.drawing.frame import Axis, Frame, Panel
from crypsis.errors import NotApplicable
from crypsis.metrics.item_frequencies import expected_frequencies
from crypsis.translation import _

_MANY = 200  # from here on the few frequent items would crowd at the left


def item_error(original: Any, published: Any) -> Frame:
    """(expected - original) / original for every item that occurs, by falling support, and its share of items."""
    if original.set_part is None:
        raise NotApplicable(f"item_error compares sets of items with their release, got {type(original).__name__}.")
    original = original.set_part
    published = published if published.set_part is None else published.set_part
    order = np.lexsort((original.vocabulary.label_rank, -original.supports))
    order = order[original.supports[order] > 0]
    before = original.supports[order]
    expected = expected_frequencies(original, published)[order]
    error = (expected - before) / before
    size = np.abs(error)
    at_most = np.searchsorted(np.sort(size), size, side="right") / max(len(size), 1)
    table = pl.DataFrame(
        {
            "rank": np.arange(1, len(order) + 1),
            "item": original.vocabulary.decode(order.astype(np.int32)),
            "original": before,
            "expected": expected,
            "error": error,
            "absolute": size,
            "share": at_most,
        }
    )
    rank = Axis("rank", _("item, by falling support"), "log" if len(order) > _MANY else "linear")
    return Frame(
        "item_error",
        _("Frequency of items, published against original"),
        table,
        (
            Panel("stems", rank, Axis("error", _("relative error")), name="item", title=_("Each item")),
            Panel(
                "steps",
                Axis("absolute", _("relative error, either way")),
                Axis("share", _("share of items with at most this error")),
                name="item",
                title=_("All items"),
            ),
        ),
        note=_("0 is as frequent as before, -1 is gone, 1 is twice as frequent."),
        empty=_("There are no items."),
    )
