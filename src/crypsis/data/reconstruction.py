"""Draw datasets that could have been the original of a disassociated release.

Subrecords of record chunks go to distinct records of their leaf, those of shared chunks to distinct records of leaves
that may hold them, terms of term chunks to some records of their leaf; then a record that got nothing is given a piece
of one that has several. What comes out fits the published form; it is not drawn evenly from all that fit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays.chunk_drawing import FITS, draw_records
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.disassociated_text import arranged
from crypsis.data.transaction import Transactions
from crypsis.errors import BadParameter, BadPublication


def reconstructions(
    data: DisassociatedTransactions, n: int, seed: int, term_multiplicity: str | int
) -> list[Transactions]:
    """n draws, the i-th from the i-th stream of the seed."""
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise BadParameter(f"reconstruct: n must be an int of at least 1, got {n!r}.")
    low, high = _multiplicity(data.k, term_multiplicity)
    data = arranged(data)
    streams = np.random.SeedSequence(seed).spawn(n)
    return [_draw(data, np.array(stream.generate_state(1, np.uint64), np.uint64), low, high) for stream in streams]


def _multiplicity(k: int, given: str | int) -> tuple[int, int]:
    if given == "one":
        return 1, 1
    if given == "uniform":
        return 1, max(1, k - 1)
    if isinstance(given, int) and not isinstance(given, bool) and given >= 1:
        return given, given
    raise BadParameter(
        f"reconstruct: term_multiplicity must be 'one', 'uniform' or an int of at least 1, got {given!r}."
    )


def _draw(data: DisassociatedTransactions, state: NDArray[np.uint64], low: int, high: int) -> Transactions:
    deepest_first = np.argsort(-data.depth[data.chunk_node], kind="stable")
    offsets, items, failed = draw_records(data.forest, data.layout, state, low, high, deepest_first)
    if failed != FITS:
        raise BadPublication(
            "There is no possible original: the subrecords do not fit the records, or cannot fill them.",
            where=f"node {int(failed)}",
        )
    return Transactions(offsets, items, data.vocabulary)
