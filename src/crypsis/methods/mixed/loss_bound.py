"""UL(D) of generalized clusters, and whether it is within a bound: floats where they decide, fractions where not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise

import numpy as np

from crypsis.arrays import offsets_of
from crypsis.data.mixed import PublishedMixed
from crypsis.methods.mixed.item_loss import ZERO, ItemLoss
from crypsis.methods.mixed.item_recoding import Recoded

DECIDED = 1e-9  # farther from the bound than this, floats can be trusted


def within(
    loss: float,
    delta: float,
    recoded: Iterable[Recoded | None],
    suppressed: int,
    n_records: int,
    form: ItemLoss = ZERO,
) -> bool:
    """Whether the mean loss of all records is at most delta, as its decimal text says it."""
    if abs(loss - delta) > DECIDED:
        return loss < delta
    return exact_loss(recoded, suppressed, n_records, form) <= Fraction(repr(delta))


def exact_loss(recoded: Iterable[Recoded | None], suppressed: int, n_records: int, form: ItemLoss = ZERO) -> Fraction:
    """The mean loss of all records as a fraction; a suppressed one loses everything."""
    counts: Counter[tuple[tuple[int, Fraction], ...]] = Counter()
    for cluster in recoded:
        if cluster is not None:
            charges = list(zip(map(len, cluster.symbols), form.exact_weights(cluster.symbols), strict=True))
            codes = cluster.codes.tolist()
            for start, end in pairwise(cluster.offsets.tolist()):
                counts[tuple(sorted(charges[code] for code in codes[start:end]))] += 1
    total = Fraction(suppressed)
    for shown, count in counts.items():
        charged = sum(weight * ((1 << size) - 1) for size, weight in shown)
        if charged:
            total += Fraction(count * charged, (1 << sum(size for size, _ in shown)) - 1)
    return total / max(n_records, 1)


def published_loss_is_within(published: PublishedMixed, delta: float) -> bool:
    """Whether published items lose at most delta; sensitive ones are published as they are and count nothing."""
    secret = set(published.sensitive)
    shown = published.transactions
    known = np.array([labels[0] not in secret for labels in shown.symbols.label_lists], np.bool_)
    kept = known[shown.codes] if len(shown.codes) else np.zeros(0, np.bool_)
    rows = np.repeat(np.arange(len(published)), shown.lengths)[kept]
    recoded = Recoded(
        offsets_of(np.bincount(rows, minlength=len(published))),
        shown.codes[kept],
        list(shown.symbols.label_lists),
        np.zeros(len(published), np.int64),
    )
    suppressed = int(np.count_nonzero(published.table.suppressed))
    loss = (float(recoded.losses(ZERO).sum()) + suppressed) / max(len(published), 1)
    return within(loss, delta, [recoded], suppressed, len(published))
