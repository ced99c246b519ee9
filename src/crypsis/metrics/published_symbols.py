"""Published symbols and their sizes: what was merged, as the published rows alone show it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from crypsis.arrays import Int64s
from crypsis.metrics.figure import SHARE, Figure

SYMBOL_FIGURES = (
    Figure("symbols", "Symbols", "Different symbols that are published."),
    Figure("intact_symbols", "Intact symbols", "Published symbols that stand for one thing only."),
    Figure(
        "published_intact_score",
        "Share of intact symbols",
        "Share of what is published that stands for one thing only.",
        unit=SHARE,
        former_name="published_intact_share",
    ),
    Figure(
        "symbol_size_loss",
        "Mean size of symbols",
        "Things that a symbol stands for, on average.",
        former_name="mean_symbol_size",
    ),
    Figure("largest_symbol_size", "Size of the largest symbol", "Things that it stands for."),
    Figure("smallest_symbol_support", "Rows of the rarest symbol", "Rows that hold it."),
    Figure("largest_symbol_support", "Rows of the most frequent symbol", "Rows that hold it."),
)


def published_symbols(published: Any) -> dict[str, float | int]:
    """Symbols that occur, how many labels stand behind them, how many are intact, and in how many rows each is."""
    lists = published.symbols.label_lists
    names = sorted({lists[code] for code in np.unique(published.codes).tolist()})
    number_of = {name: index for index, name in enumerate(names)}
    numbers = np.array([number_of.get(name, -1) for name in lists], np.int64)[published.codes]
    rows = np.repeat(np.arange(len(published)), published.lengths)
    held = np.unique(numbers * max(len(published), 1) + rows) // max(len(published), 1)
    supports = np.bincount(held, minlength=len(names))
    return symbol_figures(names, np.bincount(numbers, minlength=len(names)), supports)


def symbol_figures(names: Sequence[tuple[str, ...]], occurrences: Int64s, supports: Int64s) -> dict[str, float | int]:
    """The same by how often each symbol occurs, and in how many rows."""
    if not names:
        return {"symbols": 0}
    sizes = np.array([len(name) for name in names], np.int64)
    return {
        "symbols": len(names),
        "intact_symbols": int(np.count_nonzero(sizes == 1)),
        "published_intact_score": float(occurrences[sizes == 1].sum() / occurrences.sum()),
        "symbol_size_loss": float(sizes.sum() / len(sizes)),
        "largest_symbol_size": int(sizes.max()),
        "smallest_symbol_support": int(supports.min()),
        "largest_symbol_support": int(supports.max()),
    }
