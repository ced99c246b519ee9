"""Small datasets of sets and disassociated releases of them, for tests."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.transaction import Transactions
from crypsis.methods.transaction.disassociation import Disassociation
from crypsis.run_context import RunContext

LEAF: dict[str, Any] = {
    "type": "leaf",
    "size": 5,
    "record_chunks": [
        [{"items": ["a", "b"], "count": 3}, {"items": ["b"], "count": 2}],
        [{"items": ["c"], "count": 4}],
    ],
    "term_chunk": ["d"],
}
OTHER: dict[str, Any] = {
    "type": "leaf",
    "size": 4,
    "record_chunks": [[{"items": ["a"], "count": 4}]],
    "term_chunk": ["z"],
}
JOINT: dict[str, Any] = {
    "type": "joint",
    "size": 9,
    "shared_chunks": [[{"items": ["x", "y"], "count": 3}, {"items": ["x"], "count": 1}]],
    "children": [LEAF, OTHER],
}


def forest(*nodes: dict[str, Any], k: int = 3, m: int = 2, empty_records: int = 0) -> dict[str, Any]:
    """A published object of these nodes, which may be changed freely."""
    return {"k": k, "m": m, "empty_records": empty_records, "nodes": copy.deepcopy(list(nodes))}


def published(*nodes: dict[str, Any], **header: int) -> DisassociatedTransactions:
    return DisassociatedTransactions.from_canonical(forest(*nodes, **header))


def random_records(seed: int, most_records: int = 24, terms: str = "abcdefg") -> list[list[str]]:
    """Records of which some terms go together; a few may be empty."""
    random = np.random.Generator(np.random.PCG64(seed))
    chances = random.uniform(0.1, 0.7, len(terms))
    records = random.random((int(random.integers(8, most_records + 1)), len(terms))) < chances
    return [[term for term, held in zip(terms, row, strict=True) if held] for row in records]


def disassociated(records: list[list[str]], **settings: Any) -> tuple[Transactions, DisassociatedTransactions]:
    """The data and their release."""
    data = Transactions.from_lists(records)
    return data, Disassociation(**settings).anonymize(data, RunContext())
