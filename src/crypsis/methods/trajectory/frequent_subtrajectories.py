"""The most frequent subtrajectories: by support, then longer ones, then by codes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of, take_records
from crypsis.data.trajectory import Trajectories
from crypsis.errors import TooLarge
from crypsis.kernels.top_patterns import top_patterns

MOST_PATTERNS = 2_000_000
MOST_VISITS = 2_000_000_000


@dataclass(frozen=True, eq=False)
class Subtrajectories:
    """Subtrajectory s is codes[offsets[s]:offsets[s + 1]]; the best comes first."""

    offsets: Int64s
    codes: Int32s
    support: Int64s

    def to_tuples(self) -> list[tuple[int, ...]]:
        codes = self.codes.tolist()
        return [tuple(codes[start:end]) for start, end in pairwise(self.offsets.tolist())]


def frequent_subtrajectories(data: Trajectories, groups: Int32s, wanted: int, max_size: int | None) -> Subtrajectories:
    """The `wanted` best subtrajectories of up to `max_size` visits, or all if there are fewer."""
    order = np.argsort(groups, kind="stable")
    offsets, positions = take_records(data.offsets, order)
    longest = int(data.lengths.max(initial=0))
    found_offsets, found_codes, support, complete = top_patterns(
        offsets,
        data.codes[positions],
        groups[order],
        len(data.locations),
        min(wanted, MOST_PATTERNS),
        longest if max_size is None else min(max_size, longest),
        MOST_PATTERNS,
        MOST_VISITS,
    )
    if not complete:
        raise TooLarge(
            f"Too many subtrajectories are equally frequent to find the {wanted} best; long trajectories that are "
            f"equal have exponentially many. Limit their length (max_size, e.g. {min(4, max_size or 4)}).",
            parameter="max_size",
        )
    patterns = Subtrajectories(found_offsets, found_codes, support)
    listed = patterns.to_tuples()
    sizes = np.diff(found_offsets)
    best = sorted(range(len(listed)), key=lambda index: (-support[index], -sizes[index], listed[index]))[:wanted]
    chosen = np.array(best, np.int64)
    _, positions = take_records(found_offsets, chosen)
    return Subtrajectories(offsets_of(sizes[chosen]), found_codes[positions], support[chosen])
