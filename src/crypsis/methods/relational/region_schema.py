"""RegionSchema: the declared columns of a table as flat arrays, the way the kernels of regions read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crypsis.data.arrays import Bools, Int32s, Int64s
from crypsis.data.category_trees import CategoryTree
from crypsis.data.counted_regions import RegionAttribute


@dataclass(frozen=True, eq=False)
class RegionSchema:
    """Attribute a has `width[a]` cells; its tree, if any, are the nodes from `root[a]` on. See `kernels.regions`."""

    numeric: Bools
    width: Int64s
    root: Int32s
    first_child: Int32s
    n_children: Int32s
    node_low: Int32s
    node_high: Int32s
    depth: Int32s
    slot_base: Int64s
    slots: Int32s

    @classmethod
    def of(cls, attributes: Sequence[RegionAttribute]) -> RegionSchema:
        trees = [attribute.domain for attribute in attributes if isinstance(attribute.domain, CategoryTree)]
        tables = [tree.slots().ravel() for tree in trees]
        bases = np.cumsum([0, *(len(tree.names) for tree in trees)])
        starts = np.cumsum([0, *(len(table) for table in tables)])
        numeric = np.array([attribute.numeric for attribute in attributes], np.bool_)
        number_of_tree = np.cumsum(~numeric) - 1
        nothing = np.zeros(0, np.int32)
        return cls(
            numeric,
            np.array([len(attribute) for attribute in attributes], np.int64),
            np.where(numeric, -1, bases[number_of_tree]).astype(np.int32),
            np.concatenate(
                [nothing, *(tree.first_child + base for tree, base in zip(trees, bases[:-1], strict=True))]
            ).astype(np.int32),
            np.concatenate([nothing, *(tree.n_children for tree in trees)]),
            np.concatenate([nothing, *(tree.low for tree in trees)]),
            np.concatenate([nothing, *(tree.high for tree in trees)]),
            np.concatenate([nothing, *(tree.depth for tree in trees)]),
            np.where(numeric, 0, starts[number_of_tree]).astype(np.int64),
            np.concatenate([nothing, *tables]),
        )

    @property
    def numeric_attributes(self) -> int:
        return int(self.numeric.sum())
