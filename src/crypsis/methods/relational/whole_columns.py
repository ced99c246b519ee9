"""Whole sensitive columns of a table in shards, counted in people: what classes are compared with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crypsis.arrays import Float64s, Int64s
from crypsis.executors.executor import Executor
from crypsis.shards.people import add_people, add_shares, in_turn, people_with_values
from crypsis.shards.table import EncodedTable


def people_by_value(data: EncodedTable, places: Sequence[int], executor: Executor) -> list[Int64s]:
    """How many people have each value of some columns."""
    widths = [len(data.columns[index].domain) for index in places]
    counts: list[Int64s] = executor.fold(people_with_values, add_people, data.whole_people, places, widths)
    return counts


def shares_by_value(data: EncodedTable, places: Sequence[int], executor: Executor) -> list[Float64s]:
    """What the records with each value of some columns are of those of their persons, added up in input order."""
    assert data.person is not None
    none = [np.zeros(len(data.columns[index].domain)) for index in places]
    if not places:
        return none
    in_input_order = list(zip(data.shards, data.person.persons, strict=True))
    shares: list[Float64s] = in_turn(executor, add_shares, in_input_order, none, places, data.person.sizes)
    return shares
