"""Average relative error of counting queries on sets: how many records hold all of these items?

Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. Anonymizing data with relational and transaction attributes. ECML
PKDD 2013: ARE, with the estimators for generalized items; disassociated data by their expected supports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Float64s, Int32s, Int64s, offsets_of
from crypsis.arrays.row_ranks import order_rows
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.synthetic_sets import SyntheticTransactions
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadParameter, NotApplicable
from crypsis.metrics.canonical_rows import canonical_rows
from crypsis.metrics.count_errors import error_figures
from crypsis.metrics.exact_sums import total, weighted_total
from crypsis.metrics.figure import Figure
from crypsis.metrics.metric import Metric

QUERIES = 100
ITEMS = 2


@dataclass(frozen=True)
class ItemsetQueryError:
    """Errors of a workload; `zero` queries have no answer in the original. `subset`: of the other estimate."""

    errors: Float64s
    zero: int
    subset: Float64s | None = None

    def figures(self) -> dict[str, float | int]:
        return error_figures("itemset_query", self.errors, self.subset, zero=self.zero)


def itemset_query_error(
    original: Transactions,
    published: DisassociatedTransactions | PublishedTransactions | SyntheticTransactions,
    *,
    seed: int = 0,
    queries: Sequence[Sequence[str]] | None = None,
    estimator: str = "uniform",
    sanity: float = 1.0,
) -> ItemsetQueryError:
    """|estimate - actual| / max(actual, sanity) over a workload; without one, over 100 pairs drawn from records.

    0 is exact, 1 as large as the answer itself. Where a release has generalized items, the error is also told for the
    reading of each as any non-empty subset of its items (`subset`).
    """
    if isinstance(published, SyntheticTransactions):
        published = published.repeated()
    asked = draw_itemsets(original, seed=seed) if queries is None else [list(query) for query in queries]
    actual = exact_counts(original, asked)
    if isinstance(published, DisassociatedTransactions):
        estimate = published.expected_supports(asked)
    elif isinstance(published, PublishedTransactions):
        estimate = estimated_counts(published, asked, estimator)
        if estimator == "uniform" and (published.symbols.sizes > 1).any():
            off = np.abs(estimated_counts(published, asked, "subset") - actual)
            errors = np.abs(estimate - actual) / np.maximum(actual, sanity)
            return ItemsetQueryError(errors, int(np.count_nonzero(actual == 0)), off / np.maximum(actual, sanity))
    else:
        raise NotApplicable(f"Itemset queries are put to published transactions, got {type(published).__name__}.")
    errors = np.abs(estimate - actual) / np.maximum(actual, sanity)
    return ItemsetQueryError(errors, int(np.count_nonzero(actual == 0)))


def draw_itemsets(data: Transactions, *, count: int = QUERIES, items: int = ITEMS, seed: int = 0) -> list[list[str]]:
    """Itemsets that occur: so many items, or all, of a record drawn at random."""
    if count < 1 or items < 1:
        raise BadParameter(f"A workload has at least 1 query of at least 1 item, got {count} of {items}.")
    random = np.random.Generator(np.random.PCG64(seed))
    in_order = canonical_rows(data)  # whatever the order of the input, the same queries are drawn
    filled = in_order[data.lengths[in_order] > 0]
    if not len(filled):
        return []
    drawn = []
    for record in random.choice(filled, count).tolist():
        held = data.items[data.offsets[record] : data.offsets[record + 1]]
        chosen = random.choice(held, min(items, len(held)), replace=False)
        drawn.append(sorted(data.vocabulary[int(code)] for code in chosen))
    return drawn


def exact_counts(data: Transactions, queries: Sequence[Sequence[str]]) -> Int64s:
    """Records that hold each itemset."""
    postings = _Postings.of(data.offsets, data.items, len(data.vocabulary))
    counts = np.zeros(len(queries), np.int64)
    for index, query in enumerate(queries):
        codes = _codes_of(query, data.vocabulary)
        if codes is None:
            continue
        rows: Int64s | None = None
        for code in sorted(codes, key=lambda code: postings.count(code)):
            held = postings.rows(code)
            rows = held if rows is None else rows[np.isin(rows, held, assume_unique=True)]
        counts[index] = len(data) if rows is None else len(rows)
    return counts


def estimated_counts(
    data: PublishedTransactions, queries: Sequence[Sequence[str]], estimator: str = "uniform"
) -> Float64s:
    """Expected records with each itemset, a generalized item standing for each of its n items with the chance 1 / n
    (`uniform`), or for any non-empty subset of them alike (`subset`); of several that hold an item the smallest
    counts."""
    if estimator not in ("subset", "uniform"):
        raise BadParameter(f"estimator must be 'subset' or 'uniform', got {estimator!r}.")
    symbols = data.symbols
    postings = _Postings.of(data.offsets, data.codes, len(symbols))
    owner = np.repeat(np.arange(len(symbols)), symbols.sizes)
    by_member = np.argsort(symbols.members, kind="stable")
    starts = offsets_of(np.bincount(symbols.members, minlength=len(symbols.vocabulary)))
    estimates = np.zeros(len(queries))
    shown = np.full(len(data), -1, np.int64)
    for index, query in enumerate(queries):
        codes = _codes_of(query, symbols.vocabulary)
        if codes is None:
            continue
        holding = [owner[by_member[starts[code] : starts[code + 1]]] for code in codes]
        falling = [held[np.argsort(-symbols.sizes[held], kind="stable")].tolist() for held in holding]
        chosen = _shown_symbols([{symbol: postings.rows(symbol) for symbol in held} for held in falling], shown)
        estimates[index] = _expected(chosen, symbols.sizes, estimator)
    return estimates


def _codes_of(query: Sequence[str], vocabulary: Vocabulary) -> list[int] | None:
    """The items by their codes, in the order of their labels; None where one of them is not in the vocabulary."""
    labels = sorted(set(query))
    return [vocabulary.code(label) for label in labels] if all(label in vocabulary for label in labels) else None


def _shown_symbols(items: Sequence[Mapping[int, Int64s]], shown: Int64s) -> Int64s:
    """For each record (column) that shows every item: the last symbol of each (row) that it shows.

    An item has the records of each of its symbols. `shown` has -1 for every record, here and afterwards.
    """
    rows, chosen = np.arange(len(shown)), np.zeros((0, len(shown)), np.int64)
    for records_of in items:
        for symbol, records in records_of.items():
            shown[records] = symbol
        if not len(chosen):
            kept = next(iter(records_of.values())) if len(records_of) == 1 else np.flatnonzero(shown >= 0)
        else:
            kept = np.flatnonzero(shown[rows] >= 0)
        rows = rows[kept]
        chosen = np.concatenate([chosen[:, kept], shown[rows][None]])
        for records in records_of.values():
            shown[records] = -1
    return chosen


def _expected(chosen: Int64s, sizes: Int64s, estimator: str) -> float:
    """The sum of the chances of all records (columns): records that show the same symbols are one column."""
    n_symbols = len(sizes)
    if n_symbols ** len(chosen) > chosen.shape[1]:
        return total(_chances(chosen, sizes, estimator))
    keys = np.zeros(chosen.shape[1], np.int64)
    for symbols in chosen:
        keys = keys * n_symbols + symbols
    counts = np.bincount(keys)
    occurring = np.flatnonzero(counts)
    places = [n_symbols**power for power in reversed(range(len(chosen)))]
    distinct = np.stack([occurring // place % n_symbols for place in places]) if places else chosen[:, :1]
    return weighted_total(_chances(distinct, sizes, estimator), counts[occurring])


def _chances(chosen: Int64s, sizes: Int64s, estimator: str) -> Float64s:
    """The chance that each record (column) held all queried items (row), where it shows a symbol for each of them."""
    chances = np.ones(chosen.shape[1])
    for index in range(len(chosen)):
        same = chosen == chosen[index]
        n = sizes[chosen[index]].astype(np.float64)
        first = ~same[:index].any(axis=0)
        j = same.sum(axis=0)
        if estimator == "uniform":
            chance = n ** -j.astype(np.float64)
        else:  # 2^(n-j) / (2^n - 1) without the powers
            chance = np.exp2(-j.astype(np.float64)) / -np.expm1(-np.log(2.0) * n)
        chances *= np.where(first, chance, 1.0)
    return chances


@dataclass(frozen=True)
class _Postings:
    """The records of each code, ascending."""

    starts: Int64s
    records: Int64s

    @classmethod
    def of(cls, offsets: Int64s, codes: Int32s, n_codes: int) -> _Postings:
        rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        return cls(offsets_of(np.bincount(codes, minlength=n_codes)), rows[order_rows([codes], len(codes))])

    def count(self, code: int) -> int:
        return int(self.starts[code + 1] - self.starts[code])

    def rows(self, code: int) -> Int64s:
        return self.records[self.starts[code] : self.starts[code + 1]]


class ItemsetQueryLoss(Metric):
    """Mean relative error of counting the records that hold given items."""

    name = "itemset_query_loss"
    former_name = "itemset_query_error"
    seeded = True
    measure = staticmethod(itemset_query_error)
    figures = (
        Figure(
            "itemset_query_loss",
            "Error of itemset queries",
            "How far off the number of records with given items is when estimated from the release; 0 is exact, 1 as "
            "large as the number itself.",
            abbreviation="ARE",
            rank=3,
        ),
        Figure(
            "itemset_query_median_loss",
            "Error of itemset queries, median",
            "The same for the median query.",
            former_name="itemset_query_median",
        ),
        Figure(
            "itemset_query_max_loss",
            "Error of itemset queries, largest",
            "The same for the worst query.",
            former_name="itemset_query_max",
        ),
        Figure("itemset_query_zero", "Queries without an answer", "Queries that no record of the original fits."),
        Figure(
            "itemset_query_subset_loss",
            "Error of itemset queries",
            "The same with a generalized item read as any subset of its items, which says little of large ones.",
            abbreviation="ARE-subset",
            alternative_to="itemset_query_loss",
        ),
    )
