"""What can be checked of synthetic sets of items: that they lie in the declared domain, and that the budget adds up.

As with every private release the noise itself cannot be seen in the files; see `synthetic_trajectories`.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from crypsis.data.synthetic_sets import SyntheticTransactions
from crypsis.data.transaction import Transactions
from crypsis.guarantees import DifferentialPrivacy, Verdict
from crypsis.verifiers.spent_budget import verdict_on


def verify_synthetic_transactions(
    published: SyntheticTransactions, promised: DifferentialPrivacy, original: Transactions | None = None
) -> Verdict:
    """Check form and budget; the original adds nothing, because no row was made from any one person's record."""
    how = "items and counts of the rows were checked, and what was spent was compared with what is allowed"
    return verdict_on(published, promised, _problem_with_rows(published), how)


def _problem_with_rows(published: SyntheticTransactions) -> str | None:
    rows = np.repeat(np.arange(len(published)), published.lengths)
    items = published.items.astype(np.int64)
    outside = (items < 0) | (items >= len(published.domain))
    if outside.any():
        return f"row {rows[np.argmax(outside)]} has an item outside the declared domain."
    if len(published) and int(published.copies.min()) < 1:
        return f"row {np.argmin(published.copies)} has no positive number of copies."
    if len(published) and int(published.lengths.min()) < 1:
        return f"row {np.argmin(published.lengths)} is empty; records without items are not published."
    falling = (rows[1:] == rows[:-1]) & (items[1:] <= items[:-1])
    if falling.any():
        return f"row {rows[1:][np.argmax(falling)]} does not list its items once each, in the order of the domain."
    listed, offsets = published.items.astype(np.int32), published.offsets.tolist()
    if len({listed[start:end].tobytes() for start, end in pairwise(offsets)}) < len(published):
        return "a set is listed twice; each is listed once, with its copies."
    return None
