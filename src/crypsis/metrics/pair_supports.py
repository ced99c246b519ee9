"""re: the relative error of how often two terms occur together, over all pairs among terms of middling frequency.

Terrovitis, Liagouris, Mamoulis, Skiadopoulos. Privacy preservation by disassociation. PVLDB 5, 2012, 944-955: re.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl

from crypsis.arrays import Float64s, Int64s, offsets_of
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.synthetic_sets import SyntheticTransactions
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.errors import BadParameter, NotApplicable
from crypsis.metrics.exact_sums import mean
from crypsis.metrics.figure import Figure
from crypsis.metrics.metric import Metric

RANKS = (200, 220)
RECONSTRUCTIONS = (1, 2, 5, 10)


@dataclass(frozen=True)
class PairError:
    """`errors` by name of the figure; in the first `pairs` were averaged, `skipped` occur neither before nor after."""

    errors: dict[str, float]
    pairs: int
    skipped: int
    ranks: tuple[int, int]

    def figures(self) -> dict[str, float | int]:
        return {**self.errors, "re_pairs": self.pairs, "re_first_rank": self.ranks[0], "re_end_rank": self.ranks[1]}


def re_loss(
    original: Transactions,
    published: DisassociatedTransactions | PublishedTransactions | SyntheticTransactions,
    *,
    seed: int = 0,
    ranks: tuple[int, int] = RANKS,
    reconstructions: Iterable[int] = RECONSTRUCTIONS,
) -> PairError:
    """Mean of |before - after| / their mean, from 0 (equal) to 2 (occurs in one only); lower is better.

    Terms are those at the 0-based ranks first to end - 1 by (support falling, label); where the data have fewer terms,
    those of the range that there are. `re_loss` reads one possible original, `re_rN_loss` the mean of N, `re_a_loss`
    the bare subrecords; generalized items are divided evenly among what they stand for. Fewer than two terms: no error.
    """
    if isinstance(published, SyntheticTransactions):
        published = published.repeated()
    if not isinstance(published, (DisassociatedTransactions, PublishedTransactions)):
        raise NotApplicable(f"re_loss reads disassociated or generalized transactions, got {type(published).__name__}.")
    if not 0 <= ranks[0] < ranks[1]:
        raise BadParameter(f"re_loss: ranks must be first < end from 0 on, got {ranks}.")
    terms = terms_by_support(original)[ranks[0] : ranks[1]]
    used = (ranks[0], ranks[0] + len(terms))
    if len(terms) < 2:
        return PairError({}, 0, 0, used)
    before = _pairs(together(original, terms))
    errors: dict[str, float] = {}
    skipped = 0
    if isinstance(published, DisassociatedTransactions):
        wanted = sorted(set(reconstructions))
        draws = [_pairs(together(data, terms)) for data in published.reconstruct(max(wanted, default=1), seed)]
        for count in wanted:
            after = np.mean(draws[:count], axis=0)
            name = "re_loss" if count == 1 else f"re_r{count}_loss"
            errors[name], left_out = _error(before, after)
            skipped = left_out if count == wanted[0] else skipped
        errors["re_a_loss"], _ = _error(before, _pairs(together(published.subrecords(), terms)))
    else:
        errors["re_loss"], skipped = _error(before, _pairs(_together_generalized(published, terms)))
    pairs = len(before) - skipped
    return PairError({name: error for name, error in errors.items() if pairs}, pairs, skipped, used)


def pair_error(
    original: Transactions, published: Iterable[Transactions], ranks: tuple[int, int] = RANKS
) -> tuple[float, int]:
    """re on datasets at hand, their supports averaged, and the pairs that were averaged."""
    terms = terms_by_support(original)[ranks[0] : ranks[1]]
    before = _pairs(together(original, terms))
    after = np.mean([_pairs(together(data, terms)) for data in published], axis=0)
    error, skipped = _error(before, after)
    return error, len(before) - skipped


def terms_by_support(data: Transactions) -> list[str]:
    """Terms that occur, by support falling, then by label."""
    order = np.lexsort((data.vocabulary.label_rank, -data.supports))
    return [data.vocabulary[int(code)] for code in order if data.supports[code]]


def together(data: Transactions, terms: list[str]) -> Float64s:
    """Records that hold both of two terms."""
    index = np.full(len(data.vocabulary) + 1, -1, np.int64)
    codes = data.vocabulary.encode(pl.Series(terms, dtype=pl.String))
    index[codes] = np.arange(len(terms))
    index[-1] = -1  # of a term that does not occur
    column = index[data.items]
    wanted = np.flatnonzero(column >= 0)
    rows = np.repeat(np.arange(len(data)), data.lengths)[wanted]
    held = np.zeros((len(terms), int(rows.max(initial=-1)) + 1), np.bool_)
    held[column[wanted], rows] = True
    bits = np.packbits(held, axis=1)
    counts = [np.bitwise_count(bits & of_one).sum(axis=1) for of_one in bits]
    return np.array(counts, np.float64).reshape(len(terms), len(terms))


def _together_generalized(data: PublishedTransactions, terms: list[str]) -> Float64s:
    """Expected records with both terms if a symbol of n items stands for each with the chance 1 / n, independently."""
    symbols = data.symbols
    wanted = symbols.vocabulary.encode(pl.Series(terms, dtype=pl.String))
    index = np.full(len(symbols.vocabulary), -1, np.int64)
    index[wanted[wanted >= 0]] = np.flatnonzero(wanted >= 0)
    owner = np.repeat(np.arange(len(symbols)), symbols.sizes)
    held = index[symbols.members] >= 0
    starts = offsets_of(np.bincount(owner[held], minlength=len(symbols)))
    columns = index[symbols.members][held]
    rows = np.repeat(np.arange(len(data)), data.lengths)
    lengths = np.diff(starts)[data.codes]
    row = np.repeat(rows, lengths)
    positions = np.arange(len(row)) + np.repeat(starts[:-1][data.codes] - offsets_of(lengths)[:-1], lengths)
    chance = np.repeat(1.0 / symbols.sizes[data.codes], lengths)
    return _common(row, columns[positions], chance, len(terms))


def _common(rows: Int64s, columns: Int64s, weights: Float64s, width: int) -> Float64s:
    """Sum over rows of the products of the weights in two columns."""
    if not len(rows):
        return np.zeros((width, width))
    _, row = np.unique(rows, return_inverse=True)
    table = np.zeros((int(row.max()) + 1, width))
    np.maximum.at(table, (row, columns), weights)
    product: Float64s = table.T @ table
    return product


def _pairs(supports: Float64s) -> Float64s:
    return supports[np.triu_indices(len(supports), 1)]


def _error(before: Float64s, after: Float64s) -> tuple[float, int]:
    """Mean relative error, and the pairs left out because they occur neither before nor after."""
    said = (before > 0) | (after > 0)
    if not said.any():
        return 0.0, len(before)
    one, other = before[said], after[said]
    return mean(np.abs(one - other) / ((one + other) / 2)), int(np.count_nonzero(~said))


class ReLoss(Metric):
    """re: relative error of how often two terms of middling frequency occur together."""

    name = "re_loss"
    seeded = True
    measure = staticmethod(re_loss)
    figures = (
        Figure(
            "re_loss",
            "Relative error of pairs",
            "How far off the supports of pairs of middling frequent terms are, from 0 to 2: 2 means that a pair "
            "occurs only before or only after.",
            abbreviation="re",
            rank=4,
        ),
        Figure("re_r2_loss", "Relative error, mean of 2 (re-r2)", "The same with supports averaged over 2 draws."),
        Figure("re_r5_loss", "Relative error, mean of 5 (re-r5)", "The same with supports averaged over 5 draws."),
        Figure("re_r10_loss", "Relative error, mean of 10 (re-r10)", "The same with supports averaged over 10 draws."),
        Figure(
            "re_a_loss", "Relative error in subrecords (re-a)", "The same, looking at the published subrecords alone."
        ),
        Figure("re_pairs", "Pairs compared", "Pairs of terms that the relative error is averaged over."),
        Figure("re_first_rank", "First rank compared", "By frequency, counted from 0."),
        Figure("re_end_rank", "End of the ranks compared", "The first rank that is not compared any more."),
    )
