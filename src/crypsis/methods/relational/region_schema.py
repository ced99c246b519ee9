"""RegionSchema: the declared columns of a table as flat arrays, the way the kernels of regions read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Int32s
from crypsis.data.category_trees import CategoryTree
from crypsis.data.counted_regions import RegionAttribute
from crypsis.kernels.regions import Attributes


@dataclass(frozen=True, eq=False)
class RegionSchema:
    """The attributes as kernels read them; the tree of attribute a, if any, are the nodes from `root[a]` on."""

    attributes: Attributes
    root: Int32s

    @classmethod
    def of(cls, attributes: Sequence[RegionAttribute]) -> RegionSchema:
        trees = [attribute.domain for attribute in attributes if isinstance(attribute.domain, CategoryTree)]
        tables = [tree.slots().ravel() for tree in trees]
        bases = np.cumsum([0, *(len(tree.names) for tree in trees)])
        starts = np.cumsum([0, *(len(table) for table in tables)])
        numeric = np.array([attribute.numeric for attribute in attributes], np.bool_)
        number_of_tree = np.cumsum(~numeric) - 1
        nothing = np.zeros(0, np.int32)
        arrays = Attributes(
            numeric,
            np.array([len(attribute) for attribute in attributes], np.int64),
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
        return cls(arrays, np.where(numeric, -1, bases[number_of_tree]).astype(np.int32))

    @property
    def numeric_attributes(self) -> int:
        return int(self.attributes.numeric.sum())
