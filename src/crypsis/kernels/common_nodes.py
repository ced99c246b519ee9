"""Lowest common ancestors of many spans of leaves at once."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s
from crypsis.compilation import njit
from crypsis.kernels.attribute_costs import Attributes, common_node


@njit
def common_nodes(attributes: Attributes, attribute: int, low: Int32s, high: Int32s) -> Int32s:
    """The node over the leaves low to high of each class; the root where there are none."""
    nodes = np.zeros(len(low), np.int32)
    for index in range(len(low)):
        if high[index] >= 0:
            nodes[index] = common_node(attributes, attribute, low[index], high[index])
    return nodes
