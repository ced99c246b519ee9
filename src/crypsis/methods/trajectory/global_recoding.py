"""What a method publishes that gives every location one image, and what it tells the publisher alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from crypsis.arrays import Int32s, offsets_of
from crypsis.data.symbols import Symbols
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.methods.record_accounting import record_accounting
from crypsis.methods.trajectory.merging import Merges


def published_recoding(
    kept: Trajectories, representatives: Int32s, longest: int | None = None, suppressed: Sequence[str] = ()
) -> PublishedTrajectories:
    """Each visit replaced by its location's symbol; visits to locations without a symbol are left out.

    `longest` and `suppressed` declare what is missing.
    """
    symbols, symbol_of_code = Symbols.of_partition(kept.locations.vocabulary, representatives)
    codes, offsets = symbol_of_code[kept.codes], kept.offsets
    if suppressed:
        stays = codes >= 0
        rows = np.repeat(np.arange(len(kept)), kept.lengths)
        offsets = offsets_of(np.bincount(rows[stays], minlength=len(kept)))
        codes = codes[stays]
    return PublishedTrajectories(offsets, codes, symbols, longest, kept.owners, suppressed=tuple(sorted(suppressed)))


def private_facts(data: Trajectories, published: PublishedTrajectories, merges: Merges) -> dict[str, Any]:
    """What the publisher may look at and nobody else: merges in order, the partition, what was cut or suppressed."""
    empty = int((published.lengths == 0).sum())
    return {
        "merges": merges,
        "partition": [list(names) for names in published.symbols.label_lists],
        "suppressed_occurrences": _missing_visits(data, published),
        "lost": [],
        "accounting": record_accounting(len(data), empty),
    }


def _missing_visits(data: Trajectories, published: PublishedTrajectories) -> list[tuple[int, int]]:
    """Row and position of each visit behind the cut or to a suppressed location."""
    if published.longest is None and not published.suppressed:
        return []
    rows = np.repeat(np.arange(len(data)), data.lengths)
    positions = np.arange(data.visits) - data.offsets[:-1][rows]
    hidden = np.zeros(len(data.locations), np.bool_)
    hidden[[data.locations.vocabulary.code(label) for label in published.suppressed or ()]] = True
    missing = hidden[data.codes]
    if published.longest is not None:
        missing |= positions >= published.longest
    return list(zip(rows[missing].tolist(), positions[missing].tolist(), strict=True))
