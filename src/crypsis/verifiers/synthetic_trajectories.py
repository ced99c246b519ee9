"""What can be checked of synthetic trajectories: that they lie in the declared domains, and that the budget adds up.

No output shows by itself that it was drawn with enough noise. From the files one can check that the rows lie in the
declared domains, follow the declared order, come in whole positive numbers, and that what was spent is what was
allowed. With the ledger of the run, which only the publisher has, the sum is recomputed and compared with the
release. The promise itself rests on the proof of the method and on the tests of its noise; an audit
(`crypsis.attacks.privacy_audit`) can refute it and never prove it.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from crypsis.arrays import Bools, Int64s
from crypsis.data.stream import Events
from crypsis.data.synthetic import ORDERS, SyntheticTrajectories
from crypsis.guarantees import DifferentialPrivacy, Verdict
from crypsis.verifiers.spent_budget import verdict_on


def verify_synthetic_trajectories(
    published: SyntheticTrajectories, promised: DifferentialPrivacy, original: Events | None = None
) -> Verdict:
    """Check form and budget; the original adds nothing, because no row was made from any one person's record."""
    how = "domains, order and counts of the rows were checked, and what was spent was compared with what is allowed"
    return verdict_on(published, promised, _problem_with_rows(published), how)


def _problem_with_rows(published: SyntheticTrajectories) -> str | None:
    rows = np.repeat(np.arange(len(published)), published.lengths)
    locations, times = published.location_codes.astype(np.int64), published.time_codes.astype(np.int64)
    outside = (locations < 0) | (locations >= len(published.locations)) | (times < 0) | (times >= len(published.times))
    if outside.any():
        return f"row {rows[np.argmax(outside)]} has a visit outside the declared domains."
    if published.order not in ORDERS:
        return f"{published.order!r} is no order of visits."
    if len(published) and int(published.copies.min()) < 1:
        return f"row {np.argmin(published.copies)} has no positive number of copies."
    if len(published) and int(published.lengths.min()) < 1:
        return f"row {np.argmin(published.lengths)} is empty; a tree has no empty prefix."
    if int(published.lengths.max(initial=0)) > published.height:
        return f"row {np.argmax(published.lengths)} has more visits than the declared {published.height}."
    disorder = _disordered(published.order, rows, locations, times, len(published.locations))
    if disorder.any():
        return f"row {rows[1:][np.argmax(disorder)]} does not follow the declared order of visits."
    if _distinct_rows(published) < len(published):
        return "a row is listed twice; each is listed once, with its copies."
    return None


def _disordered(order: str, rows: Int64s, locations: Int64s, times: Int64s, width: int) -> Bools:
    """Which visits may not come after the one before them in the same row."""
    same_row = rows[1:] == rows[:-1]
    if order == "canonical":
        follows = times[1:] * width + locations[1:] > times[:-1] * width + locations[:-1]
    elif order == "strict":
        follows = times[1:] > times[:-1]
    else:
        follows = times[1:] >= times[:-1]
    disordered: Bools = same_row & ~follows
    return disordered


def _distinct_rows(published: SyntheticTrajectories) -> int:
    visits = np.stack([published.location_codes, published.time_codes], axis=1).astype(np.int32)
    offsets = published.offsets.tolist()
    return len({visits[start:end].tobytes() for start, end in pairwise(offsets)})
