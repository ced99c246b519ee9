"""One frame of every kind of mark, with names that try to break out of the picture."""

from __future__ import annotations

from typing import Any

import polars as pl

from crypsis.data.relational import Table
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.evaluate.plots import Frame, frame_of
from tests.evaluate.plots.rows import cell, sweep
from tests.reports.releases import NASTY


def _table(values: list[Any]) -> Table:
    return Table.from_frame(pl.DataFrame({"value": values}), {"value": "quasi"})


def frames() -> dict[str, Frame]:
    nasty = [
        cell(name, k=k, metrics={"ncp": k + place, "ul": 9 - k}, phases={name: 1.0})
        for place, name in enumerate(NASTY)
        for k in (2, 3)
    ]
    names = [cell("a", score=score, metrics={"are": 1}) for score in ("ul", "btd")]
    many = [cell(f"run {run}", k=k, metrics={"are": run + k}) for run in range(20) for k in (1, 2)]
    gaps = [cell("a", "infeasible", k=2, metrics={"are": None}), cell("b", "failed", k=2)]
    after = PublishedTransactions.from_lists([[["a", "b"]], ["a"], ["c"]])
    items = Transactions.from_lists([["a", "b"], ["a"], ["b", "c"]])
    return {
        "line": frame_of("line", results=sweep(), x="k", y="ncp"),
        "line of names": frame_of("line", results=names, x="score", y="are"),
        "nasty line": frame_of("line", results=nasty, x="k", y="ncp"),
        "nasty phases": frame_of("phases", results=nasty),
        "nasty tradeoff": frame_of("tradeoff", results=nasty, x="ncp", y="ul"),
        "many lines": frame_of("line", results=many, x="k", y="are"),
        "one point": frame_of("tradeoff", results=[cell("a", metrics={"ncp": 0.3, "ul": 0.3})], x="ncp", y="ul"),
        "nothing but gaps": frame_of("line", results=gaps, x="k", y="are"),
        "phases": frame_of("phases", results=sweep()),
        "tradeoff": frame_of("tradeoff", results=sweep(), x="ncp", y="ul"),
        "numbers": frame_of("histogram", original=_table([1, 2, 2, 3, 9]), column="value"),
        "one number": frame_of("histogram", original=_table([5, 5, 5]), column="value"),
        "dates": frame_of("histogram", original=_table(["2020-01-01", "2021-05-06", "2024-01-01"]), column="value"),
        "names": frame_of("histogram", original=_table([*NASTY[:3], "$x_1$", "ordinary"]), column="value"),
        "nothing": frame_of("histogram", original=_table([None, None]), column="value"),
        "items": frame_of("item_error", original=items, published=after),
        "merges": frame_of("ul_vs_merges", private=[None, 0.5, 0.25, 0.0]),
        "sizes": frame_of("cluster_sizes", published=PublishedTransactions.from_lists([["a"]] * 3 + [["b"]] * 40), k=3),
    }
