"""Utility loss of records of generalized items: sum of w(g) (2^|g| - 1) over their symbols, over 2^s - 1.

Record r shows the symbols codes[offsets[r]:offsets[r + 1]], sizes[g] is the number of items of symbol g, weights[g] its
w, s the sum of the sizes in the record. Powers are never formed: everything is divided by 2^s first.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Float64s, Int32s, Int64s
from crypsis.compilation import njit

POWERS = np.append(np.ldexp(1.0, -np.arange(1071)), 0.0)  # 2^-n; nothing from where floats end


@njit
def record_losses(offsets: Int64s, codes: Int32s, sizes: Int64s, weights: Float64s) -> Float64s:
    """The loss of each record; a record without symbols loses nothing."""
    losses = np.zeros(len(offsets) - 1)
    last = len(POWERS) - 1
    for record in range(len(losses)):
        total = 0
        for index in range(offsets[record], offsets[record + 1]):
            total += sizes[codes[index]]
        loss = 0.0
        for index in range(offsets[record], offsets[record + 1]):
            size = sizes[codes[index]]
            loss += weights[codes[index]] * (POWERS[min(total - size, last)] - POWERS[min(total, last)])
        if total > 0:
            losses[record] = loss / (1.0 - POWERS[min(total, last)])
    return losses
