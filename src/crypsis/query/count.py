"""How many original records satisfy a counting query: at least, at most, and what is expected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from crypsis.data.cells import CellKind
from crypsis.data.count_bounds import CountBounds
from crypsis.data.count_query import CountQuery, InList, parse_query
from crypsis.data.microdata import PublishedData
from crypsis.data.relational import PublishedColumn
from crypsis.errors import BadQuery, NotApplicable, did_you_mean
from crypsis.metrics.itemset_queries import estimated_counts as expected_itemsets
from crypsis.metrics.query_answers import estimated_counts

NO_BOUNDS = "the published records are drawn, replaced or noisy, so none of them need be true of anybody"


@dataclass(frozen=True)
class CountAnswer:
    """The answer to one query. Without `bounds` the release is not truthful and the estimate is all there is."""

    query: CountQuery
    bounds: CountBounds | None
    estimate: float | None
    complete: bool

    @property
    def truthful(self) -> bool:
        return self.bounds is not None

    def to_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {"query": str(self.query)}
        if self.bounds is not None:
            told |= {
                "definite": self.bounds.definite,
                "possible": self.bounds.possible,
                "suppressed": self.bounds.suppressed,
                "at_most": self.bounds.at_most,
            }
        told |= {"estimate": self.estimate, "counts": "records", "truthful": self.truthful, "complete": self.complete}
        return told if self.truthful else told | {"why_no_bounds": NO_BOUNDS}

    def __str__(self) -> str:
        about = "" if self.estimate is None else f"about {self.estimate:,.1f}"
        if self.bounds is None:
            return f"{about or 'no estimate'} records; an estimate without bounds: {NO_BOUNDS}"
        words = f"at least {self.bounds.definite:,}, at most {self.bounds.at_most:,} records"
        if self.bounds.suppressed:
            words += f" ({self.bounds.suppressed:,} of them because of what was suppressed)"
        return f"{words}; {about} if values are spread evenly" if about else words


def count_records(
    published: PublishedData, query: str | CountQuery, *, truthful: bool, complete: bool = True
) -> CountAnswer:
    """Bounds of a count and its expected value, from published data alone.

    `truthful` and `complete` are what the release says of its method: without the first there are no bounds, without
    the second any record may hold an item that is not shown.
    """
    asked = parse_query(query) if isinstance(query, str) else query
    if not truthful:
        return CountAnswer(asked, None, _estimate(published, asked), complete)
    (bounds,) = published.bound_counts([asked], complete=complete)
    _refuse_unknown(published, asked, complete)
    try:
        estimate: float | None = _estimate(published, asked)
    except NotApplicable:  # a node whose values the release does not tell
        estimate = None
    return CountAnswer(asked, bounds, estimate, complete)


def _estimate(published: Any, query: CountQuery) -> float:
    if published.table_part is not None:
        return float(estimated_counts(None, published, [query])[0])
    if published.set_part is not None:
        return float(expected_itemsets(published, [query.items])[0])
    return float(published.expected_count(query))


def _refuse_unknown(published: Any, query: CountQuery, complete: bool) -> None:
    """Refuse a value or item that no published record can stand for: it is misspelt, or nobody has it."""
    table = published.table_part
    hidden = table is not None and bool(table.suppressed.any())
    if complete and not hidden:
        labels = published.known_items
        for item in query.items:
            if item not in labels:
                raise BadQuery(
                    f"No record of this release can hold the item {item!r}.{did_you_mean(item, sorted(labels))}",
                    where=query.where,
                )
    if table is None or hidden:
        return
    for name, predicate in query.relational:
        column = table.column(name)
        if isinstance(predicate, InList) and column.type == "category":
            known = _known_values(column)
            for value in predicate.values:
                if known is not None and value not in known:
                    raise BadQuery(
                        f"Column '{name}' of this release has no value {value!r}.{did_you_mean(value, sorted(known))}",
                        where=query.where,
                        column=name,
                    )


def _known_values(column: PublishedColumn) -> frozenset[str] | None:
    """The values and nodes that cells name; None where some may stand for others."""
    cells = column.cells
    nodes = cells.nodes.to_list()
    if (cells.kinds == CellKind.ANY).any() or not all(column.leaves_of(node) for node in nodes):
        return None
    below = [leaf for node in nodes for leaf in column.leaves_of(node)]
    return frozenset([*cells.values.to_list(), *nodes, *below])
