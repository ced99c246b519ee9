"""BTD: how different two transactions are, and how wide a cluster of them is.

BTD(a, b) = (|a xor b| + 1) / (|a and b| + 1); with `operator="or"`, |a or b| in place of the exclusive or (the printed
formula lost its sign; both give the paper's figures). Of a cluster it is the greatest over its pairs, of one record
1 / (|a| + 1). Record r is items[offsets[r]:offsets[r + 1]], ascending and distinct.

Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. Anonymizing data with relational and transaction attributes.
ECML PKDD 2013, 353-369: bidirectional transaction distance.
"""

from __future__ import annotations

from dataclasses import MISSING
from fractions import Fraction

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.kernels.transaction_distance import pair_distance, widest_cross_pair, widest_pair
from crypsis.parameters import OneOf, Parameter

_OPERATOR = Parameter("operator", str, False, (OneOf("xor", "or"),), "What differs, or all there is.", MISSING)


def record_distance(offsets: Int64s, items: Int32s, one: int, other: int, operator: str = "xor") -> Fraction:
    """BTD of two records, exactly."""
    either = _OPERATOR.check(operator, "record_distance") == "or"
    return Fraction(*map(int, pair_distance(offsets, items, one, other, either)))


def cluster_distance(offsets: Int64s, items: Int32s, records: Int64s, operator: str = "xor") -> Fraction:
    """The greatest BTD of two records of a cluster, exactly."""
    either = _OPERATOR.check(operator, "cluster_distance") == "or"
    return Fraction(*map(int, widest_pair(offsets, items, np.asarray(records, np.int64), either)))


def cross_distance(offsets: Int64s, items: Int32s, first: Int64s, second: Int64s, operator: str = "xor") -> Fraction:
    """The greatest BTD between a record of one cluster and a record of another, exactly."""
    either = _OPERATOR.check(operator, "cross_distance") == "or"
    ends = np.asarray(first, np.int64), np.asarray(second, np.int64)
    return Fraction(*map(int, widest_cross_pair(offsets, items, *ends, either)))
