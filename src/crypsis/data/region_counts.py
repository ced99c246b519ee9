"""How many records counted regions are expected to hold that satisfy a query: records are spread evenly in a region."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Float64s
from crypsis.data.attribute_domains import NumericDomain
from crypsis.data.count_query import CountQuery, InList, Predicate
from crypsis.data.counted_regions import CountedRegions, RegionAttribute
from crypsis.errors import BadQuery, did_you_mean


def expected_in_regions(regions: CountedRegions, query: CountQuery) -> float:
    """An estimate: the counts are noisy, too."""
    if query.items:
        raise BadQuery("A query asks for items, and this table has no set-valued column.", where=query.where)
    counts, shares = np.ones(len(regions.classes), np.bool_), np.ones(len(regions))
    for name, predicate in query.relational:
        if name == regions.class_name:
            counts = counts & _classes(regions, predicate, query)
            continue
        if name not in regions.names:
            known = [*regions.names, *([regions.class_name] if regions.class_name else [])]
            raise BadQuery(
                f"A query asks for column '{name}', which this table does not have; its columns are "
                f"{', '.join(known)}.{did_you_mean(name, known)}",
                where=query.where,
                column=name,
            )
        place = regions.names.index(name)
        satisfied = np.append(0.0, np.cumsum(_cells(regions.attributes[place], predicate, query)))
        low, high = regions.low[:, place], regions.high[:, place]
        shares *= (satisfied[high] - satisfied[low]) / np.maximum(high - low, 1)
    return float((regions.counts[:, counts].sum(axis=1) * shares).sum())


def _classes(
    regions: CountedRegions, predicate: Predicate, query: CountQuery
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    if not isinstance(predicate, InList):
        raise _no_ranges(regions.class_name or "", query)
    return np.array([label in predicate.values for label in regions.classes], np.bool_)


def _cells(attribute: RegionAttribute, predicate: Predicate, query: CountQuery) -> Float64s:
    """The share of each cell of an attribute that satisfies the predicate."""
    domain = attribute.domain
    if not isinstance(domain, NumericDomain):
        if not isinstance(predicate, InList):
            raise _no_ranges(attribute.name, query)
        inside = np.zeros(len(domain))
        for label in predicate.values:
            low, high, node = attribute.cells(label)
            if node >= 0:
                inside[low:high] = 1.0
        return inside
    width = 1.0 if domain.bins is None else (domain.high - domain.low) / domain.bins
    starts = domain.low + width * np.arange(len(domain))
    if isinstance(predicate, InList):
        listed = [_number(text, attribute.name, query) for text in predicate.values]
        return np.isin(starts, listed).astype(np.float64) if domain.bins is None else np.zeros(len(domain))
    first, last = (_number(text, attribute.name, query) for text in (predicate.low, predicate.high))
    if first > last:
        raise BadQuery(
            f"The range [{predicate.low}:{predicate.high}] of column '{attribute.name}' ends before it begins; "
            "put the lower end first.",
            where=query.where,
        )
    if domain.bins is None:
        return ((starts >= first) & (starts <= last)).astype(np.float64)
    overlap: Float64s = np.minimum(starts + width, last) - np.maximum(starts, first)
    return np.clip(overlap / width, 0.0, 1.0)


def _number(text: str, column: str, query: CountQuery) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadQuery(
            f"A query asks for {text!r} in column '{column}', which holds numbers.", where=query.where, column=column
        ) from None


def _no_ranges(column: str, query: CountQuery) -> BadQuery:
    return BadQuery(
        f"Column '{column}' holds text, which has no ranges; ask for a list: {column} in {{…}}.", where=query.where
    )
