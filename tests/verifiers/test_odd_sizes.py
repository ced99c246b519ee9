"""Recounting where there is nothing to count, or where a file declares more than it holds."""

from __future__ import annotations

import numpy as np
import pytest

from crypsis.data.disassociated_objects import parsed
from crypsis.guarantees import DisassociationAnonymity
from crypsis.verifiers.chunk_supports import rarest_sets
from crypsis.verifiers.disassociation import verify_disassociation
from crypsis.verifiers.subsequence_supports import gathered, rarest_subsequence

EMPTY = np.zeros(1, np.int64)
NOTHING = np.zeros(0, np.int32)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_no_rows_hold_no_subsequences(size: int) -> None:
    columns, who = gathered(EMPTY, NOTHING, NOTHING, 4, size, 0, 4)
    assert (columns, len(who)) == ([], 0)
    assert rarest_subsequence(EMPTY, NOTHING, NOTHING, 4, size, 2) is None


LEAF = {
    "type": "leaf",
    "size": 5,
    "record_chunks": [[{"items": ["a"], "count": 3}, {"items": ["a", "b"], "count": 2}]],
    "term_chunk": [],
}


@pytest.mark.parametrize("m", [2, 3, 10**6, 2**60])
def test_no_set_is_larger_than_the_longest_subrecord_whatever_m_is_declared(m: int) -> None:
    data = parsed({"k": 2, "m": m, "nodes": [LEAF]})
    counted = rarest_sets(data, 2, m)
    assert counted.lowest.tolist() == [2]
    assert [label for label in counted.sets[0].tolist() if label >= 0] in ([1], [0, 1])
    assert verify_disassociation(data, DisassociationAnonymity(k=2, m=m)).achieved is not None


def test_no_chunks_hold_no_sets() -> None:
    data = parsed({"k": 2, "m": 2, "nodes": [{"type": "leaf", "size": 3, "record_chunks": [], "term_chunk": ["a"]}]})
    assert len(rarest_sets(data, 2, 2).lowest) == 0
