"""The metrics of an experiment, by full names or by the short ones of the literature: ncp, ul, are, tkd, re, tlost.

A short name stands for the metric of that idea on the data at hand, so that one column of the results compares runs of
different kinds. What does not apply to a run is left empty. Metrics of tables and of transactions are also measured on
the two parts of mixed data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from crypsis.data.label_lists import read_label_lists
from crypsis.data.relational import Table
from crypsis.data.trajectory import Trajectories
from crypsis.data.transaction import Transactions
from crypsis.errors import BadCoordinate, NotApplicable
from crypsis.evaluate.inputs import DrawnQueries, Inputs
from crypsis.metrics import METRICS, Metric, metric_named, short_names

ALWAYS = ("runtime", "memory")  # every cell has these columns


def known_measures() -> list[str]:
    """Every name that `[metrics] list` understands."""
    former = [metric.former_name for metric in METRICS.values() if metric.former_name]
    return [*short_names(), *METRICS, *ALWAYS, *former]


def figures_of(
    original: Any,
    published: Any,
    names: Iterable[str] | None,
    *,
    seed: int = 0,
    side_inputs: Mapping[str, Any] | None = None,
    inputs: Inputs | None = None,
    tell_share: Callable[[float], None] = lambda share: None,
) -> dict[str, float | int | None]:
    """The figures by column name. Without names: every metric that is quick and applies, also by its short name.

    `tell_share` is told how much of what is to be measured is done.
    """
    given = dict(side_inputs or {})
    asked = _Asked(original, published, seed, given, inputs)
    figures: dict[str, float | int | None] = {}
    if names is None:
        quick = [metric for metric in METRICS.values() if metric.default]
        for done, metric in enumerate(quick, 1):
            figures |= asked.all_figures(metric)
            tell_share(done / len(quick))
        for short, candidates in short_names().items():
            value = asked.short_figure(candidates, measured=figures)
            if value is not None:
                figures[short] = value
        return figures
    listed = list(names)
    for done, name in enumerate(listed):
        tell_share(done / len(listed))
        if name in ALWAYS:
            continue
        if name in (known := short_names()):
            for short in (name, "are_subset") if name == "are" else (name,):  # both estimates stand side by side
                value = asked.short_figure(known[short])
                if value is not None:
                    figures[short] = value
        else:
            figures |= asked.all_figures(metric_named(name))
    return figures


class _Asked:
    """One release and what is known about it; a metric is measured once, however often it is asked for."""

    def __init__(
        self, original: Any, published: Any, seed: int, side_inputs: dict[str, Any], inputs: Inputs | None
    ) -> None:
        self.original, self.published, self.seed = original, published, seed
        self.side_inputs, self.inputs = side_inputs, inputs
        self.measured: dict[str, dict[str, Any]] = {}

    def short_figure(self, candidates: Mapping[str, str], measured: Mapping[str, Any] | None = None) -> Any:
        for name, figure in candidates.items():
            if measured is not None and not METRICS[name].default:
                continue
            value = self.all_figures(METRICS[name]).get(figure)
            if value is not None:
                return value
        return None

    def all_figures(self, metric: type[Metric]) -> dict[str, Any]:
        if metric.name not in self.measured:
            try:
                self.measured[metric.name] = _finite(self._figures(metric))
            except (BadCoordinate, NotApplicable):
                self.measured[metric.name] = {}
        return self.measured[metric.name]

    def _figures(self, metric: type[Metric]) -> dict[str, Any]:
        original, published = self._sides(metric)
        options = {"seed": self.seed} | self._workload(metric, original)
        return dict(metric.compute(original, published, side_inputs=self.side_inputs, **options))

    def _sides(self, metric: type[Metric]) -> tuple[Any, Any]:
        """Original and published data as the metric takes them: mixed data, or the part that it speaks of."""
        original, published = self.original, self.published
        if not isinstance(original, metric.accepts):
            if Transactions in metric.accepts and original.set_part is not None and published.set_part is not None:
                return original.set_part, published.set_part
            if Table in metric.accepts and original.table_part is not None and published.table_part is not None:
                return original.table_part, published.table_part
        return original, published

    def _workload(self, metric: type[Metric], original: Any) -> dict[str, Any]:
        """What the section [queries] says to a metric that puts queries."""
        inputs = self.inputs
        if inputs is None or not inputs.queries or metric.name not in short_names()["are"]:
            return {}
        if original.table_part is not None:
            return {"queries": inputs.workload(original)}
        drawn = inputs.queries.drawn
        if isinstance(original, Trajectories):
            return {"queries": _label_lists(inputs)} if drawn is None else self._drawn(drawn)
        if isinstance(original, Transactions):
            if drawn is None:
                return {"queries": _itemsets(inputs)}
            from crypsis.metrics.itemset_queries import draw_itemsets

            given = self._drawn(drawn)
            items = max(2 if drawn.items is None else drawn.items, 1)
            return {"queries": draw_itemsets(original, seed=given["seed"], count=given["n_queries"], items=items)}
        return {}

    def _drawn(self, drawn: DrawnQueries) -> dict[str, int]:
        return {"n_queries": drawn.count or 100, "seed": self.seed if drawn.seed is None else drawn.seed}


def _label_lists(inputs: Inputs) -> list[list[str]]:
    if inputs.query_file is not None:
        return read_label_lists(inputs.query_file)[0]
    return [[label.strip() for label in text.split(",")] for text in inputs.queries.listed or ()]


def _itemsets(inputs: Inputs) -> list[list[str]]:
    """The items of counting queries; those that ask for columns cannot be answered from items alone."""
    from crypsis.data.count_query import as_queries, read_queries

    file = inputs.query_file
    queries = as_queries([*(inputs.queries.listed or ())]) if file is None else read_queries(file)
    chosen = [list(query.items) for query in queries if query.items and not query.relational]
    if not chosen:
        raise NotApplicable("No query asks for items alone.")
    return chosen


def _finite(figures: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in figures.items()
    }


__all__ = ["ALWAYS", "figures_of", "known_measures"]
